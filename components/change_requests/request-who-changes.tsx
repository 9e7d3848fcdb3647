"use client";

import type { Route } from "next";
import type { ReactNode } from "react";
import { Count } from "#components/conditions/who_changes/count.tsx";
import { CellRows, moves } from "#components/conditions/who_changes/who-changes.tsx";
import { useCount } from "#components/kit/use-count.ts";
import { TextLink } from "#components/ui/text-link.tsx";
import type { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { RequestWhoChanges as Found } from "#lib/approvals/change_requests/schema.ts";
import { formatCount } from "#lib/platform/format.ts";

const STALE_MS = 5_000;

type Props = { projectId: string; requestId: string; revised: string };

/** Whose value a request changes, counted now: each figure opens those behind it. */
export function RequestWhoChanges({ projectId, requestId, revised }: Props) {
  const counted = useCount<typeof changeRequestContract.who_changes>(
    "/api/projects/{project_id}/change_requests/{id}/who_changes/",
    { params: { project_id: projectId, id: requestId }, body: {} },
    { staleTime: STALE_MS },
  );
  return (
    <div key={revised}>
      <Count label="Counting whose value changes" counted={counted} soFar={changedSoFar}>
        {({ flags }) => (
          <div className="flex flex-col gap-4">
            {flags.map((flag) => (
              <FlagCounts key={flag.id} projectId={projectId} requestId={requestId} flag={flag} />
            ))}
          </div>
        )}
      </Count>
    </div>
  );
}

const changedSoFar = ({ flags }: Found) =>
  flags.map(({ key, changed }) => `${formatCount(changed)} get a different value of ${key}`).join(", ");

type FlagProps = { projectId: string; requestId: string; flag: Found["flags"][number] };

function FlagCounts({ projectId, requestId, flag }: FlagProps) {
  const { id, key, total, cells } = flag;
  const unit = flag.group_type_index === null ? ("people" as const) : ("groups" as const);
  const rows = { projectId, total, unit, proposed: { request: requestId, flag: id, key } };
  const moved = cells.filter(moves);
  const paid = cells.filter((cell) => cell.is_changed && !moves(cell));
  return (
    <FlagSection projectId={projectId} flag={flag}>
      {moved.length > 0 ? <CellRows label={`Who changes: ${key}`} cells={moved} {...rows} /> : null}
      {paid.length > 0 ? (
        <>
          <h4 className="text-muted text-xs">Keep their value and get another payload</h4>
          <CellRows label={`Who gets another payload: ${key}`} cells={paid} {...rows} />
        </>
      ) : null}
    </FlagSection>
  );
}

type SectionProps = {
  projectId: string;
  flag: Pick<Found["flags"][number], "id" | "key" | "is_written" | "changed" | "total" | "group_type_index">;
  children: ReactNode;
};

/** One flag of a request, with how many it concerns. */
export function FlagSection({ projectId, flag, children }: SectionProps) {
  const unit = flag.group_type_index === null ? "people" : "groups";
  return (
    <section aria-label={`Who changes: ${flag.key}`} className="flex flex-col gap-1.5">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 text-xs">
        <TextLink
          href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
          className="break-all font-mono"
        >
          {flag.key}
        </TextLink>
        <span className="tabular text-muted">
          {flag.is_written ? "" : "depends on it · "}
          {formatCount(flag.changed)} of {formatCount(flag.total)} {unit}
        </span>
      </h3>
      {children}
    </section>
  );
}
