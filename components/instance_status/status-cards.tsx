import { CircleCheck, TriangleAlert } from "lucide-react";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import type { InstanceStatus } from "#lib/app/instance_status/schema.ts";
import { formatDays, plural } from "#lib/platform/format.ts";
import { aboutText, sizeText, tableText } from "./figures.ts";

/** A trivial query slower than this is noticeable. */
const SLOW_MS = 250;

function Sign({ good, children }: { good: boolean; children: React.ReactNode }) {
  const Icon = good ? CircleCheck : TriangleAlert;
  return (
    <span className="flex items-baseline gap-1.5">
      <Icon
        aria-hidden="true"
        className={`size-4 shrink-0 self-center ${good ? "text-success-text" : "text-warning-text"}`}
      />
      <span>{children}</span>
    </span>
  );
}

/** Health checks and versions. */
export function HealthCard({ status }: { status: InstanceStatus }) {
  const { database, jobs } = status;
  const idle = jobs.failed === 0 && jobs.overdue === 0 && retryingOf(jobs) === 0;
  return (
    <Card title="Health">
      <Facts
        items={[
          {
            term: "Database",
            value: (
              <Sign good={database.answers_in_ms < SLOW_MS}>
                Responds in{" "}
                <span className="tabular">{Math.max(1, Math.round(database.answers_in_ms))} ms</span>
                {database.answers_in_ms < SLOW_MS ? "" : ", which is slow"}
              </Sign>
            ),
          },
          ...(database.replica
            ? [{ term: "Read replica", value: <ReplicaText replica={database.replica} /> }]
            : []),
          {
            term: "Background work",
            value: <Sign good={idle}>{jobsText(jobs)}</Sign>,
          },
          { term: "Events on disk", value: <SpoolText spool={status.spool} /> },
          ...(status.only_in_clickhouse
            ? [{ term: "Only in ClickHouse", value: <KeptText kept={status.only_in_clickhouse} /> }]
            : []),
          {
            term: "Started",
            value: <RelativeTime date={status.started_at} />,
          },
          { term: "Switchyard", value: <span className="tabular">{status.version}</span> },
          { term: "Node", value: <span className="tabular">{status.node_version}</span> },
          {
            term: "PostgreSQL",
            value: (
              <>
                <span className="tabular">{database.version}</span>
                {database.kind === "embedded" ? ", embedded, in DATA_DIR" : ", at DATABASE_URL"}
              </>
            ),
          },
          { term: "Schema", value: <span className="font-mono text-xs">{database.schema}</span> },
        ]}
      />
    </Card>
  );
}

function ReplicaText({ replica }: { replica: NonNullable<InstanceStatus["database"]["replica"]> }) {
  if (replica.problem !== null) return <Sign good={false}>Not used: {replica.problem}</Sign>;
  return <Sign good>Answers large reads</Sign>;
}

/** Events that left PostgreSQL because of their age. */
function KeptText({ kept }: { kept: NonNullable<InstanceStatus["only_in_clickhouse"]> }) {
  const text = `${plural(kept.events, "event")}, ${formatDays(Date.parse(kept.from), Date.parse(kept.to))}`;
  if (kept.problem !== null)
    return (
      <Sign good={false}>
        {text}, cannot be read: {kept.problem}
      </Sign>
    );
  return text;
}

/** Events that wait for the database. */
function SpoolText({ spool }: { spool: InstanceStatus["spool"] }) {
  if (spool === null) return "Off: events are refused while the database is away";
  if (spool.files === 0) return <Sign good>None is waiting for the database</Sign>;
  return (
    <Sign good={false}>
      {sizeText(spool.bytes)} of at most {sizeText(spool.limit_bytes)} are waiting for the database
    </Sign>
  );
}

/** Jobs that wait for their next try. */
const retryingOf = ({ kinds }: InstanceStatus["jobs"]): number =>
  kinds.reduce((sum, { retrying }) => sum + retrying, 0);

function jobsText(jobs: InstanceStatus["jobs"]): string {
  const { running, overdue, failed } = jobs;
  const count = (n: number, words: string) => (n > 0 ? [`${n} ${words}`] : []);
  const parts = [
    ...count(running, "running"),
    ...count(overdue, "overdue"),
    ...count(failed, "failed"),
    ...count(retryingOf(jobs), "to be retried after a failure"),
  ];
  return parts.length > 0 ? parts.join(", ") : "Nothing is late";
}

/** Database size and its largest tables. */
export function SizeCard({ database }: { database: InstanceStatus["database"] }) {
  const { event_partitions } = database;
  const most = Math.max(...database.tables.map((table) => table.bytes), 1);
  return (
    <Card
      title={`Database: ${sizeText(database.bytes)}`}
      description={`On disk, including indexes. Row counts are estimates. Events have ${plural(event_partitions.count, "partition")} with ${sizeText(event_partitions.bytes)}.`}
      padded={false}
    >
      <Table caption="Largest tables" framed={false} minWidth="" className="border-t">
        <TableHead>
          <Th>Holds</Th>
          <Th align="right">Rows</Th>
          <Th align="right">Size</Th>
        </TableHead>
        <TableBody>
          {database.tables.map((table) => (
            <Tr key={table.name}>
              <Td place="title">
                <span className="flex flex-col gap-1">
                  {tableText(table.name)}
                  <span aria-hidden="true" className="block h-1 w-full max-w-40 rounded-full bg-hover">
                    <span
                      className="block h-1 rounded-full bg-accent"
                      style={{ width: `${Math.max((100 * table.bytes) / most, 1)}%` }}
                    />
                  </span>
                </span>
              </Td>
              <Td label="Rows" align="right" className="tabular text-muted">
                {aboutText(table.rows)}
              </Td>
              <Td label="Size" align="right" className="tabular">
                {sizeText(table.bytes)}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}
