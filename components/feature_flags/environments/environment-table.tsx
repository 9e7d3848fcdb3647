import type { Route } from "next";
import { Badge } from "#components/ui/display/badge.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { EnvironmentRecord, EnvironmentRow } from "#lib/flags/environments/contract.ts";
import { PARTS } from "#lib/flags/environments/parts-schema.ts";
import { FlagThereFacts } from "./flag-there.tsx";

type Props = {
  /** The environments that are shown, from first to last. */
  environments: readonly EnvironmentRecord[];
  rows: readonly EnvironmentRow[];
  /** Whether flags can be chosen, to be promoted. */
  choosing: boolean;
};

/** Flags by key, with a column for each environment; what differs from this one is named. */
export function EnvironmentTable({ environments, rows, choosing }: Props) {
  return (
    <Table caption="Flags in each environment" minWidth="sm:min-w-[52rem]">
      <TableHead>
        {choosing ? (
          <Th className="w-8">
            <span className="sr-only">Choose</span>
          </Th>
        ) : null}
        <Th>Flag</Th>
        {environments.map(({ project_id, name, is_current }) => (
          <Th key={project_id}>
            {name}
            {is_current ? <span className="font-normal text-faint"> · this project</span> : null}
          </Th>
        ))}
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={row.key}>
            {choosing ? (
              <Td place="corner" className="align-top">
                {row.state === "differs" || row.state === "only_here" ? (
                  <input
                    type="checkbox"
                    name="key"
                    value={row.key}
                    aria-label={`Choose ${row.key}`}
                    className="touch-target relative block size-4 accent-accent"
                  />
                ) : null}
              </Td>
            ) : null}
            <Td place="title" className="align-top sm:max-w-[20rem]">
              <span className="flex flex-col gap-0.5">
                <FlagKey row={row} environments={environments} />
                {row.name ? <span className="break-words text-muted text-xs">{row.name}</span> : null}
              </span>
            </Td>
            {environments.map((environment) => (
              <Td
                key={environment.project_id}
                label={environment.name}
                className="align-top sm:max-w-[22rem]"
              >
                <Cell row={row} environment={environment} />
              </Td>
            ))}
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function FlagKey({ row, environments }: { row: EnvironmentRow; environments: Props["environments"] }) {
  const current = environments.find(({ is_current }) => is_current);
  const flag = row.environments.find(({ project_id }) => project_id === current?.project_id)?.flag;
  if (!current || !flag) return <span className="break-words font-medium">{row.key}</span>;
  return (
    <TextLink
      href={`/project/${current.project_id}/feature_flags/${flag.id}/environments` as Route}
      className="w-fit break-words font-medium"
    >
      {row.key}
    </TextLink>
  );
}

function Cell({ row, environment }: { row: EnvironmentRow; environment: EnvironmentRecord }) {
  const { project_id, may_read, is_current } = environment;
  const cell = row.environments.find((each) => each.project_id === project_id);
  if (!may_read) return <span className="text-faint text-xs">No access</span>;
  if (!cell?.flag) return <span className="text-faint text-xs">Missing</span>;
  return (
    <span className="flex min-w-0 flex-col gap-1.5">
      <FlagThereFacts projectId={project_id} flagKey={row.key} flag={cell.flag} />
      {cell.differs.length > 0 ? (
        <span className="flex flex-wrap items-center gap-1">
          <span className="sr-only">Differs in:</span>
          {cell.differs.map((part) => (
            <Badge key={part} tone="warning">
              {PARTS[part].label}
            </Badge>
          ))}
        </span>
      ) : is_current || row.state === "missing_here" ? null : (
        <span className="text-faint text-xs">Same</span>
      )}
    </span>
  );
}
