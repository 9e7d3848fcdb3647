"use client";

import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Count } from "#components/conditions/who_changes/count.tsx";
import { OpeningRow } from "#components/conditions/who_changes/opening-row.tsx";
import { useCount } from "#components/kit/use-count.ts";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type {
  ReplayAnswer,
  ReplayCause,
  ReplayRequest,
  ReplayRows,
  ReplayValue,
  replayContract,
} from "#lib/flags/feature_flags/replay/replay-contract.ts";
import { formatCount, formatShortPercent, plural } from "#lib/platform/format.ts";
import { ReplayPeople } from "./replay-people.tsx";

type Cell = ReplayAnswer["cells"][number];

const differs = ({ before, after }: Cell) => (before ?? false) !== (after ?? false);

const valueOrNone = (value: ReplayValue) => (value === null ? "no value" : valueInWords(value));

/** Figures must be current where somebody looks for an incident. */
const STALE_MS = 60_000;

type Props = { projectId: string; request: ReplayRequest };

/** The recorded calls of a flag, answered again: counted, with its progress, and then shown. */
export function ReplayResult({ projectId, request }: Props) {
  const counted = useCount<typeof replayContract.replay>(
    "/api/projects/{project_id}/feature_flags/replay/",
    { params: { project_id: projectId }, body: request },
    { staleTime: STALE_MS },
  );
  return (
    <Count label="Replaying recorded calls" noun="calls" counted={counted} soFar={differingSoFar}>
      {(found) => <Found projectId={projectId} request={request} found={found} />}
    </Count>
  );
}

const differingSoFar = ({ differing }: ReplayAnswer) =>
  `${formatCount(differing.calls)} would be answered differently`;

function Found({ found, ...of }: Props & { found: ReplayAnswer }) {
  if (found.calls === 0)
    return (
      <>
        <p className="text-muted text-sm">No SDK has reported a call to this flag in these days.</p>
        <Deleted found={found} />
      </>
    );
  const staying = found.cells.filter((cell) => !differs(cell));
  return (
    <div className="flex flex-col gap-6 text-sm">
      <section aria-label="What would differ" className="flex flex-col gap-3">
        <Headline found={found} />
        <Cells
          {...of}
          label="Calls that would differ"
          cells={found.cells.filter(differs)}
          total={found.calls}
        />
        {staying.length > 0 ? (
          <details className="text-xs">
            <summary className="cursor-pointer rounded-xs text-faint hover:text-ink">
              Unchanged:{" "}
              {plural(
                staying.reduce((sum, cell) => sum + cell.calls, 0),
                "call",
              )}
            </summary>
            <Cells
              {...of}
              label="Calls that stay the same"
              cells={staying}
              total={found.calls}
              className="mt-1.5"
            />
          </details>
        ) : null}
        <ByDay found={found} />
        <Deleted found={found} />
      </section>
      <Unexplained {...of} found={found} />
      <Flips {...of} found={found} />
    </div>
  );
}

function Deleted({ found }: { found: ReplayAnswer }) {
  if (!found.deleted_before) return null;
  return (
    <p className="text-muted text-xs">
      Calls before {found.deleted_before.slice(0, 10)} (UTC) are no longer stored here and are not replayed.
    </p>
  );
}

function Headline({ found }: { found: ReplayAnswer }) {
  const { differing } = found;
  if (differing.calls === 0)
    return (
      <p>
        All {plural(found.calls, "call")} by {plural(found.people, "person", "people")} would be answered as
        recorded.
      </p>
    );
  return (
    <p>
      <strong className="tabular font-semibold">{formatCount(differing.calls)}</strong> of{" "}
      {plural(found.calls, "call")} by{" "}
      <strong className="tabular font-semibold">{formatCount(differing.people)}</strong> of{" "}
      {plural(found.people, "person", "people")} would be answered differently: the first{" "}
      <RelativeTime date={differing.first ?? found.as_of} />, the last{" "}
      <RelativeTime date={differing.last ?? found.as_of} />.
    </p>
  );
}

type CellsProps = Props & { label: string; cells: readonly Cell[]; total: number; className?: string };

function Cells({ label, cells, total, className, ...of }: CellsProps) {
  if (cells.length === 0) return null;
  return (
    <ul aria-label={label} className={cn("divide-y rounded-md border bg-sunken", className)}>
      {cells.map((cell) => (
        <OpenRow
          key={JSON.stringify([cell.before, cell.after])}
          {...of}
          rows={{ of: "cell", before: cell.before, after: cell.after }}
          people={cell.people}
          figures={
            <>
              {plural(cell.calls, "call")} · {formatShortPercent(cell.calls / total, 1)}
            </>
          }
        >
          <Badge>{valueOrNone(cell.before)}</Badge>
          <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
          <span className="sr-only">to</span>
          <Badge tone={cell.after === false || cell.after === null ? "neutral" : "accent"}>
            {valueOrNone(cell.after)}
          </Badge>
        </OpenRow>
      ))}
    </ul>
  );
}

