"use client";

import { Plus } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { HoldoutActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { ExperimentUses } from "#components/experiments/metrics/used-by.tsx";
import { SharedRow, SharedTable } from "#components/experiments/shared-row.tsx";
import type { Access } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { HoldoutListed } from "#lib/experiments/experiments/schema.ts";
import { HoldoutDialog } from "./holdout-dialog.tsx";
import { shareText } from "./share-text.ts";

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

type ListProps = Common & { holdouts: readonly HoldoutListed[]; access: Access };

/** The project's holdouts: how many people each keeps out, and of which experiments. */
export function HoldoutList({ holdouts, access, ...common }: ListProps) {
  const router = useRouter();
  const [asked, setAsked] = useState<{ action: "edit" | "delete"; holdout: HoldoutListed }>();
  const close = () => setAsked(undefined);
  return (
    <>
      <SharedTable
        caption="Holdouts"
        noun="holdout"
        columns={["Holdout", "Keeps out"]}
        minWidth="sm:min-w-[40rem]"
      >
        {holdouts.map((holdout) => (
          <SharedRow
            key={holdout.id}
            name={holdout.name}
            href={`/project/${common.projectId}/experiments/holdouts/${holdout.id}` as Route}
            description={holdout.description}
            about={{ label: "Keeps out", content: shareText(holdout) }}
            usedBy={<ExperimentUses projectId={common.projectId} experiments={holdout.experiments} />}
            updatedAt={holdout.updated_at}
            onEdit={access.may_write ? () => setAsked({ action: "edit", holdout }) : null}
            onDelete={access.may_write ? () => setAsked({ action: "delete", holdout }) : null}
          />
        ))}
      </SharedTable>
      {asked?.action === "edit" ? (
        <HoldoutDialog {...common} holdout={asked.holdout} onClose={close} onSaved={() => router.refresh()} />
      ) : null}
      {asked?.action === "delete" ? (
        <DeleteDialog {...common} holdout={asked.holdout} onClose={close} />
      ) : null}
    </>
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
