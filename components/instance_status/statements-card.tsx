import { Card } from "#components/ui/display/card.tsx";
import { Code } from "#components/ui/display/code-block.tsx";
import { Table, TableBody, TableHead, TableMessage, Td, Th, Tr } from "#components/ui/display/table.tsx";
import type { InstanceStatus } from "#lib/app/instance_status/schema.ts";
import { formatCount, formatDuration } from "#lib/platform/format.ts";

type Props = { statements: InstanceStatus["database"]["slow_statements"] };

const seconds = (ms: number) => (ms < 1_000 ? `${formatCount(ms)} ms` : formatDuration(ms / 1_000));

/** Statements of the database that took long. */
export function StatementsCard({ statements }: Props) {
  if (statements === null)
    return (
      <Card title="Slow statements">
        <p className="text-pretty text-sm">
          This PostgreSQL server does not collect them. Add <Code>pg_stat_statements</Code> to its{" "}
          <Code>shared_preload_libraries</Code>, restart it, and run{" "}
          <Code>create extension pg_stat_statements</Code> in this database.
        </p>
      </Card>
    );
  return (
    <Card
      title="Slow statements"
      description="Took more than 100 ms at least once; sorted by their total time. Values are left out."
      padded={false}
    >
      <Table caption="Slow statements" framed={false} minWidth="" className="border-t">
        <TableHead>
          <Th>Statement</Th>
          <Th align="right">Calls</Th>
          <Th align="right">Mean</Th>
          <Th align="right">Longest</Th>
        </TableHead>
        <TableBody>
          {statements.length === 0 ? (
            <TableMessage columns={4}>No statement has taken more than 100 ms.</TableMessage>
          ) : null}
          {statements.map(({ statement, calls, mean_ms, max_ms }) => (
            <Tr key={statement}>
              <Td place="title" className="max-sm:pr-0">
                <details>
                  <summary className="line-clamp-2 cursor-pointer break-all font-mono text-xs">
                    {statement}
                  </summary>
                  <p className="mt-2 whitespace-pre-wrap break-words font-mono text-muted text-xs">
                    {statement}
                  </p>
                </details>
              </Td>
              <Td label="Calls" align="right" className="tabular text-muted">
                {formatCount(calls)}
              </Td>
              <Td label="Mean" align="right" className="tabular whitespace-nowrap">
                {seconds(mean_ms)}
              </Td>
              <Td label="Longest" align="right" className="tabular whitespace-nowrap">
                {seconds(max_ms)}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}
