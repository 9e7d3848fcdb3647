"use client";

import { ConsequencesNote } from "#components/conditions/who_changes/consequences-list.tsx";
import { Count } from "#components/conditions/who_changes/count.tsx";
import { useBulkWhoChanges } from "#components/conditions/who_changes/use-who-changes.ts";
import { DependentChanges } from "#components/conditions/who_changes/who-changes.tsx";
import { ConfirmChange } from "#components/feature_flags/changes/change-dialog.tsx";
import type { ImportedFlag } from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import type { BulkWhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { formatCount } from "#lib/platform/format.ts";

type Props = {
  /** The project that they are written to. */
  projectId: string;
  title: string;
  verb: string;
  /** The flags that are carried over: new ones, and those that change. */
  flags: readonly ImportedFlag[];
  /** Whether cohorts that they need are created. */
  createsCohorts: boolean;
  onClose: () => void;
  onConfirm: () => Promise<string | undefined>;
};

/** Asks before flags are carried over from elsewhere, showing whose values change. */
export function CarryOverDialog(props: Props) {
  const { projectId, title, verb, flags, createsCohorts, onClose, onConfirm } = props;
  const changes = flags.flatMap(({ id, proposed }) =>
    id === null || !proposed ? [] : [{ id, ...proposed }],
  );
  const uncounted = flags.filter(({ state, proposed }) => state === "changed" && !proposed);
  const counted = useBulkWhoChanges(projectId, changes, changes.length > 0);
  const known =
    counted.state === "counted" ? counted.found : "part" in counted ? counted.part?.answer : undefined;
  const effects = new Map(known?.flags.map((flag) => [flag.id, flag]));
  const created = flags.filter(({ state }) => state === "new").length;
  return (
    <ConfirmChange
      title={title}
      description={`${created} new, ${flags.length - created} changed. ${createsCohorts ? "Missing cohorts that they need are created. " : ""}All of them are saved, or none.`}
      confirmLabel={verb}
      flags={changes.map(({ id }) => ({
        key: flags.find((flag) => flag.id === id)?.key ?? "",
        effects: effects.get(id) ?? null,
      }))}
      failed={counted.state === "failed"}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {changes.length > 0 ? (
        <>
          <ConsequencesNote
            projectId={projectId}
            consequences={known?.flags.flatMap(({ consequences }) => consequences) ?? []}
          />
          <Count label="Counting whose value changes" counted={counted} soFar={changedSoFar}>
            {(found) => (
              <>
                <p className="text-sm">{peopleWhoChange(found)}</p>
                <DependentChanges dependents={found.dependents} />
              </>
            )}
          </Count>
        </>
      ) : (
        <p className="text-muted text-sm">No flag that people get now changes.</p>
      )}
      {uncounted.length > 0 ? (
        <p className="text-warning-text text-xs">
          Not counted, because they depend on flags or cohorts that are new:{" "}
          {uncounted.map(({ key }) => key).join(", ")}.
        </p>
      ) : null}
    </ConfirmChange>
  );
}

const changedSoFar = ({ people }: BulkWhoChangesAnswer) =>
  `${formatCount(people.changed)} get a different value for at least one flag`;

const peopleWhoChange = ({ people: { total, changed } }: BulkWhoChangesAnswer) =>
  changed === 0
    ? "Nobody’s value changes."
    : `${formatCount(changed)} of ${formatCount(total)} people get a different value for at least one flag.`;
