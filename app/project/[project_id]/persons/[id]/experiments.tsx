import type { Route } from "next";
import { shownStatus } from "#components/experiments/status.ts";
import { Status } from "#components/ui/display/badge.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { getApi } from "#lib/app/session/api.ts";
import {
  type PersonExperiment,
  personExperimentsContract,
} from "#lib/experiments/results/person-contract.ts";

const REASONS: Record<NonNullable<PersonExperiment["reason"]>, string> = {
  multiple_variants: "No: they were exposed to several variants",
  held_out: "No: they are held out",
  outside_dates: "No: they called the flag outside the dates of the experiment",
  no_exposure:
    "No: the results have no exposure. Their call is newer than the results, or left out by the exposure criteria, as for test accounts",
};

type Props = { projectId: string; id: string };

/** The experiments that a person takes part in, and whether they count. */
export async function Experiments({ projectId, id }: Props) {
  const api = await getApi();
  const { results } = await api.call(personExperimentsContract.experiments, {
    params: { project_id: projectId, id },
  });
  if (results.length === 0)
    return (
      <EmptyState title="No experiments yet">
        Experiments whose flag this person has called appear here.
      </EmptyState>
    );
  return (
    <RowKeys noun="experiment">
      <Table caption="Experiments of this person" minWidth="sm:min-w-[40rem]">
        <TableHead>
          <Th>Experiment</Th>
          <Th>Status</Th>
          <Th>Variant</Th>
          <Th>First exposure</Th>
          <Th>Counts in the results</Th>
        </TableHead>
        <TableBody>
          {results.map((row) => (
            <Tr key={row.id}>
              <Td place="title">
                <Link
                  href={`/project/${projectId}/experiments/${row.id}` as Route}
                  data-row-link=""
                  className="break-words font-medium hover:underline"
                >
                  {row.name}
                </Link>
              </Td>
              <Td label="Status">
                <Status status={shownStatus(row)} />
              </Td>
              <Td label="Variant">{row.variant ?? <span className="text-faint">–</span>}</Td>
              <Td label="First exposure" className="text-muted text-xs">
                {row.first_exposed_at ? <RelativeTime date={row.first_exposed_at} /> : "–"}
              </Td>
              <Td label="Counts" className="max-w-80 text-xs">
                {row.reason === null ? "Yes" : <span className="text-muted">{REASONS[row.reason]}</span>}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </RowKeys>
  );
}
