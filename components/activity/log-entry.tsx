import { ChevronRight } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { Avatar } from "#components/ui/display/avatar.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { entryDifferences, pinnedPersonHref, scheduleHref } from "#lib/app/activity/differences.ts";
import { kindLabel, kindNoun, recordHref, verbOf } from "#lib/app/activity/words.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const SHOWN = 4;

/** What was done, as a verb, and the differences; null to describe them as those of any record. */
export type ReadEntry = (entry: ActivityEntry) => { verb: string | null; differences: Difference[] } | null;

type Props = {
  projectId: string;
  entry: ActivityEntry;
  names: Names;
  read?: ReadEntry | undefined;
  children?: ReactNode;
};

/** One action: who did what to which record, the differences in words, and the raw values on demand. */
export function LogEntry({ projectId, entry, names, read, children }: Props) {
  const who = entry.user.first_name || entry.user.email || "Someone";
  const own = read?.(entry) ?? null;
  const differences = own?.differences ?? entryDifferences(entry, names);
  const href = recordHref(projectId, entry.scope, entry.item_id);
  const schedule = scheduleHref(projectId, entry);
  const pinned = pinnedPersonHref(projectId, entry);
  const name = entry.detail.name ?? entry.item_id ?? "";
  return (
    <li data-row="" className="group/row flex gap-3 px-3 py-2.5 hover:bg-hover/60">
      <Avatar name={who} className="mt-0.5" />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <p className="min-w-0 flex-1 basis-64 text-muted text-sm">
            <span className="font-medium text-ink" title={entry.user.email ?? undefined}>
              {who}
            </span>{" "}
            {own?.verb ?? verbOf(entry.activity, entry.scope)} {kindNoun(entry.scope)}{" "}
            {href ? (
              <TextLink href={href} className="break-words font-medium">
                {name}
              </TextLink>
            ) : (
              <span className="break-words font-medium text-ink">{name}</span>
            )}
          </p>
          <span className="flex items-center gap-2 text-faint text-xs">
            <Badge>{kindLabel(entry.scope)}</Badge>
            <RelativeTime date={entry.created_at} className="whitespace-nowrap" />
          </span>
        </div>
        <Changes entry={entry} differences={differences} />
        {schedule ? (
          <TextLink href={schedule as Route} className="w-fit text-xs">
            See the schedule
          </TextLink>
        ) : null}
        {pinned ? (
          <TextLink href={pinned as Route} className="w-fit text-xs">
            See the person
          </TextLink>
        ) : null}
        {children}
      </div>
    </li>
  );
}

function Changes({ entry, differences }: { entry: ActivityEntry; differences: Difference[] }) {
  const { changes } = entry.detail;
  if (changes.length === 0) return null;
  const first = differences.slice(0, differences.length > SHOWN + 1 ? SHOWN : SHOWN + 1);
  const rest = differences.slice(first.length);
  const side = (which: "before" | "after") =>
    JSON.stringify(Object.fromEntries(changes.map((change) => [change.field, change[which]])), null, 2);
  return (
    <>
      {first.length > 0 ? <DifferencesList label="What changed" differences={first} /> : null}
      <details className="group/raw text-xs">
        <summary className="inline-flex items-center gap-1 rounded-sm py-0.5 pr-1.5 text-faint hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 transition-transform group-open/raw:rotate-90"
          />
          {rest.length > 0
            ? `${rest.length} more changes, with the values before and after`
            : "Values before and after"}
        </summary>
        <div className="mt-1.5 flex flex-col gap-2">
          {rest.length > 0 ? <DifferencesList label="More changes" differences={rest} /> : null}
          <div className="grid gap-2 lg:grid-cols-2">
            <CodeBlock title="Before" code={side("before")} />
            <CodeBlock title="After" code={side("after")} />
          </div>
        </div>
      </details>
    </>
  );
}
