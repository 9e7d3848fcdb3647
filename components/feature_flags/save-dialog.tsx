"use client";

import { ChangeDialog } from "#components/feature_flags/changes/change-dialog.tsx";
import { SetCounts } from "#components/feature_flags/changes/toggle-dialog.tsx";
import { BrokenCases } from "#components/feature_flags/tester/pinned-cases.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { type Names, reachesEveryone, turningOn } from "#lib/people/conditions/words.ts";
import type { FlagBody } from "./form-values.ts";

type Props = {
  projectId: string;
  /** The flag as stored; null for a new one. */
  stored: FlagRecord | null;
  /** What is to be stored. */
  body: FlagBody;
  names: Names;
  onClose: () => void;
  /** Saves; returns a problem that belongs to no field. */
  onConfirm: () => Promise<string | undefined>;
};

/** Shows what a save changes and who is affected, before saving. */
export function SaveDialog({ projectId, stored, body, names, onClose, onConfirm }: Props) {
  const active = body.active === true;
  const targeting = stored === null || stored.filters !== body.filters || stored.key !== body.key;
  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={body.key}
      proposed={{ id: stored?.id ?? null, key: body.key, active, filters: body.filters }}
      counts={targeting && (active || stored !== null)}
      title={stored ? `Save changes to ${stored.key}?` : `Create ${body.key}?`}
      confirmLabel={stored ? "Save changes" : "Create flag"}
      heading={targeting ? "Whose value changes" : undefined}
      instead={insteadOfCounts({ projectId, body, names, targeting, active })}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {stored ? (
        <section aria-label="What changes" className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">What changes</h3>
          <DifferencesList label="What changes" differences={listFlagDifferences(stored, body, names)} />
        </section>
      ) : null}
      {stored ? (
        <BrokenCases projectId={projectId} flagId={stored.id} proposed={{ active, filters: body.filters }} />
      ) : null}
      {active && targeting && reachesEveryone(body.filters) ? (
        <p className="text-muted text-sm">
          {turningOn(body.filters, body.is_remote_configuration === true, names)}
        </p>
      ) : null}
    </ChangeDialog>
  );
}

type Instead = Pick<Props, "projectId" | "body" | "names"> & { targeting: boolean; active: boolean };

/** Nobody's value changes while the flag is off; its sets then show who they would match. */
function insteadOfCounts({ projectId, body, names, targeting, active }: Instead) {
  if (!targeting) return null;
  if (active) return undefined;
  return (
    <>
      <p className="text-muted text-sm">Nobody yet: the flag is off. Once it is on, its sets match:</p>
      <SetCounts projectId={projectId} filters={body.filters} names={names} />
    </>
  );
}
