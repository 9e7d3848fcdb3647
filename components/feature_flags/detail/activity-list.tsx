import type { Route } from "next";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { entryDifferences, pinnedPersonHref, scheduleHref } from "#lib/app/activity/differences.ts";
import { causeOf } from "#lib/flags/feature_flags/history/differences.ts";
import { SCHEDULE_VERBS } from "#lib/flags/scheduled_changes/verbs.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const VERBS: Record<string, string> = {
  created: "created the flag",
  deleted: "deleted the flag",
  restored: "restored the flag",
  ...Object.fromEntries(Object.entries(SCHEDULE_VERBS).map(([did, verb]) => [did, `${verb} the flag`])),
};

type Props = { projectId: string; entries: readonly ActivityEntry[]; names: Names };

/** Entries of the activity log with what each changed. */
export function ActivityList({ projectId, entries, names }: Props) {
  if (entries.length === 0) return <p className="text-muted text-sm">No activity yet.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {entries.map((entry) => {
        const differences = entryDifferences(entry, names);
        const schedule = scheduleHref(projectId, entry);
        const pinned = pinnedPersonHref(projectId, entry);
        const who = entry.user.first_name || entry.user.email || "Someone";
        return (
          <li key={entry.id} className="flex flex-col gap-0.5 border-l-2 pl-3 text-xs">
            <p className="text-muted">
              <span className="font-medium text-ink">{who}</span>{" "}
              {VERBS[entry.activity] ??
                (differences.length > 0 ? "changed the flag" : "saved without changes")}{" "}
              {causeOf(entry)} <RelativeTime date={entry.created_at} className="text-faint" />
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
            {schedule ? <TextLink href={schedule as Route}>See the schedule</TextLink> : null}
            {pinned ? <TextLink href={pinned as Route}>See the person</TextLink> : null}
          </li>
        );
      })}
    </ol>
  );
}
