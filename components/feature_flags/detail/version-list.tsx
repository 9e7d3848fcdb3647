"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { ChangeDialog } from "#components/feature_flags/changes/change-dialog.tsx";
import { proposalOf } from "#components/feature_flags/changes/flag-proposal.tsx";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { filtersOfVersion } from "#components/feature_flags/versions/version-filters.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt, findProblem, problemOf } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { Button } from "#components/ui/button.tsx";
import { Avatar } from "#components/ui/display/avatar.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import {
  causeOf,
  listFlagDifferences,
  listLoggedDifferences,
} from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagVersion } from "#lib/flags/feature_flags/history/versions-contract.ts";
import type { FlagChange, FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { InWords } from "./in-words.tsx";

type Props = {
  projectId: string;
  flag: FlagRecord;
  versions: readonly FlagVersion[];
  names: Names;
  access: Access;
  actions: FlagActions;
};

const VERBS: Record<string, string> = { created: "created", deleted: "deleted", restored: "restored" };

/** Why a version cannot be restored; null when it can. */
function obstacle(flag: FlagRecord, version: FlagVersion, access: Access): string | null {
  if (!access.may_write) return access.reason;
  if (flag.deleted) return "Restore the flag first.";
  if (flag.has_encrypted_payloads || version.flag.has_encrypted_payloads)
    return "The log does not store encrypted payloads, so this version cannot be restored.";
  return null;
}

/** The versions of a flag; each can be viewed and restored. */
export function VersionList(props: Props) {
  const { versions, flag, names, access } = props;
  const [open, setOpen] = useState<string>();
  const [reverting, setReverting] = useState<FlagVersion>();
  return (
    <>
      <ol aria-label="Versions, newest first" className="flex flex-col gap-4">
        {versions.map((version) => (
          <VersionCard
            key={version.entry.id}
            version={version}
            names={names}
            isCurrent={version.version === flag.version}
            obstacle={obstacle(flag, version, access)}
            isOpen={open === version.entry.id}
            onOpen={() => setOpen(open === version.entry.id ? undefined : version.entry.id)}
            onRevert={() => setReverting(version)}
          />
        ))}
      </ol>
      {reverting ? (
        <RevertDialog {...props} version={reverting} onClose={() => setReverting(undefined)} />
      ) : null}
    </>
  );
}

type CardProps = {
  version: FlagVersion;
  names: Names;
  isCurrent: boolean;
  obstacle: string | null;
  isOpen: boolean;
  onOpen: () => void;
  onRevert: () => void;
};

function VersionCard({ version, names, isCurrent, obstacle, isOpen, onOpen, onRevert }: CardProps) {
  const { entry } = version;
  const who = entry.user.first_name || entry.user.email || "Someone";
  const title = version.version === null ? "Version" : `Version ${version.version}`;
  return (
    <li>
      <Card>
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h2 className="font-medium text-sm">{title}</h2>
            {isCurrent ? <Badge tone="accent">Now</Badge> : null}
            <span className="flex items-center gap-1.5 text-muted text-xs">
              <Avatar name={who} /> {who} {VERBS[entry.activity] ?? "changed it"} {causeOf(entry)}
              <RelativeTime date={entry.created_at} />
            </span>
            <span className="ml-auto flex items-center gap-2">
              <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={onOpen}>
                {isOpen ? "Hide" : "View"} <span className="sr-only">{title}</span>
              </Button>
              {isCurrent ? null : (
                <Button
                  size="sm"
                  icon={RotateCcw}
                  disabled={obstacle !== null}
                  title={obstacle ?? undefined}
                  onClick={onRevert}
                >
                  Revert to this <span className="sr-only">{title}</span>
                </Button>
              )}
            </span>
          </div>
          {entry.activity === "created" ? (
            <p className="text-muted text-sm">Initial version.</p>
          ) : (
            <DifferencesList
              label={`What ${title.toLowerCase()} changed`}
              differences={listLoggedDifferences(entry.detail.changes, names)}
            />
          )}
          {obstacle && !isCurrent && isOpen ? <p className="text-faint text-xs">{obstacle}</p> : null}
          {isOpen ? (
            <InWords
              names={names}
              active={version.flag.active === true}
              body={
                {
                  ...version.flag,
                  key: String(version.flag.key),
                  filters: filtersOfVersion(version),
                } as FlagBody
              }
            />
          ) : null}
        </div>
      </Card>
    </li>
  );
}

function RevertDialog(props: Props & { version: FlagVersion; onClose: () => void }) {
  const { projectId, flag, version, names, actions, onClose } = props;
  const filters = filtersOfVersion(version);
  const body = { ...version.flag, filters } as FlagChange;
  const key = String(version.flag.key);
  async function revert() {
    const result = await attempt(() =>
      actions.update(projectId, flag.id, { ...body, version: flag.version, original_flag: flag }),
    );
    if (!result.ok) return problemOf(result);
    const after = result.data;
    const former = Object.fromEntries(
      Object.keys(version.flag).map((field) => [field, flag[field as keyof FlagRecord]]),
    );
    toast.withUndo(
      `${after.key} was reverted to version ${version.version}`,
      () =>
        findProblem(() =>
          actions.update(projectId, flag.id, {
            ...(former as FlagChange),
            version: after.version,
            original_flag: after,
          }),
        ),
      `The revert of ${flag.key} was undone`,
    );
    return undefined;
  }
  return (
    <ChangeDialog
      proposal={proposalOf({ projectId, flag, actions }, `revert to version ${version.version}:`, body)}
      projectId={projectId}
      flagKey={flag.key}
      proposed={{ id: flag.id, key, active: version.flag.active === true, filters }}
      title={`Revert ${flag.key} to version ${version.version}?`}
      description="This creates a new version; the history is kept."
      confirmLabel="Revert"
      heading="Whose value changes"
      onClose={onClose}
      onConfirm={revert}
    >
      <DifferencesList
        label="What changes"
        differences={listFlagDifferences(
          Object.fromEntries(
            Object.keys(version.flag).map((field) => [field, flag[field as keyof FlagRecord]]),
          ),
          { ...version.flag, filters },
          names,
        )}
      />
    </ChangeDialog>
  );
}
