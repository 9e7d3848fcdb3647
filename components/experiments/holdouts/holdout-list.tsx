"use client";

import { Pencil, Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { HoldoutActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { ExperimentUses } from "#components/experiments/metrics/used-by.tsx";
import type { Access } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import type { HoldoutListed } from "#lib/experiments/experiments/schema.ts";
import { HoldoutDialog } from "./holdout-dialog.tsx";

type Common = { projectId: string; actions: HoldoutActions };

/** Opens the dialog of a new holdout. */
export function NewHoldout({ projectId, actions }: Common) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={Plus} onClick={() => setOpen(true)}>
        New holdout
      </Button>
      {open ? (
        <HoldoutDialog
          projectId={projectId}
          holdout={null}
          actions={actions}
          onClose={() => setOpen(false)}
          onSaved={() => router.refresh()}
        />
      ) : null}
    </>
  );
}

/** The share of people in a holdout, in words. */
export const shareText = ({ filters }: Pick<HoldoutListed, "filters">): string => {
  const [first, ...others] = filters;
  const share = `${plainNumber(first?.rollout_percentage ?? 100)}% of people`;
  if (others.length > 0) return `${filters.length} condition sets`;
  return (first?.properties ?? []).length > 0 ? `${share} who match its conditions` : share;
};

type ListProps = Common & { holdouts: readonly HoldoutListed[]; access: Access };

/** The project's holdouts: how many people each keeps out, and of which experiments. */
export function HoldoutList({ holdouts, access, ...common }: ListProps) {
  const router = useRouter();
  const [asked, setAsked] = useState<{ action: "edit" | "delete"; holdout: HoldoutListed }>();
  const close = () => setAsked(undefined);
  return (
    <RowKeys noun="holdout">
      <Table caption="Holdouts" minWidth="sm:min-w-[40rem]">
        <TableHead>
          <Th>Holdout</Th>
          <Th>Keeps out</Th>
          <Th>Used by</Th>
          <Th>Changed</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>
          {holdouts.map((holdout) => (
            <Tr key={holdout.id}>
              <Td place="title" className="sm:w-64">
                <span className="break-words font-medium">{holdout.name}</span>
                {holdout.description ? (
                  <p className="line-clamp-3 break-words text-muted text-xs">{holdout.description}</p>
                ) : null}
              </Td>
              <Td label="Keeps out" className="tabular text-sm">
                {shareText(holdout)}
              </Td>
              <Td label="Used by" className="text-xs sm:w-80">
                <div className="min-w-0">
                  <ExperimentUses projectId={common.projectId} experiments={holdout.experiments} />
                </div>
              </Td>
              <Td label="Changed" className="whitespace-nowrap text-muted text-xs">
                <RelativeTime date={holdout.updated_at} />
              </Td>
              <Td place="corner" align="right" className="pl-0 sm:w-20">
                {access.may_write ? (
                  <span className="flex justify-end">
                    <IconButton
                      icon={Pencil}
                      size="sm"
                      label={`Edit ${holdout.name}`}
                      onClick={() => setAsked({ action: "edit", holdout })}
                    />
                    <IconButton
                      icon={Trash2}
                      size="sm"
                      label={`Delete ${holdout.name}`}
                      onClick={() => setAsked({ action: "delete", holdout })}
                    />
                  </span>
                ) : null}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      {asked?.action === "edit" ? (
        <HoldoutDialog {...common} holdout={asked.holdout} onClose={close} onSaved={() => router.refresh()} />
      ) : null}
      {asked?.action === "delete" ? (
        <DeleteDialog {...common} holdout={asked.holdout} onClose={close} />
      ) : null}
    </RowKeys>
  );
}

function DeleteDialog({
  projectId,
  actions,
  holdout,
  onClose,
}: Common & { holdout: HoldoutListed; onClose: () => void }) {
  const router = useRouter();
  const { id, name, experiments } = holdout;
  const running = experiments.filter(({ status }) => status === "running" || status === "paused");
  async function remove(): Promise<string | undefined> {
    const problem = await findProblem(() => actions.remove(projectId, id));
    if (problem) return problem;
    toast.success(`${name} was deleted`);
    router.refresh();
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={running.length > 0 ? `${name} cannot be deleted yet` : `Delete ${name}?`}
      description={
        running.length > 0
          ? "Running experiments use it: the people in it would get variants. End these experiments first."
          : experiments.length > 0
            ? "These experiments no longer keep anybody out. You cannot undo this."
            : "No experiment uses it. You cannot undo this."
      }
      confirmLabel="Delete holdout"
      danger
      blocked={running.length > 0}
      onConfirm={remove}
    >
      {experiments.length > 0 ? (
        <div className="text-sm">
          <ExperimentUses projectId={projectId} experiments={running.length > 0 ? running : experiments} />
        </div>
      ) : null}
    </ConfirmDialog>
  );
}