type OpenRowProps = Props & { rows: ReplayRows; people: number; figures?: ReactNode; children: ReactNode };

/** A count that opens the people behind it. */
const OpenRow = ({ rows, people, figures, children, ...of }: OpenRowProps) => (
  <OpeningRow people={() => <ReplayPeople {...of} rows={rows} count={people} />}>
    {children}
    <span className="tabular ml-auto flex items-center gap-x-3 text-right">
      {figures ? <span className="text-muted text-xs">{figures}</span> : null}
      <span className="font-medium">{plural(people, "person", "people")}</span>
    </span>
  </OpeningRow>
);

function ByDay({ found }: { found: ReplayAnswer }) {
  const series = [
    { key: "differing", name: "Would differ", of: (day: ReplayAnswer["by_day"][number]) => day.differing },
    { key: "calls", name: "All calls", of: (day: ReplayAnswer["by_day"][number]) => day.calls },
  ];
  return (
    <TimeChart
      title="Calls by day"
      level={3}
      caption="By day in UTC."
      measure={{ unit: "count" }}
      fromZero
      height={160}
      series={series.map(({ key, name, of }) => ({
        key,
        name,
        points: found.by_day.map((each) => ({ at: each.day, value: of(each) })),
      }))}
    />
  );
}

const CAUSES: Record<ReplayCause, { name: string; text: string }> = {
  pinned: {
    name: "Pinned value",
    text: "The person is pinned to this value.",
  },
  before_first_version: {
    name: "Before its first version",
    text: "The flag was created or imported here after these calls, so no version of that time is stored.",
  },
  wrong_runtime: {
    name: "Another runtime",
    text: "The flag was for servers only or clients only, and the call came from the other kind of library.",
  },
  no_value: {
    name: "No value yet",
    text: "The library had no value, for example because flags were still loading.",
  },
  earlier_version: {
    name: "Version before",
    text: "The value is that of the version before: the library had older definitions.",
  },
  other_distinct_id: {
    name: "Another distinct id",
    text: "The value is that of another distinct id of the person, as before signing in.",
  },
  not_explained: {
    name: "Not explained",
    text: "No likely cause was found. Properties may have been different at the time, or code may override the value.",
  },
};

function Unexplained({ found, ...of }: Props & { found: ReplayAnswer }) {
  const { unexplained } = found;
  return (
    <section
      aria-label="Values that the version of the time does not explain"
      className="flex flex-col gap-2"
    >
      <h3 className="font-semibold">Unexplained values</h3>
      {unexplained.calls === 0 ? (
        <p className="text-muted">The version stored at the time explains every recorded value.</p>
      ) : (
        <>
          <p className="text-muted">
            No version stored at the time gives the recorded value of {plural(unexplained.calls, "call")} by{" "}
            {plural(unexplained.people, "person", "people")}. The causes are likely, not proven.
          </p>
          <ul aria-label="Likely causes" className="divide-y rounded-md border bg-sunken">
            {unexplained.causes.map(({ cause, calls, people }) => (
              <OpenRow
                key={cause}
                {...of}
                rows={{ of: "cause", cause }}
                people={people}
                figures={plural(calls, "call")}
              >
                <span className="min-w-0">
                  <span className="block font-medium">{CAUSES[cause].name}</span>
                  <span className="block text-muted text-xs">{CAUSES[cause].text}</span>
                </span>
              </OpenRow>
            ))}
          </ul>
        </>
      )}
      <Callout tone="info">
        Events do not store what was known of a person at the time. Persons, groups, cohorts and other flags
        are taken as they are now, so a value can also differ because they changed since.
      </Callout>
    </section>
  );
}

function Flips({ found, ...of }: Props & { found: ReplayAnswer }) {
  const flips = found.sign_in_flips;
  if (flips === null) return null;
  return (
    <section aria-label="Values that flip on sign-in" className="flex flex-col gap-2">
      <h3 className="font-semibold">Flips on sign-in</h3>
      {flips === 0 ? (
        <p className="text-muted">
          Of these people, everyone gets the same value under all their distinct ids.
        </p>
      ) : (
        <>
          <p className="text-muted">
            Some people get another value under another of their distinct ids, so it flips when they sign in.
            “Keeps its value across sign-in” prevents this.
          </p>
          <ul aria-label="Flips on sign-in" className="divide-y rounded-md border bg-sunken">
            <OpenRow {...of} rows={{ of: "flips" }} people={flips}>
              Value depends on the distinct id
            </OpenRow>
          </ul>
        </>
      )}
    </section>
  );
}
