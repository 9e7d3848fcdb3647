"use client";

import { useMemo, useState } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { Table, TableBody, TableHead, Th } from "#components/ui/table.tsx";
import type { Names } from "#lib/feature_flags/words.ts";
import { BulkBar, BulkDialog, BulkProblemsNote, type Deed } from "./bulk_bar.tsx";
import { DeleteDialog } from "./delete_dialog.tsx";
import { exportFlags } from "./export_flags.ts";
import type { Access, FlagActions } from "./flag_actions.ts";
import { FlagRow } from "./flag_row.tsx";
import type { ListItem } from "./list_item.ts";
import { type ListQuery, listHref } from "./list_query.ts";
import { ToggleDialog } from "./toggle_dialog.tsx";
import { type BulkProblems, useFlagChanges } from "./use_flag_changes.ts";

type Props = {
  projectId: string;
  items: ListItem[];
  names: Names;
  query: ListQuery;
  access: Access;
  actions: FlagActions;
};

/** The flags of a page: toggled, deleted and changed together in place. */
export function FlagList({ projectId, items, names, query, access, actions }: Props) {
  const { shown, toggle, remove, many } = useFlagChanges(projectId, items, actions);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [asking, setAsking] = useState<{ kind: "toggle" | "delete"; flag: ListItem }>();
  const [deed, setDeed] = useState<Deed>();
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
      {problems ? <BulkProblemsNote outcome={problems} onClose={() => setProblems(undefined)} /> : null}
      <Table caption="Feature flags" minWidth="sm:min-w-[46rem]">
        <TableHead>
          <Th className="w-8 pr-0">
            <Checkbox
              aria-label="Select all flags on this page"
              disabled={!access.may_write}
              checked={selected.length === 0 ? false : selected.length === shown.length || "indeterminate"}
              onCheckedChange={(on) => setChosen(new Set(on === true ? shown.map((flag) => flag.id) : []))}
            />
          </Th>
          <SortTh field="key" {...{ projectId, query }}>
            Flag
          </SortTh>
          <Th>Status</Th>
          <Th>Serves</Th>
          <Th className="sm:max-xl:hidden">Evaluated</Th>
          <SortTh field="updated_at" {...{ projectId, query }}>
            Changed
          </SortTh>
          <SortTh field="last_called_at" className="sm:max-lg:hidden" {...{ projectId, query }}>
            Last called
          </SortTh>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>
          {shown.map((flag) => (
            <FlagRow
              key={flag.id}
              projectId={projectId}
              flag={flag}
              access={access}
              selected={chosen.has(flag.id)}
              onSelect={(on) => select(flag.id, on)}
              onToggle={() => setAsking({ kind: "toggle", flag })}
              onDelete={() => setAsking({ kind: "delete", flag })}
            />
          ))}
        </TableBody>
      </Table>
      {selected.length > 0 ? (
        <BulkBar
          count={selected.length}
          onDeed={setDeed}
          onExport={() => exportFlags(projectId, selected)}
          onClear={clear}
        />
      ) : null}
      {asking?.kind === "toggle" ? (
        <ToggleDialog
          projectId={projectId}
          flag={asking.flag}
          names={names}
          onClose={() => setAsking(undefined)}
          onConfirm={(active) => toggle(asking.flag, active)}
        />
      ) : null}
      {asking?.kind === "delete" ? (
        <DeleteDialog
          projectId={projectId}
          flag={asking.flag}
          onClose={() => setAsking(undefined)}
          onConfirm={() => remove(asking.flag)}
        />
      ) : null}
      {deed ? (
        <BulkDialog
          projectId={projectId}
          deed={deed}
          flags={selected}
          many={many}
          onClose={() => setDeed(undefined)}
          onDone={(outcome) => {
            setProblems(outcome.problems.length > 0 ? outcome : undefined);
            clear();
          }}
        />
      ) : null}
    </RowKeys>
  );
}

type SortThProps = {
  projectId: string;
  query: ListQuery;
  field: string;
  className?: string;
  children: string;
};

function SortTh({ projectId, query, field, className, children }: SortThProps) {
  const direction = query.order === field ? "asc" : query.order === `-${field}` ? "desc" : null;
  // Texts start at A; of dates the newest are wanted first.
  const first = field === "key" ? field : `-${field}`;
  const next = direction === null ? first : direction === "asc" ? `-${field}` : field;
  return (
    <Th className={className} sort={{ href: listHref(projectId, query, { order: next }), direction }}>
      {children}
    </Th>
  );
}
