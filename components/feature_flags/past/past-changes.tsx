import type { Route } from "next";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { personName } from "#components/kit/person-name.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ChangedFlag } from "#lib/flags/feature_flags/past/past-contract.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";

const CHANGES = {
  created: "Created",
  deleted: "Deleted",
  restored: "Restored",
  changed: "Changed",
  none: "Changed and changed back",
} as const;

const SHOWN = 3;

type Props = {
  projectId: string;
  changes: readonly ChangedFlag[];
  /** How many flags there are, those included that are not shown. */
  count: number;
  from: number;
  to: number;
  zone: string;
};

/** What became of each flag between two moments, and who did it. */
export function PastChanges({ projectId, changes, count, from, to, zone }: Props) {
  const more = count - changes.length;
  return (
    <Card
      title="What changed"
      description={`From ${formatMomentIn(from, zone)} to ${formatMomentIn(to, zone)}`}
      padded={false}
    >
      {changes.length === 0 ? (
        <p className="border-t px-4 py-3 text-muted text-sm">No flag was changed in this time.</p>
      ) : (
        <ul aria-label="Changed flags" className="divide-y border-t">
          {changes.map((flag) => (
            <li key={flag.id} className="flex flex-col gap-2 px-4 py-3 text-sm">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <TextLink
                  href={`/project/${projectId}/feature_flags/${flag.id}/history` as Route}
                  className="min-w-0 break-words font-medium"
                >
                  {flag.key}
                </TextLink>
                <Badge>{CHANGES[flag.change]}</Badge>
              </div>
              {flag.differences.length > 0 ? (
                <DifferencesList label={`What changed of ${flag.key}`} differences={flag.differences} />
              ) : null}
              <p className="text-muted text-xs">{savesInWords(flag, zone)}</p>
            </li>
          ))}
        </ul>
      )}
      {more > 0 ? (
        <p className="border-t px-4 py-3 text-muted text-sm">{`${plural(more, "more flag")} changed. Choose a shorter time to see them.`}</p>
      ) : null}
    </Card>
  );
}

/** "Saved by Ada on Tue, 24 Nov 2026, 02:13 UTC, and 4 times before". */
function savesInWords({ saves, save_count }: ChangedFlag, zone: string): string {
  const shown = saves
    .slice(0, SHOWN)
    .map(
      ({ at, user, by_schedule }) =>
        `${personName(user) ?? "the system"}${by_schedule ? " (by a schedule)" : ""}, ${formatMomentIn(Date.parse(at), zone)}`,
    );
  const rest = save_count - shown.length;
  return `Saved by ${shown.join("; ")}${rest > 0 ? `; and ${plural(rest, "time")} before` : ""}`;
}
