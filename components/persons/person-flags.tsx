"use client";

import { ChevronRight, CircleCheck, CircleSlash, Pin } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import type { z } from "zod";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Code } from "#components/ui/display/code-block.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, TableMessage, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { SearchInput } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { reasonText } from "#lib/flags/feature_flags/evaluation/reasons.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { personFlag } from "#lib/people/persons/schema.ts";
import { exactTime } from "#lib/platform/format.ts";
import { FlagExplanation } from "./flag-explanation.tsx";
import { PinButton, type Pinning, RemovePinButton } from "./pin-buttons.tsx";

type PersonFlag = z.output<typeof personFlag>;
type Props = {
  projectId: string;
  personId: string;
  /** The id that flags are evaluated for, and all that can be chosen. */
  distinctId: string;
  distinctIds: readonly string[];
  servedSince: string | null;
  flags: readonly PersonFlag[];
  /** Whether the key may read how a flag is evaluated. */
  mayExplain: boolean;
  /** Names of the cohorts in conditions. */
  cohorts: Names["cohorts"];
  /** What pinning a value needs; null: the key may not. */
  pinning: Pinning | null;
};

type State = "all" | "on" | "off" | "pinned" | "differs";

const STATES: readonly { value: State; label: string }[] = [
  { value: "all", label: "All" },
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
  { value: "pinned", label: "Pinned" },
  { value: "differs", label: "Differs from served" },
];

const isIn = (state: State, flag: PersonFlag): boolean =>
  state === "all" ||
  (state === "differs"
    ? flag.differs === true
    : state === "pinned"
      ? flag.pin !== null
      : (flag.value !== false) === (state === "on"));

/** What every flag gives this person now, and why; beside it, what applications received last. */
export function PersonFlags(props: Props) {
  const { projectId, personId, distinctId, distinctIds, servedSince, flags, mayExplain, pinning } = props;
  const [search, setSearch] = useState("");
  const [state, setState] = useState<State>("all");
  const router = useRouter();
  if (flags.length === 0)
    return (
      <EmptyState title="No flags yet">
        Once the project has flags, their values for this person appear here.
      </EmptyState>
    );
  const needle = search.trim().toLowerCase();
  const shown = flags.filter(
    (flag) => isIn(state, flag) && `${flag.key} ${flag.name}`.toLowerCase().includes(needle),
  );
  const names: Names = {
    flags: new Map(flags.map((flag) => [String(flag.id), flag.key])),
    ...(props.cohorts && { cohorts: props.cohorts }),
  };
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
        {distinctIds.length > 1 ? (
          <Select
            label="Distinct id evaluated for"
            look="button"
            size="sm"
            value={distinctId}
            options={distinctIds.map((id) => ({ value: id, label: id }))}
            onValueChange={(id) =>
              router.push(
                `/project/${projectId}/persons/${personId}?tab=flags&distinct_id=${encodeURIComponent(id)}` as Route,
              )
            }
            className="min-w-0 max-w-full sm:max-w-64"
          />
        ) : null}
        <p aria-live="polite" className="tabular min-w-0 break-words text-muted text-xs">
          {`${shown.length} of ${flags.length} flags, evaluated now for`} <Code>{distinctId}</Code>
        </p>
      </div>
      <Table caption="Flags of this person" minWidth="sm:min-w-[46rem]">
        <TableHead>
          <Th>Flag</Th>
          <Th>Value now</Th>
          <Th>Last served</Th>
          <Th>Reason</Th>
          <Th>
            <span className="sr-only">Explanation</span>
          </Th>
        </TableHead>
        <TableBody>
          {shown.map((flag) => (
            <Row
              key={flag.id}
              flag={flag}
              {...{ projectId, personId, distinctId, names, mayExplain }}
              pinning={pinning}
              idCount={distinctIds.length}
            />
          ))}
          {shown.length === 0 ? <TableMessage columns={5}>No flags match.</TableMessage> : null}
        </TableBody>
      </Table>
      {servedSince === null ? null : (
        <p className="pt-3 text-muted text-xs">
          Served values are from this person’s newest 10,000 events, which begin on{" "}
          {exactTime(servedSince, false)}.
        </p>
      )}
    </RowKeys>
  );
}

type RowProps = {
  projectId: string;
  personId: string;
  distinctId: string;
  flag: PersonFlag;
  names: Names;
  mayExplain: boolean;
  pinning: Pinning | null;
  idCount: number;
};

