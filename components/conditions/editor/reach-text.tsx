"use client";

import type { Route } from "next";
import { useRef } from "react";
import { Link } from "#components/ui/link.tsx";
import type { FlagGroup } from "#lib/people/conditions/filters-schema.ts";
import { percentText, shareOf } from "#lib/people/conditions/words.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";
import { useNear } from "./use-near.ts";
import { useReach } from "./use-reach.ts";

type Props = {
  projectId: string;
  group: FlagGroup;
  groupTypeIndex: number | null;
  /** false while rows are unfinished. */
  complete?: boolean;
};

/** "Matches 1,204 of 20,000 people", counted live on what is stored, once it is on the screen or near it. */
export function ReachText(props: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const near = useNear(place, "400px");
  return <span ref={place}>{near ? <Reach {...props} /> : <Counting />}</span>;
}

type Part = { seen: number; of: number | null };

function Counting({ part = null }: { part?: Part | null }) {
  const soFar = part?.of ? ` ${formatCount(part.seen)} of ${formatCount(part.of)}` : "";
  return <span className="tabular text-faint">Counting…{soFar}</span>;
}

function Reach({ projectId, group, groupTypeIndex, complete = true }: Props) {
  const found = useReach(projectId, group, groupTypeIndex, complete);
  const unit = groupTypeIndex === null ? "people" : "groups";
  if (found.state === "idle")
    return <span className="text-faint">Complete the rows to count who matches.</span>;
  if (found.state === "counting" || found.state === "stopped") return <Counting part={found.part} />;
  if (found.state === "failed")
    return <span className="text-warning-text">Could not be counted: {found.problem}</span>;
  const { users_affected, total_users } = found.found;
  if (total_users === 0)
    return <span className="text-faint">No {unit} stored yet, so there is nobody to count.</span>;
  const percent = shareOf(group);
  const path = groupTypeIndex === null ? pathOfPeople(projectId, group) : null;
  return (
    <span className="tabular">
      Matches{" "}
      {path === null ? (
        <strong className="font-semibold text-ink">{formatCount(users_affected)}</strong>
      ) : (
        <Link
          href={path}
          target="_blank"
          title="Show these people"
          className="font-semibold text-ink underline decoration-line-strong underline-offset-[3px] hover:decoration-current"
        >
          {formatCount(users_affected)}
        </Link>
      )}{" "}
      of {formatCount(total_users)} {unit}
      <span className="text-faint"> ({share(users_affected, total_users)})</span>
      {percent < 100 && users_affected > 0 ? (
        <> · {percent === 0 ? "none of them get it" : `${percentText(percent)} of them get it`}</>
      ) : null}
    </span>
  );
}

/** The list of the people who match; null where it cannot be asked for them. */
function pathOfPeople(projectId: string, { properties = [] }: FlagGroup): Route | null {
  const rows = properties ?? [];
  if (!rows.every(({ type }) => type === "person" || type === "cohort")) return null;
  const query = rows.length > 0 ? `?${new URLSearchParams({ properties: JSON.stringify(rows) })}` : "";
  return `/project/${projectId}/persons${query}` as Route;
}

function share(part: number, whole: number): string {
  const fraction = part / whole;
  if (part > 0 && fraction < 0.001) return "less than 0.1%";
  return formatShortPercent(part < whole ? Math.min(fraction, 0.999) : 1, 1);
}
