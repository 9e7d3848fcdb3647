"use client";

import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { flagDifferences } from "#lib/feature_flags/differences.ts";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";
import { type Names, reachesEveryone, turningOn } from "#lib/feature_flags/words.ts";
import { DifferencesList } from "./differences_list.tsx";
import type { FlagBody } from "./form_values.ts";
import { BrokenCases } from "./test_cases.tsx";
import { SetCounts } from "./toggle_dialog.tsx";
import { WhoChanges } from "./who_changes.tsx";

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

const proposedOf = (stored: FlagRecord | null, body: FlagBody) => ({
  id: stored?.id ?? null,
  ...(stored === null && { key: body.key }),
  active: true,
  filters: body.filters,
});

/** Says what a save changes and whom it reaches, before it is made. */
export function SaveDialog({ projectId, stored, body, names, onClose, onConfirm }: Props) {
  const active = body.active === true;
  const everyone = active && reachesEveryone(body.filters);
  const already = stored?.active === true && reachesEveryone(stored.filters);
  const targeting = stored === null || stored.filters !== body.filters;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={stored ? `Save changes to ${stored.key}?` : `Create ${body.key}?`}
      confirmLabel={stored ? "Save changes" : "Create flag"}
      typeToConfirm={everyone && !already ? body.key : undefined}
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
      {targeting ? (
        <section aria-label="Who is affected" className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">Whose value changes</h3>
          {active ? (
            <>
              {everyone ? (
                <p className="text-muted text-sm">
                  {turningOn(body.filters, body.is_remote_configuration === true, names)}
                </p>
              ) : null}
              <WhoChanges projectId={projectId} proposed={proposedOf(stored, body)} />
            </>
          ) : (
            <>
              <p className="text-muted text-sm">
                Nobody yet: the flag is off. Once it is turned on, its sets take:
              </p>
              <SetCounts projectId={projectId} filters={body.filters} names={names} />
            </>
          )}
        </section>
      ) : null}
    </ConfirmDialog>
  );
}