function Row({ projectId, personId, distinctId, flag, names, mayExplain, pinning, idCount }: RowProps) {
  const [open, setOpen] = useState(false);
  const detail = useId();
  const reason = flag.active ? flag.evaluation.reason : "disabled";
  return (
    <>
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
        <Td label="Value now">
          <Value value={flag.value} />
          {flag.payload === null || flag.payload === undefined ? null : (
            <code className="mt-0.5 block max-w-80 truncate font-mono text-2xs text-faint">
              {typeof flag.payload === "string" ? flag.payload : JSON.stringify(flag.payload)}
            </code>
          )}
          <OtherIds others={flag.other_ids} />
        </Td>
        <Td label="Last served">
          <Served flag={flag} distinctId={distinctId} />
        </Td>
        <Td label="Reason" className="text-muted text-xs">
          {reasonText(reason, flag.evaluation.condition_index)}
          <PinFacts pin={flag.pin} />
          {pinning ? <RemovePinButton {...pinning} {...{ projectId, flag }} /> : null}
        </Td>
        <Td place="corner" align="right" className="whitespace-nowrap">
          {mayExplain ? (
            <button
              type="button"
              aria-expanded={open}
              aria-controls={open ? detail : undefined}
              onClick={() => setOpen(!open)}
              className="inline-flex items-center gap-1 rounded-xs text-muted text-xs hover:text-ink"
            >
              <ChevronRight
                aria-hidden="true"
                className={`size-3.5 transition-transform ${open ? "rotate-90" : ""}`}
              />
              Why<span className="sr-only"> {flag.key}</span>
            </button>
          ) : null}
          {pinning ? <PinButton {...pinning} {...{ projectId, flag, idCount }} /> : null}
        </Td>
      </Tr>
      {open ? (
        <tr id={detail} className="max-sm:block">
          <td colSpan={5} className="bg-sunken/50 px-3 py-3 max-sm:block">
            <FlagExplanation flagId={flag.id} {...{ projectId, personId, distinctId, names }} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function Value({ value }: { value: boolean | string }) {
  const on = value !== false;
  const Icon = on ? CircleCheck : CircleSlash;
  return (
    <span
      className={`inline-flex items-center gap-1.5 font-medium text-xs ${on ? "text-success-text" : "text-muted"}`}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      {valueInWords(value)}
    </span>
  );
}

/** Why and until when a value is pinned. */
function PinFacts({ pin }: Pick<PersonFlag, "pin">) {
  if (!pin) return null;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-1.5">
      <Badge tone="accent" icon={Pin}>
        Pinned
      </Badge>
      {pin.until ? (
        <span>
          ends <RelativeTime date={pin.until} />
        </span>
      ) : null}
      {pin.reason ? <span className="min-w-0 break-words">“{pin.reason}”</span> : null}
    </p>
  );
}

/** Ids of the same person that get something else. */
function OtherIds({ others }: { others: PersonFlag["other_ids"] }) {
  const [first] = others;
  if (!first) return null;
  const list = others.map(({ distinct_id, value }) => `${distinct_id}: ${valueInWords(value)}`).join(", ");
  return <p className="mt-0.5 max-w-80 break-all text-2xs text-warning-text">Other ids differ: {list}</p>;
}

function Served({ flag: { served, differs }, distinctId }: Pick<RowProps, "flag" | "distinctId">) {
  if (!served) return <span className="text-faint text-xs">Never</span>;
  const sdk = [served.lib, served.lib_version].filter(Boolean).join(" ");
  const version = served.flag_version === null ? null : `flag version ${served.flag_version}`;
  const by = [sdk, version].filter(Boolean).join(", ");
  return (
    <>
      <span className="inline-flex flex-wrap items-center gap-1.5">
        {served.value === null ? (
          <span className="text-muted text-xs">no value</span>
        ) : (
          <Value value={served.value} />
        )}
        {differs ? <Badge tone="warning">Differs</Badge> : null}
      </span>
      <p className="text-2xs text-faint">
        <RelativeTime date={served.timestamp} />
        {by ? ` by ${by}` : ""}
        {served.distinct_id === distinctId ? null : (
          <span className="break-all">{` to ${served.distinct_id}`}</span>
        )}
      </p>
    </>
  );
}
