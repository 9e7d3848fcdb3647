"use client";

import { ReachText } from "#components/conditions/editor/reach-text.tsx";
import { Sentence } from "#components/conditions/sentence.tsx";
import type { ProposeActions } from "#components/kit/propose/propose-dialog.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { type Names, setTokens, turningOn } from "#lib/people/conditions/words.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { proposalOf } from "./flag-proposal.tsx";

type Props = {
  projectId: string;
  flag: { id: number; key: string; active: boolean };
  names: Names;
  actions: ProposeActions;
  onClose: () => void;
  /** Turns the flag on or off; the dialog does not wait for it. */
  onConfirm: (active: boolean) => void;
};

/** Says what turning a flag on or off does, to whom, before it is done. */
export function ToggleDialog({ projectId, flag, names, actions, onClose, onConfirm }: Props) {
  const { data, error } = useEndpoint<typeof flagContract.retrieve>(
    "/api/projects/{project_id}/feature_flags/{id}/",
    {
      params: { project_id: projectId, id: String(flag.id) },
    },
  );
  const turnsOn = !flag.active;
  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={flag.key}
      proposed={{ id: flag.id, active: turnsOn }}
      title={
        <>
          Turn {turnsOn ? "on" : "off"} <span className="font-mono text-base">{flag.key}</span>?
        </>
      }
      confirmLabel={turnsOn ? "Turn on" : "Turn off"}
      danger={!turnsOn}
      proposal={proposalOf({ projectId, flag, actions }, turnsOn ? "turn on" : "turn off", {
        active: turnsOn,
      })}
      onClose={onClose}
      onConfirm={() => {
        onConfirm(turnsOn);
        return undefined;
      }}
    >
      {turnsOn ? <TurnsOn flag={data} names={names} problem={error?.message} /> : <TurnsOff />}
    </ChangeDialog>
  );
}

function TurnsOff() {
  return (
    <p className="text-muted text-sm">
      It returns <strong className="font-medium text-ink">off</strong> for everyone, regardless of its release
      conditions. They are kept and apply again when you turn it back on.
    </p>
  );
}

function TurnsOn({
  flag,
  names,
  problem,
}: {
  flag: FlagRecord | undefined;
  names: Names;
  problem: string | undefined;
}) {
  if (problem) return <p className="text-danger-text text-sm">{problem}</p>;
  if (!flag)
    return (
      <div role="status" aria-label="Loading the flag" className="flex flex-col gap-2">
        <Skeleton className="h-3 w-4/5" />
        <Skeleton className="h-3 w-1/2" />
      </div>
    );
  return <p className="text-sm">{turningOn(flag.filters, flag.is_remote_configuration === true, names)}</p>;
}

const SHOWN = 6;

/** Each set in words with how many it matches now. */
export function SetCounts({
  projectId,
  filters,
  names,
}: {
  projectId: string;
  filters: FlagRecord["filters"];
  names?: Names;
}) {
  const rest = filters.groups.length - SHOWN;
  return (
    <div className="rounded-md border bg-sunken text-xs">
      <ol className="divide-y">
        {filters.groups.slice(0, SHOWN).map((group, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sets are known by their place
          <li key={place} className="flex flex-col gap-0.5 px-3 py-2">
            <span className="text-muted">
              <span className="text-faint">Set {place + 1}: </span>
              <Sentence tokens={setTokens(group, filters, names)} />
            </span>
            <ReachText
              projectId={projectId}
              group={group}
              groupTypeIndex={filters.aggregation_group_type_index ?? null}
            />
          </li>
        ))}
      </ol>
      {rest > 0 ? <p className="border-t px-3 py-2 text-faint">and {rest} more sets</p> : null}
    </div>
  );
}
