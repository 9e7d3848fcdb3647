"use client";

import { flagDifferences } from "#lib/feature_flags/differences.ts";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";
import { type Names, reachesEveryone, turningOn } from "#lib/feature_flags/words.ts";
import { ChangeDialog } from "./change_dialog.tsx";
import { DifferencesList } from "./differences_list.tsx";
import type { FlagBody } from "./form_values.ts";
import { BrokenCases } from "./test_cases.tsx";
import { SetCounts } from "./toggle_dialog.tsx";

type Props = {
  projectId: string;
  /** The flag as stored; null for a new one. */
  stored: FlagRecord | null;
  /** What is to be stored. */
  body: FlagBody;
  names: Names;
  onClose: () => void;
  /** Saves; a returned text is the problem that concerns no field. */
  onConfirm: () => Promise<string | undefined>;
};

/** Says what a save changes and whom it reaches, before it is made. */
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
          <DifferencesList label="What changes" differences={flagDifferences(stored, body, names)} />
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

/** Nobody's value changes while the flag is off; then its sets say whom they would match. */
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
