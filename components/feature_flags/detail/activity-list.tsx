import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { type Difference, listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const VERBS: Record<string, string> = {
  created: "created the flag",
  deleted: "deleted the flag",
  restored: "restored the flag",
};

/** What an entry of the activity log changed, in words. */
export function entryDifferences(entry: ActivityEntry, names: Names): Difference[] {
  const changes = entry.detail.changes.filter((change) => change.field !== "version");
  const side = (which: "before" | "after") =>
    Object.fromEntries(changes.map((change) => [change.field, change[which] ?? undefined]));
  const ramps = changes.filter(({ field }) => field === "ramp");
  return [
    ...listFlagDifferences(withGroups(side("before")), withGroups(side("after")), names),
    ...ramps.map(({ before, after }) => ({ what: "Ramp", before: wordOf(before), after: wordOf(after) })),
  ];
}

/** A status of a ramp: "rolled back". */
const wordOf = (status: unknown): string => String(status).replaceAll("_", " ");

/** Filters in the log may lack their sets, as they were stored. */
function withGroups(side: Record<string, unknown>) {
  const filters = side.filters as { groups?: unknown } | undefined;
  if (!filters) return { ...side, filters: undefined };
  return { ...side, filters: { ...filters, groups: Array.isArray(filters.groups) ? filters.groups : [] } };
}

const CAUSES: Record<string, string> = {
  scheduled_change: "by a schedule ",
  ramp: "by a ramp ",
  rollback_conditions: "by its rollback conditions ",
};

/** What made an entry, where that was not somebody at the form: "by a schedule ", with the space after it. */
export function causeOf({ detail: { trigger } }: ActivityEntry): string | null {
  if (typeof trigger !== "object" || trigger === null || !("job_type" in trigger)) return null;
  return CAUSES[String(trigger.job_type)] ?? null;
}

/** Entries of the activity log with what each changed. */
export function ActivityList({ entries, names }: { entries: readonly ActivityEntry[]; names: Names }) {
  if (entries.length === 0) return <p className="text-muted text-sm">No activity yet.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {entries.map((entry) => {
        const differences = entryDifferences(entry, names);
        const who = entry.user.first_name || entry.user.email || "Someone";
        return (
          <li key={entry.id} className="flex flex-col gap-0.5 border-l-2 pl-3 text-xs">
            <p className="text-muted">
              <span className="font-medium text-ink">{who}</span>{" "}
              {VERBS[entry.activity] ?? (differences.length > 0 ? "changed" : "saved without changes")}{" "}
              {causeOf(entry)}
              <RelativeTime date={entry.created_at} className="text-faint" />
            </p>
            {differences.map((difference, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the log never changes
              <p key={place} className="min-w-0 break-words text-muted">
                <span className="text-faint">{difference.what}: </span>
                {difference.before === null ? (
                  "new: "
                ) : (
                  <del className="text-faint decoration-line-strong">{difference.before}</del>
                )}{" "}
                {difference.after === null ? (
                  "removed"
                ) : (
                  <ins className="text-ink no-underline">{difference.after}</ins>
                )}
              </p>
            ))}
          </li>
        );
      })}
    </ol>
  );
}
