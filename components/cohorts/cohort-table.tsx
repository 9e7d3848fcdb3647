import type { Route } from "next";
import { Sentence } from "#components/conditions/sentence.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { UnreadableBadge } from "#components/ui/display/unreadable.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { cohortTokens } from "#lib/people/cohorts/words.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { formatCount } from "#lib/platform/format.ts";

type Props = { projectId: string; cohorts: readonly CohortRecord[]; names: Names };

export function CohortTable({ projectId, cohorts, names }: Props) {
  return (
    <RowKeys noun="cohort">
      <Table caption="Cohorts" minWidth="sm:min-w-[46rem]">
        <TableHead>
          <Th>Cohort</Th>
          <Th>Definition</Th>
          <Th align="right">Members</Th>
          <Th>Counted</Th>
          <Th>Created</Th>
        </TableHead>
        <TableBody>
          {cohorts.map((cohort) => (
            <Tr key={cohort.id}>
              <Td place="title" className="sm:w-72">
                <Link
                  href={`/project/${projectId}/cohorts/${cohort.id}` as Route}
                  data-row-link=""
                  className="break-words font-medium hover:underline"
                >
                  {cohort.name}
                </Link>
                {cohort.description ? (
                  <p className="line-clamp-2 text-muted text-xs">{cohort.description}</p>
                ) : null}
                <UnreadableBadge fields={cohort.unreadable_fields} />
              </Td>
              <Td label="Definition" className="text-muted text-xs">
                {cohort.is_static ? (
                  <Badge>A list of people</Badge>
                ) : (
                  <span className="line-clamp-2">
                    <Sentence tokens={cohortTokens(cohort.filters, names)} />
                  </span>
                )}
              </Td>
              <Td label="Members" align="right" className="tabular">
                <MemberCount cohort={cohort} />
              </Td>
              <Td label="Counted" className="whitespace-nowrap text-muted text-xs">
                {cohort.is_static ? (
                  "As listed"
                ) : cohort.last_calculation ? (
                  <RelativeTime date={cohort.last_calculation} />
                ) : (
                  "Not yet"
                )}
              </Td>
              <Td label="Created" className="whitespace-nowrap text-muted text-xs">
                <RelativeTime date={cohort.created_at} />
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </RowKeys>
  );
}

/** The number of members, or why it is unknown. */
export function MemberCount({ cohort }: { cohort: CohortRecord }) {
  if (cohort.errors_calculating > 0) return <span className="text-danger-text">Could not be counted</span>;
  if (cohort.is_calculating) return <span className="text-faint">Counting…</span>;
  if (cohort.count === null) return <span className="text-faint">Not counted yet</span>;
  return <span className="tabular">{formatCount(cohort.count)}</span>;
}
