import type { ReactNode } from "react";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { formatLongDay } from "#lib/platform/format.ts";
import { LogEntry, type ReadEntry } from "./log-entry.tsx";

type Props = {
  projectId: string;
  entries: readonly ActivityEntry[];
  names: Names;
  /** IANA name: whose days the log is divided into. */
  timeZone: string;
  now: number;
  /** How a resource describes its own entries, if it does. */
  read?: ReadEntry | undefined;
  /** What can be done with an entry. */
  actions?: ((entry: ActivityEntry) => ReactNode) | undefined;
};

/** Entries of the log, newest first, under the days on which they were made. */
export function Log({ projectId, entries, names, timeZone, now, read, actions }: Props) {
  return (
    <div className="flex flex-col gap-5">
      {byDay(entries, timeZone).map(([day, members]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`} className="mb-1.5 font-medium text-muted text-xs">
            {dayInWords(day, timeZone, now)}
          </h2>
          <ol className="divide-y overflow-clip rounded-lg border bg-surface shadow-card">
            {members.map((entry) => (
              <LogEntry key={entry.id} projectId={projectId} entry={entry} names={names} read={read}>
                {actions?.(entry)}
              </LogEntry>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** Swedish dates are written YYYY-MM-DD. */
const dayOf = (moment: number, timeZone: string) =>
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" }).format(moment);

function byDay(entries: readonly ActivityEntry[], timeZone: string): [string, ActivityEntry[]][] {
  const days = new Map<string, ActivityEntry[]>();
  for (const entry of entries) {
    const day = dayOf(Date.parse(entry.created_at), timeZone);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

function dayInWords(day: string, timeZone: string, now: number): string {
  if (day === dayOf(now, timeZone)) return "Today";
  if (day === dayOf(now - 86_400_000, timeZone)) return "Yesterday";
  return formatLongDay(Date.parse(day));
}
