import type { Route } from "next";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { plural } from "#lib/platform/format.ts";
import { askerOf, impactInWords, needsApproval, stateOf } from "./request-words.ts";

type Props = { projectId: string; requests: readonly ChangeRequest[] };

/** The change requests of a page. */
export function RequestTable({ projectId, requests }: Props) {
  return (
    <RowKeys noun="request">
      <Table caption="Change requests" minWidth="sm:min-w-[44rem]">
        <TableHead>
          {["Request", "State", "Impact", "Requested by"].map((column) => (
            <Th key={column}>{column}</Th>
          ))}
        </TableHead>
        <TableBody>
          {requests.map((request) => (
            <RequestRow key={request.id} projectId={projectId} request={request} />
          ))}
        </TableBody>
      </Table>
    </RowKeys>
  );
}

function RequestRow({ projectId, request }: { projectId: string; request: ChangeRequest }) {
  const { id, title, state, approvals_missing, created_at, bypass_reason } = request;
  const { word, tone } = stateOf(request);
  return (
    <Tr dimmed={state === "rejected" || state === "expired"}>
      <Td place="title" className="sm:w-80">
        <Link
          href={`/project/${projectId}/change_requests/${id}` as Route}
          data-row-link=""
          className="break-words font-medium hover:underline"
        >
          {title}
        </Link>
      </Td>
      <Td label="State">
        <span className="flex flex-wrap items-center gap-1.5">
          <Badge tone={tone}>{word}</Badge>
          {bypass_reason === null ? null : <Badge tone="danger">Bypassed</Badge>}
          {state === "pending" && needsApproval(request) && approvals_missing > 0 ? (
            <span className="text-muted text-xs">
              {plural(approvals_missing, "more approval", "more approvals")} needed
            </span>
          ) : null}
        </span>
      </Td>
      <Td label="Impact" className="text-xs">
        {impactInWords(request)}
      </Td>
      <Td label="Requested by" className="text-muted text-xs">
        {askerOf(request)}, <RelativeTime date={created_at} />
      </Td>
    </Tr>
  );
}
