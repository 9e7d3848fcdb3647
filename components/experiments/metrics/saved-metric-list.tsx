"use client";

import { Pencil, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
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
    <RowKeys noun="metric">
      <Table caption="Saved metrics" minWidth="sm:min-w-[46rem]">
        <TableHead>
          <Th>Metric</Th>
          <Th>Definition</Th>
          <Th>Used by</Th>
          <Th>Changed</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>
          {metrics.map((saved) => (
            <Row
              key={saved.id}
              projectId={projectId}
              saved={saved}
              access={access}
              request={(action) => setRequested({ action, saved })}
            />
          ))}
        </TableBody>
      </Table>
      {requested?.action === "edit" ? (
        <SavedMetricDialog {...common} saved={requested.saved} from={{}} onSaved={() => router.refresh()} />
      ) : null}
      {requested?.action === "delete" ? <DeleteDialog {...common} saved={requested.saved} /> : null}
    </RowKeys>
  );
}

type RowProps = {
  projectId: string;
  saved: Worded;
  access: Access;
  request: (action: "edit" | "delete") => void;
};

function Row({ projectId, saved, access, request }: RowProps) {
  const { name, query } = saved;
  const readable = query.kind === "ExperimentMetric";
  return (
    <Tr>
      <Td place="title" className="sm:w-64">
        {access.may_write && readable ? (
          <button
            type="button"
            data-row-link=""
            onClick={() => request("edit")}
            className="-mx-1 break-words rounded-xs px-1 text-left font-medium hover:text-accent-text hover:underline hover:underline-offset-[3px]"
          >
            {name}
          </button>
        ) : (
          <span className="break-words font-medium">{name}</span>
        )}
        {saved.description ? (
          <p className="line-clamp-3 break-words text-muted text-xs">{saved.description}</p>
        ) : null}
      </Td>
      <Td label="Definition" className="text-xs">
        <span className="flex flex-col items-start gap-1">
          <span className="flex flex-wrap gap-1">
            <Badge>{saved.kind_word}</Badge>
            {query.goal === "decrease" ? <Badge tone="info">lower is better</Badge> : null}
          </span>
          <span className="break-words text-muted">{saved.definition}</span>
        </span>
      </Td>
      <Td label="Used by" className="text-xs sm:w-80">
        <div className="min-w-0">
          <UsedBy projectId={projectId} saved={saved} />
        </div>
      </Td>
      <Td label="Changed" className="whitespace-nowrap text-muted text-xs">
        <RelativeTime date={saved.updated_at} />
      </Td>
      <Td place="corner" align="right" className="pl-0 sm:w-20">
        {access.may_write ? (
          <span className="flex justify-end">
            {readable ? (
              <IconButton icon={Pencil} size="sm" label={`Edit ${name}`} onClick={() => request("edit")} />
            ) : null}
            <IconButton icon={Trash2} size="sm" label={`Delete ${name}`} onClick={() => request("delete")} />
          </span>
        ) : null}
      </Td>
    </Tr>
  );
}

type DeleteProps = {
  projectId: string;
  saved: SavedMetricRecord;
  actions: SavedMetricActions;
  onClose: () => void;
};

function DeleteDialog({ projectId, saved, actions, onClose }: DeleteProps) {
  const router = useRouter();
  const { id, name, experiment_count: count } = saved;
  async function set(deleted: boolean): Promise<string | undefined> {
    const result = await attempt(() => actions.setDeleted(projectId, id, deleted));
    if (!result.ok) return result.error.detail;
    router.refresh();
    return undefined;
  }
  async function remove(): Promise<string | undefined> {
    const problem = await set(true);
    if (!problem) toast.withUndo(`${name} was deleted`, () => set(false), `${name} was restored`);
    return problem;
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
