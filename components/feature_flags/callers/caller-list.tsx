import type { Route } from "next";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { FlagCaller } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { formatCount } from "#lib/platform/format.ts";

/** Whoever made some of the calls, most calls first. */
export function CallerList({ projectId, callers }: { projectId: string; callers: readonly FlagCaller[] }) {
  if (callers.length === 0) return <p className="text-muted text-sm">Nobody in these days.</p>;
  return (
    <Table caption="People who called">
      <TableHead>
        <Th>Person</Th>
        <Th align="right">Calls</Th>
        <Th>Last call</Th>
      </TableHead>
      <TableBody>
        {callers.map(({ person, name, distinct_id, calls, last_called_at }) => (
          <Tr key={person ?? distinct_id}>
            <Td label="Person" className="break-all">
              {person ? (
                <TextLink href={`/project/${projectId}/persons/${person}` as Route}>{name}</TextLink>
              ) : (
                name
              )}
            </Td>
            <Td label="Calls" align="right" className="tabular">
              {formatCount(calls)}
            </Td>
            <Td label="Last call">
              <RelativeTime date={last_called_at} className="whitespace-nowrap" />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
