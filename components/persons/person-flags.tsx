"use client";

import { CircleCheck, CircleSlash } from "lucide-react";
import type { Route } from "next";
import Link from "next/link";
import { useState } from "react";
import type { z } from "zod";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Code } from "#components/ui/display/code-block.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Table, TableBody, TableHead, TableMessage, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { SearchInput } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { reasonText } from "#lib/flags/feature_flags/evaluation/reasons.ts";
import type { personFlag } from "#lib/people/persons/schema.ts";

type PersonFlag = z.output<typeof personFlag>;
type Props = { projectId: string; distinctId: string; flags: readonly PersonFlag[] };

const STATES = [
  { value: "all", label: "All" },
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
] as const;

/** What every flag gives this person now, and why. */
export function PersonFlags({ projectId, distinctId, flags }: Props) {
  const [search, setSearch] = useState("");
  const [state, setState] = useState<"all" | "on" | "off">("all");
  if (flags.length === 0)
    return (
      <EmptyState title="No flags yet">
        Once the project has flags, their values for this person appear here.
      </EmptyState>
    );
  const needle = search.trim().toLowerCase();
  const shown = flags.filter(
    (flag) =>
      (state === "all" || (flag.value !== false) === (state === "on")) &&
      `${flag.key} ${flag.name}`.toLowerCase().includes(needle),
  );
  return (
    <RowKeys noun="flag">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search flags"
          placeholder="Search key or description"
          value={search}
          onValueChange={setSearch}
          className="w-full sm:w-72"
        />
        <Segmented label="Value" size="sm" value={state} onValueChange={setState} options={STATES} />
        <p aria-live="polite" className="tabular text-muted text-xs">
          {`${shown.length} of ${flags.length} flags, evaluated now for`} <Code>{distinctId}</Code>
        </p>
      </div>
      <Table caption="Flags of this person" minWidth="sm:min-w-[40rem]">
        <TableHead>
          <Th>Flag</Th>
          <Th>Value</Th>
          <Th>Reason</Th>
        </TableHead>
        <TableBody>
          {shown.map((flag) => (
            <Row key={flag.id} projectId={projectId} flag={flag} />
          ))}
          {shown.length === 0 ? <TableMessage columns={3}>No flags match.</TableMessage> : null}
        </TableBody>
      </Table>
    </RowKeys>
  );
}

function Row({ projectId, flag }: { projectId: string; flag: PersonFlag }) {
  const on = flag.value !== false;
  const Icon = on ? CircleCheck : CircleSlash;
  const reason = flag.active ? flag.evaluation.reason : "disabled";
  return (
    <Tr>
      <Td place="title">
        <Link
          href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
          data-row-link=""
          className="break-all font-medium hover:underline"
        >
          {flag.key}
        </Link>
        {flag.name ? <p className="text-muted text-xs">{flag.name}</p> : null}
      </Td>
      <Td label="Value">
        <span
          className={`inline-flex items-center gap-1.5 font-medium text-xs ${on ? "text-success-text" : "text-muted"}`}
        >
          <Icon aria-hidden="true" className="size-3.5 shrink-0" />
          {valueInWords(flag.value)}
        </span>
        {flag.payload === null || flag.payload === undefined ? null : (
          <code className="mt-0.5 block max-w-80 truncate font-mono text-2xs text-faint">
            {typeof flag.payload === "string" ? flag.payload : JSON.stringify(flag.payload)}
          </code>
        )}
      </Td>
      <Td label="Reason" className="text-muted text-xs">
        {reasonText(reason, flag.evaluation.condition_index)}
      </Td>
    </Tr>
  );
}
