"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { SharedRow, SharedTable } from "#components/experiments/shared-row.tsx";
import type { Access } from "#components/kit/access.tsx";
import { attempt, problemOf } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { UsedBy } from "./used-by.tsx";

const SavedMetricDialog = later(async () => (await import("./saved-metric-dialog.tsx")).SavedMetricDialog);

/** A saved metric, and how it reads: the words need the schemas of all kinds, which stay on the server. */
type Worded = SavedMetricRecord & { kind_word: string; definition: string };

type Props = {
  projectId: string;
  metrics: readonly Worded[];
  access: Access;
  actions: SavedMetricActions;
};

/** The project's saved metrics: what each counts, and where. */
export function SavedMetricList({ projectId, metrics, access, actions }: Props) {
  const router = useRouter();
  const [requested, setRequested] = useState<{ action: "edit" | "delete"; saved: SavedMetricRecord }>();
  const close = () => setRequested(undefined);
  const common = { projectId, actions, onClose: close };
  return (
    <>
      <SharedTable
        caption="Saved metrics"
        noun="metric"
        columns={["Metric", "Definition"]}
        minWidth="sm:min-w-[46rem]"
      >
        {metrics.map((saved) => (
          <SharedRow
            key={saved.id}
            name={saved.name}
            description={saved.description}
            about={{ label: "Definition", content: <Definition {...saved} /> }}
            usedBy={<UsedBy projectId={projectId} saved={saved} />}
            updatedAt={saved.updated_at}
            onEdit={
              access.may_write && saved.query.kind === "ExperimentMetric"
                ? () => setRequested({ action: "edit", saved })
                : null
            }
            onDelete={access.may_write ? () => setRequested({ action: "delete", saved }) : null}
          />
        ))}
      </SharedTable>
      {requested?.action === "edit" ? (
        <SavedMetricDialog {...common} saved={requested.saved} from={{}} onSaved={() => router.refresh()} />
      ) : null}
      {requested?.action === "delete" ? <DeleteDialog {...common} saved={requested.saved} /> : null}
    </>
  );
}

const Definition = ({ kind_word, definition, query }: Worded) => (
  <span className="flex flex-col items-start gap-1">
    <span className="flex flex-wrap gap-1">
      <Badge>{kind_word}</Badge>
      {query.goal === "decrease" ? <Badge tone="info">lower is better</Badge> : null}
    </span>
    <span className="break-words text-muted">{definition}</span>
  </span>
);

type DeleteProps = {
  projectId: string;
  saved: SavedMetricRecord;
  actions: SavedMetricActions;
  onClose: () => void;
};

function DeleteDialog({ projectId, saved, actions, onClose }: DeleteProps) {
  const router = useRouter();
  const { id, name, experiment_count: count } = saved;
  async function set(deleted: boolean) {
    const result = await attempt(() => actions.setDeleted(projectId, id, deleted));
    if (result.ok) router.refresh();
    return result;
  }
  async function remove(): Promise<string | undefined> {
    const result = await set(true);
    if (result.ok)
      toast.withUndo(`${name} was deleted`, async () => problemOf(await set(false)), `${name} was restored`);
    return problemOf(result);
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${name}?`}
      description={
        count === 0
          ? "No experiment uses it. You can undo this."
          : `${count === 1 ? "This experiment loses" : `These ${count} experiments lose`} it and its results. You can undo this.`
      }
      confirmLabel="Delete metric"
      danger
      onConfirm={remove}
    >
      {count > 0 ? (
        <div className="text-sm">
          <UsedBy projectId={projectId} saved={saved} />
        </div>
      ) : null}
    </ConfirmDialog>
  );
}
