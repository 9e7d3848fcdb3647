import { join } from "node:path";
import type { RelayBundles } from "#lib/app/relay/bundles.ts";
import { SCHEDULED_BACKUP } from "#lib/app/server/scheduled-backups.ts";
import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { selectKeptSpan } from "#lib/people/event_deletions/retained-store.ts";
import { sizeOfSpool } from "#lib/people/events/spool.ts";
import { selectEventPartitions } from "#lib/people/events/store.ts";
import { config } from "#lib/platform/config.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext, Runtime } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { readJobSummaries, retryJobs } from "#lib/platform/jobs/queue.ts";
import packageFile from "#package" with { type: "json" };
import type { instanceStatusContract } from "./contract.ts";
import type { InstanceStatus } from "./schema.ts";
import {
  selectDatabase,
  selectJobCounts,
  selectLargestTables,
  selectLastBackup,
  selectSlowStatements,
} from "./store.ts";

type StatusContext = AccountContext<Runtime & { relayBundles: Pick<RelayBundles, "public_key"> }>;

export async function retrieve(context: StatusContext): Promise<InstanceStatus> {
  const { db, now, runtime } = context;
  const { replica } = runtime;
  await requireAdmin(context, (await requireOrganization(context, "@current")).id);
  const started = performance.now();
  const facts = await selectDatabase(db);
  const answers_in_ms = Math.round((performance.now() - started) * 10) / 10;
  const [tables, event_partitions, slow_statements, backup, counts, summaries, kept] = await Promise.all([
    selectLargestTables(db),
    selectEventPartitions(db),
    selectSlowStatements(db),
    selectLastBackup(db),
    selectJobCounts(db),
    readJobSummaries(db),
    selectKeptSpan(db, null),
  ]);
  const kinds = summaries.map(({ last_finished_at, next_run_at, ...kind }) => ({
    ...kind,
    last_finished_at: last_finished_at && instant(last_finished_at),
    next_run_at: next_run_at && instant(next_run_at),
  }));
  return {
    version: packageFile.version,
    node_version: process.version.replace(/^v/, ""),
    started_at: instant(new Date(now.getTime() - process.uptime() * 1_000)),
    relay_public_key: runtime.relayBundles.public_key,
    database: {
      kind: config().databaseUrl === undefined ? "embedded" : "server",
      version: facts.version.split(" ")[0] ?? facts.version,
      schema: facts.schema,
      answers_in_ms,
      bytes: facts.bytes,
      replica: replica && {
        as_of: replica.status.as_of && instant(replica.status.as_of),
        problem: replica.status.problem,
      },
      tables,
      event_partitions,
      slow_statements,
    },
    last_backup: backup && {
      created_at: instant(backup.created_at),
      file: backup.file,
      bytes: backup.bytes,
      rows: backup.rows,
      verified_at: backup.verified_at && instant(backup.verified_at),
    },
    backup_schedule: scheduleOf(kinds),
    spool: spoolNow(),
    only_in_clickhouse: kept && {
      events: kept.count,
      from: kept.first,
      to: kept.last,
      problem: runtime.hasEventCopy ? null : "CLICKHOUSE_URL is not set",
    },
    jobs: { ...counts, kinds },
  };
}

function scheduleOf(kinds: InstanceStatus["jobs"]["kinds"]): InstanceStatus["backup_schedule"] {
  const { backups } = config();
  if (!backups) return null;
  const job = kinds.find(({ name }) => name === SCHEDULED_BACKUP);
  return {
    every_seconds: backups.everyMs / 1_000,
    keep: backups.keep,
    place: "folder" in backups.place ? "folder" : "bucket",
    next_at: job?.next_run_at ?? null,
    last_error: job?.last_error ?? null,
  };
}

function spoolNow(): InstanceStatus["spool"] {
  const { dataDir, spoolBytes } = config();
  return spoolBytes === 0 ? null : { ...sizeOfSpool(join(dataDir, "spool")), limit_bytes: spoolBytes };
}

/** Runs failed jobs of a kind at once. */
export async function retry_jobs(
  context: AccountContext,
  { body }: Input<typeof instanceStatusContract.retry_jobs>,
): Promise<{ retried: number }> {
  await requireAdmin(context, (await requireOrganization(context, "@current")).id);
  return { retried: await retryJobs(context.db, body.name) };
}
