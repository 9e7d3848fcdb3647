"use client";

import type { FlagGroup } from "#lib/people/conditions/filters-schema.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";
import { useReach } from "./use-reach.ts";

type Props = {
  projectId: string;
  group: FlagGroup;
  groupTypeIndex: number | null;
  /** false while rows are unfinished. */
  complete?: boolean;
};

/** "Matches 1,204 of 20,000 people", counted live on what is stored. */
export function ReachText({ projectId, group, groupTypeIndex, complete = true }: Props) {
  const found = useReach(projectId, group, groupTypeIndex, complete);
  const unit = groupTypeIndex === null ? "people" : "groups";
  if (found.state === "idle")
    return <span className="text-faint">Complete the rows to count who matches.</span>;
  if (found.state === "counting") return <span className="text-faint">Counting…</span>;
  if (found.state === "failed")
    return <span className="text-warning-text">Could not be counted: {found.problem}</span>;
  const { users_affected, total_users } = found.reach;
  if (total_users === 0)
    return <span className="text-faint">No {unit} stored yet, so there is nobody to count.</span>;
  return (
    <span className="tabular">
      Matches <strong className="font-semibold text-ink">{formatCount(users_affected)}</strong> of{" "}
      {formatCount(total_users)} {unit}
      <span className="text-faint"> ({share(users_affected, total_users)})</span>
    </span>
  );
}

function share(part: number, whole: number): string {
  const fraction = part / whole;
  if (part > 0 && fraction < 0.001) return "less than 0.1%";
  return formatShortPercent(part < whole ? Math.min(fraction, 0.999) : 1, 1);
}
