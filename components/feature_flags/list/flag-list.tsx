"use client";

import { useMemo, useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { ListItem } from "#components/feature_flags/list-item.ts";
import type { Access } from "#components/kit/access.tsx";
import { ListHead } from "#components/kit/list/list-head.tsx";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { later } from "#components/ui/after-page.ts";
import { Table, TableBody, Th } from "#components/ui/display/table.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import type { transferContract } from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import type { BulkAction } from "./bulk-bar.tsx";
import { FlagRow } from "./flag-row.tsx";
import { flagList, type ListQuery } from "./list-query.ts";
import { type BulkProblems, useFlagChanges } from "./use-flag-changes.ts";

const BulkProblemsNote = later(async () => (await import("./bulk-bar.tsx")).BulkProblemsNote);

const BulkBar = later(async () => (await import("./bulk-bar.tsx")).BulkBar);

const BulkDialog = later(async () => (await import("./bulk-bar.tsx")).BulkDialog);

const ToggleDialog = later(
  async () => (await import("#components/feature_flags/changes/toggle-dialog.tsx")).ToggleDialog,
);

const DeleteDialog = later(
  async () => (await import("#components/feature_flags/changes/delete-dialog.tsx")).DeleteDialog,
);

/** Saves the flags as a JSON file, which can be imported here and elsewhere. */
async function exportFlags(projectId: string, flags: readonly { id: number }[]): Promise<void> {
  try {
    const exported = await callFromBrowser<typeof transferContract.export>(
      "/api/projects/{project_id}/feature_flags/export/",
      { params: { project_id: projectId }, query: { ids: flags.map(({ id }) => id).join() } },
    );
    const text = `${JSON.stringify(exported, null, 2)}\n`;
    saveFile("feature_flags.json", new Blob([text], { type: "application/json" }));
    if (exported.left_out.length > 0)
      toast.error("Some flags were left out", {
        description: `Stored fields of these cannot be read: ${exported.left_out.join(", ")}.`,
      });
  } catch (error) {
    toast.error("The flags were not exported", {
      description: error instanceof ApiError ? error.message : "The service did not respond.",
    });
  }
}

type Props = {
  projectId: string;
  items: ListItem[];
  names: Names;
  query: ListQuery;
  /** Whether each flag has one line. */
  compact: boolean;
  access: Access;
  actions: FlagActions;
};

/** The flags of a page: toggled, deleted and changed together in place. */
export function FlagList({ projectId, items, names, query, compact, access, actions }: Props) {
  const { shown, toggle, remove, many } = useFlagChanges(projectId, items, actions);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [dialog, setDialog] = useState<{ kind: "toggle" | "delete"; flag: ListItem }>();
  const [action, setAction] = useState<BulkAction>();
  const [problems, setProblems] = useState<BulkProblems>();
  const selected = useMemo(() => shown.filter((flag) => chosen.has(flag.id)), [shown, chosen]);
  const clear = () => setChosen(new Set());

  function select(id: number, on: boolean) {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  }
  return (
    <RowKeys noun="flag">
      {problems ? (
        <BulkProblemsNote projectId={projectId} outcome={problems} onClose={() => setProblems(undefined)} />
      ) : null}
      <Table caption="Feature flags" minWidth="sm:min-w-[46rem]">
        <ListHead list={flagList} {...{ projectId, query }}>
          <Th className="w-8 pr-0">
            <Checkbox
              aria-label="Select all flags on this page"
              disabled={!access.may_write}
              checked={selected.length === 0 ? false : selected.length === shown.length || "indeterminate"}
              onCheckedChange={(on) => setChosen(new Set(on === true ? shown.map((flag) => flag.id) : []))}
            />
          </Th>
        </ListHead>
        <TableBody>
          {shown.map((flag) => (
            <FlagRow
              key={flag.id}
              projectId={projectId}
              flag={flag}
              compact={compact}
              access={access}
              selected={chosen.has(flag.id)}
              onSelect={(on) => select(flag.id, on)}
              onToggle={() => setDialog({ kind: "toggle", flag })}
              onDelete={() => setDialog({ kind: "delete", flag })}
            />
          ))}
        </TableBody>
      </Table>
      {selected.length > 0 ? (
        <BulkBar
          count={selected.length}
          onAction={setAction}
          onExport={() => exportFlags(projectId, selected)}
          onClear={clear}
        />
      ) : null}
      {dialog?.kind === "toggle" ? (
        <ToggleDialog
          projectId={projectId}
          actions={actions}
          flag={dialog.flag}
          names={names}
          onClose={() => setDialog(undefined)}
          onConfirm={(active) => toggle(dialog.flag, active)}
        />
      ) : null}
      {dialog?.kind === "delete" ? (
        <DeleteDialog
          projectId={projectId}
          actions={actions}
          flag={dialog.flag}
          onClose={() => setDialog(undefined)}
          onConfirm={() => remove(dialog.flag)}
        />
      ) : null}
      {action ? (
        <BulkDialog
          projectId={projectId}
          action={action}
          flags={selected}
          many={many}
          onClose={() => setAction(undefined)}
          onDone={(outcome) => {
            setProblems(outcome.problems.length > 0 ? outcome : undefined);
            clear();
          }}
        />
      ) : null}
    </RowKeys>
  );
}
