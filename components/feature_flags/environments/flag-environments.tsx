import { personName } from "#components/kit/person-name.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import type { ComparedEnvironment } from "#lib/flags/environments/contract.ts";
import { FlagThereFacts } from "./flag-there.tsx";
import { promoteHref } from "./promote-href.ts";

type Props = { projectId: string; flagKey: string; environments: readonly ComparedEnvironment[] };

/** A flag in each environment: its state, and in what it differs from the one of this project. */
export function FlagEnvironments({ projectId, flagKey, environments }: Props) {
  const current = environments.find(({ is_current }) => is_current);
  return (
    <div className="flex flex-col gap-5">
      <Table caption={`${flagKey} in each environment`} minWidth="sm:min-w-[46rem]">
        <TableHead>
          {["Environment", "State", "Version", "Last change"].map((column) => (
            <Th key={column}>{column}</Th>
          ))}
          <Th>
            <span className="sr-only">Promote</span>
          </Th>
        </TableHead>
        <TableBody>
          {environments.map((environment) => (
            <EnvironmentLine
              key={environment.project_id}
              projectId={projectId}
              flagKey={flagKey}
              environment={environment}
              here={current}
            />
          ))}
        </TableBody>
      </Table>
      {environments
        .filter(({ drift }) => drift.length > 0)
        .map(({ project_id, name, drift }) => (
          <DriftTable key={project_id} here={current?.name ?? "Here"} there={name} drift={drift} />
        ))}
    </div>
  );
}

type LineProps = {
  projectId: string;
  flagKey: string;
  environment: ComparedEnvironment;
  /** The environment of this project. */
  here: ComparedEnvironment | undefined;
};

function EnvironmentLine({ projectId, flagKey, environment, here }: LineProps) {
  const { project_id, name, is_current, may_read, may_write, reason, flag, drift } = environment;
  const by = flag && personName(flag.updated_by);
  return (
    <Tr>
      <Td place="title">
        <span className="flex flex-wrap items-center gap-1.5 font-medium">
          {name}
          {is_current ? <Badge tone="accent">This project</Badge> : null}
        </span>
        {is_current || !flag ? null : (
          <span className="text-muted text-xs">
            {drift.length === 0
              ? "Same as here"
              : `Differs: ${drift.map(({ label }) => label.toLowerCase()).join(", ")}`}
          </span>
        )}
      </Td>
      <Td label="State" className="sm:max-w-[22rem]">
        {flag ? (
          <FlagThereFacts projectId={project_id} flagKey={flagKey} flag={flag} />
        ) : (
          <span className="text-muted text-xs">{may_read ? "Missing" : reason}</span>
        )}
      </Td>
      <Td label="Version" className="tabular">
        {flag?.version ?? "–"}
      </Td>
      <Td label="Last change" className="text-muted text-xs">
        {flag ? (
          <>
            <RelativeTime date={flag.updated_at} />
            {by ? ` by ${by}` : ""}
          </>
        ) : (
          "–"
        )}
      </Td>
      <Td align="right">
        {is_current || (flag && drift.length === 0) ? null : (
          <span className="flex flex-wrap items-center justify-end gap-1.5">
            {flag && here?.may_write ? (
              <ButtonLink size="sm" href={promoteHref(here.project_id, String(project_id), [flagKey])}>
                {`Promote from ${name}…`}
              </ButtonLink>
            ) : null}
            {may_write ? (
              <ButtonLink size="sm" href={promoteHref(project_id, projectId, [flagKey])}>
                {`Promote to ${name}…`}
              </ButtonLink>
            ) : may_read ? (
              <span className="text-muted text-xs">{reason}</span>
            ) : null}
          </span>
        )}
      </Td>
    </Tr>
  );
}

type DriftProps = { here: string; there: string; drift: ComparedEnvironment["drift"] };

function DriftTable({ here, there, drift }: DriftProps) {
  const title = `${here} and ${there}`;
  return (
    <section aria-label={`What differs: ${title}`} className="flex flex-col gap-2">
      <h2 className="font-medium text-sm">What differs: {title}</h2>
      <Table caption={`What differs: ${title}`} minWidth="sm:min-w-[40rem]">
        <TableHead>
          <Th className="w-48">What</Th>
          <Th>{here}</Th>
          <Th>{there}</Th>
        </TableHead>
        <TableBody>
          {drift.flatMap(({ part, differences }) =>
            differences.map(({ what, before, after }) => (
              <Tr key={`${part} ${what} ${before} ${after}`}>
                <Td place="title" className="text-muted text-xs">
                  {what}
                </Td>
                <Td label={here} className="break-words text-xs">
                  {before ?? <span className="text-faint">nothing</span>}
                </Td>
                <Td label={there} className="break-words text-xs">
                  {after ?? <span className="text-faint">nothing</span>}
                </Td>
              </Tr>
            )),
          )}
        </TableBody>
      </Table>
    </section>
  );
}
