import type { Route } from "next";
import { DeletedNote, UnreadableNote } from "#components/kit/deleted-note.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { responseInWords } from "./usage-chart.tsx";

/** One call: who asked, what they got, and when. */
type Call = { id: string; distinct_id: string; timestamp: string; properties: Record<string, unknown> };

type Props = {
  projectId: string;
  calls: readonly Call[];
  older: Route | null;
  /** Back to the latest, from older ones. */
  latest: Route | null;
  deleted_before: string | null;
  unreadable: { from: string; to: string } | null;
};

/** The calls behind the figures, the latest first. */
export function CallList({ projectId, calls, older, latest, deleted_before, unreadable }: Props) {
  if (calls.length === 0)
    return (
      <>
        <p className="text-muted text-sm">{latest ? "There are no older calls." : "No calls yet."}</p>
        <UnreadableNote days={unreadable} />
        <DeletedNote before={deleted_before} figures />
      </>
    );
  return (
    <>
      <UnreadableNote days={unreadable} />
      <Table caption="Latest calls">
        <TableHead>
          <Th>Called for</Th>
          <Th>Value</Th>
          <Th>SDK</Th>
          <Th>When</Th>
        </TableHead>
        <TableBody>
          {calls.map(({ id, distinct_id, timestamp, properties }) => (
            <Tr key={id}>
              <Td label="Called for" className="break-all">
                <Link
                  href={
                    `/project/${projectId}/persons?${new URLSearchParams({ search: distinct_id })}` as Route
                  }
                  className="rounded-xs hover:text-accent-text hover:underline"
                >
                  {distinct_id}
                </Link>
              </Td>
              <Td label="Value">
                <Badge>{responseInWords(String(properties.$feature_flag_response ?? ""))}</Badge>
              </Td>
              <Td label="SDK" className="text-muted">
                {typeof properties.$lib === "string" ? properties.$lib : "–"}
              </Td>
              <Td label="When">
                <RelativeTime date={timestamp} className="whitespace-nowrap" />
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      {older ? null : <DeletedNote before={deleted_before} figures />}
      {older || latest ? (
        <nav aria-label="Pages of calls" className="flex justify-end gap-1.5 pt-3">
          {latest ? (
            <ButtonLink href={latest} size="sm">
              Latest
            </ButtonLink>
          ) : null}
          {older ? (
            <ButtonLink href={older} size="sm" rel="next">
              Older
            </ButtonLink>
          ) : null}
        </nav>
      ) : null}
    </>
  );
}
