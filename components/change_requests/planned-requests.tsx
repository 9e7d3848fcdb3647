import type { Route } from "next";
import type { RequestActions } from "#app/project/[project_id]/change_requests/request-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { Status } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";
import { CancelMoment } from "./apply-at.tsx";
import { askerOf, impactInWords } from "./request-words.ts";

type Props = {
  projectId: string;
  /** Requests that have a moment, the next one first. */
  requests: readonly ChangeRequest[];
  timezone: string;
  access: Access;
  actions: RequestActions;
};

/** Change requests that change a flag at a moment. */
export function PlannedRequests({ projectId, requests, timezone, access, actions }: Props) {
  if (requests.length === 0) return null;
  return (
    <Card title="Scheduled change requests" padded={false}>
      <ul aria-label="Scheduled change requests" className="divide-y border-t">
        {requests.map((request) => {
          const { id, title, apply_at, state, resources, is_requester, approvals_missing } = request;
          return (
            <li key={id} className="flex flex-col gap-2 px-4 py-3 text-sm">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <TextLink
                  href={`/project/${projectId}/change_requests/${id}` as Route}
                  className="min-w-0 break-words font-medium"
                >
                  {title}
                </TextLink>
                {state === "approved" ? (
                  <Status status="scheduled" />
                ) : (
                  <Status status="paused">
                    {plural(approvals_missing, "more approval", "more approvals")} needed
                  </Status>
                )}
              </div>
              <p className="text-muted text-xs">
                {apply_at ? (
                  <>
                    {formatMomentIn(Date.parse(apply_at), timezone)} (<RelativeTime date={apply_at} />) ·{" "}
                  </>
                ) : null}
                by {askerOf(request)}
                {resources.length > 1 ? ` · ${plural(resources.length, "record")} together` : ""} ·{" "}
                {impactInWords(request)}
              </p>
              {is_requester ? (
                <CancelMoment size="sm" {...{ projectId, access, actions }} requestId={id} />
              ) : null}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
