import { ArrowRightLeft } from "lucide-react";
import type { Route } from "next";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { withQuery } from "#components/kit/list/search-params.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { NativeSelect } from "#components/ui/form/native-select.tsx";
import { type Comparable, listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagVersion } from "#lib/flags/feature_flags/history/versions-contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { type DiffLine, diffLines } from "#lib/platform/lines.ts";
import { BackToVersion } from "./back-to-version.tsx";
import { filtersOfVersion } from "./version-filters.ts";

export type Chosen = { from: number; to: number };

type ChooseProps = { path: string; newest: number; chosen: Chosen | null };

/** Chooses two versions to compare; the address keeps them. */
export function ChooseVersions({ path, newest, chosen }: ChooseProps) {
  const options = Array.from({ length: newest }, (_, back) => String(newest - back)).map((number) => ({
    value: number,
    label: `Version ${number}`,
  }));
  return (
    <form action={path} className="flex flex-wrap items-end gap-2" aria-label="Compare two versions">
      <Field label="Compare" className="w-36">
        <NativeSelect
          key={chosen?.from}
          name="from"
          options={options}
          defaultValue={chosen?.from ?? Math.max(1, newest - 1)}
        />
      </Field>
      <Field label="with" className="w-36">
        <NativeSelect key={chosen?.to} name="to" options={options} defaultValue={chosen?.to ?? newest} />
      </Field>
      <Button type="submit">Compare</Button>
      {chosen ? (
        <>
          <ButtonLink
            variant="ghost"
            icon={ArrowRightLeft}
            href={withQuery(path, { from: chosen.to, to: chosen.from }) as Route}
          >
            Swap
          </ButtonLink>
          <ButtonLink variant="ghost" href={path as Route}>
            Close
          </ButtonLink>
        </>
      ) : null}
    </form>
  );
}

type Props = {
  projectId: string;
  flag: FlagRecord;
  before: FlagVersion;
  after: FlagVersion;
  names: Names;
};

/** Two versions of a flag: what differs in words and in JSON, and who would change by going back. */
export function ComparedVersions({ projectId, flag, before, after, names }: Props) {
  const [old, next] = [comparable(before), comparable(after)];
  const earlier = [before, after].find(({ version }) => version !== flag.version);
  const withCurrent = [before, after].some(({ version }) => version === flag.version);
  return (
    <Card title={`From version ${before.version} to version ${after.version}`}>
      <div className="flex flex-col gap-4">
        <ul className="flex flex-col gap-0.5 text-muted text-xs">
          {[before, after].map((version) => (
            <li key={version.version}>
              Version {version.version}:{" "}
              {version.entry.user.first_name || version.entry.user.email || "someone"},{" "}
              <RelativeTime date={version.entry.created_at} />
            </li>
          ))}
        </ul>
        <DifferencesList label="What differs" differences={listFlagDifferences(old, next, names)} />
        <JsonDifferences before={old} after={next} />
        {withCurrent && earlier && !flag.deleted ? (
          <BackToVersion
            projectId={projectId}
            number={earlier.version}
            proposed={{
              id: flag.id,
              key: String(earlier.flag.key),
              active: earlier.flag.active === true,
              filters: filtersOfVersion(earlier),
            }}
          />
        ) : (
          <p className="text-muted text-xs">
            To see whose value would change, compare one of them with the current version.
          </p>
        )}
      </div>
    </Card>
  );
}

const comparable = (version: FlagVersion): Comparable => ({
  ...version.flag,
  filters: filtersOfVersion(version),
});

/** JSON with the members of each object in one order, so that only what differs is different. */
const sortedJson = (value: unknown) =>
  JSON.stringify(
    value,
    (_, each) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    2,
  );

/** Unchanged lines shown around each change. */
const CONTEXT = 3;
const MARKS = { same: " ", removed: "−", added: "+" };

function JsonDifferences({ before, after }: { before: Comparable; after: Comparable }) {
  const lines = diffLines(sortedJson(before), sortedJson(after));
  if (lines.every(({ kind }) => kind === "same")) return null;
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer rounded-xs text-muted hover:text-ink">As JSON</summary>
      <section
        aria-label="Differences as JSON"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls
        tabIndex={0}
        className="focus-inset mt-2 max-h-[30rem] overflow-auto rounded-lg border bg-sunken py-2 font-mono text-xs scroll-thin"
      >
        {shortened(lines).map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
          <Line key={place} line={line} />
        ))}
      </section>
    </details>
  );
}

function Line({ line }: { line: DiffLine | number }) {
  if (typeof line === "number")
    return (
      <p className="px-3 py-1 text-faint">
        {line} unchanged {line === 1 ? "line" : "lines"}
      </p>
    );
  const Tag = line.kind === "removed" ? "del" : line.kind === "added" ? "ins" : "span";
  return (
    <Tag
      className={cn(
        "block w-max min-w-full whitespace-pre px-3 no-underline",
        line.kind === "removed" && "bg-danger-soft text-danger-text",
        line.kind === "added" && "bg-success-soft text-success-text",
      )}
    >
      {MARKS[line.kind]} {line.text}
    </Tag>
  );
}

/** The lines near a change; a number stands for so many that are left out. */
function shortened(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const near = new Set<number>();
  for (const [place, { kind }] of lines.entries())
    if (kind !== "same") for (let at = place - CONTEXT; at <= place + CONTEXT; at++) near.add(at);
  const shown: (DiffLine | number)[] = [];
  for (const [place, line] of lines.entries()) {
    const last = shown.at(-1);
    if (near.has(place)) shown.push(line);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
