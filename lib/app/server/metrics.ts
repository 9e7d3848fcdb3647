import { AggregatorRegistry, type MetricObject, Registry } from "prom-client";
import { collectDefaults, requireMetricsToken } from "#lib/app/metrics-access.ts";
import type { Runtime } from "#lib/app/runtime.ts";
import { countProblems, selectUnsealed } from "#lib/audit/store.ts";
import { selectEventPartitions } from "#lib/people/events/store.ts";
import { asDatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { type Admission, URGENCIES } from "#lib/platform/http/admission/admission.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import type { Mounting } from "#lib/platform/http/mount.ts";
import { selectJobFigures } from "#lib/platform/jobs/store.ts";
import { gauge, registry } from "#lib/platform/metrics.ts";
import type { Siblings } from "#lib/platform/siblings.ts";

const POOL_STATES = ["in_use", "idle"] as const;

const waitingRequests = gauge("admission_waiting", "Requests that wait to begin.", {
  labelNames: ["urgency"] as const,
});
const waitingEvents = gauge("events_waiting", "Events in memory that wait to be stored.");
// Each process counts what all of them have in the folder.
const spoolFiles = gauge("spool_files", "Batches of events on disk that wait for the database.", {
  aggregator: "max",
});
const spoolBytes = gauge("spool_bytes", "Size of the events on disk that wait for the database.", {
  aggregator: "max",
});
const connections = gauge("database_connections", "Connections to the database.", {
  labelNames: ["pool", "state"] as const,
});
const waitingStatements = gauge("database_waiting", "Statements that wait for a connection.", {
  labelNames: ["pool"] as const,
});
const databaseUp = gauge("database_up", "Whether the database answers: 0 if it does not for some process.", {
  aggregator: "min",
});
const replicaLag = gauge(
  "replica_lag_seconds",
  "How far the read replica is behind, whether it is used or not.",
  {
    labelNames: ["state"] as const,
    aggregator: "max",
  },
);
const processes = gauge("processes", "Processes that answer.");

/** What all processes share is asked once for each scrape, by the process that answers it. */
const common = new Registry();
const jobs = gauge(
  "jobs",
  "Jobs, by what they are doing; those that wait after a failure are retrying, too.",
  {
    labelNames: ["kind", "state"] as const,
    of: common,
  },
);
const jobLag = gauge("job_lag_seconds", "How long the job that is due longest has been due.", {
  labelNames: ["kind"] as const,
  of: common,
});

const partitions = gauge("event_partitions", "Partitions of the table of events.", { of: common });
const partitionBytes = gauge("event_partition_bytes", "Size of them on disk, including indexes.", {
  of: common,
});

const unsealed = gauge("audit_unsealed_entries", "Changes that the audit log has not sealed yet.", {
  of: common,
});
const sealingLag = gauge("audit_sealing_lag_seconds", "How long the oldest of them has been waiting.", {
  of: common,
});
const auditProblems = gauge(
  "audit_problems",
  "What the last verification of the audit log found to be changed; checkpoints that cannot be stored elsewhere count, too.",
  { of: common },
);

/** The connections of a process. */
type Pools = Readonly<Record<string, { totalCount: number; idleCount: number; waitingCount: number }>>;

export type MetricsOptions = {
  /** Whoever has it may read the figures; undefined: nobody. */
  token?: string | undefined;
  pools?: Pools;
};

/** A scrape waits so long for the other processes; Prometheus itself waits ten seconds by default. */
const PATIENCE_MS = 5_000;
const TOPIC = "metrics";

function measure(runtime: Runtime, admission: Admission, pools: Pools): Promise<MetricObject[]> {
  for (const urgency of URGENCIES) waitingRequests.set({ urgency }, admission.waiting(urgency));
  const { events, spool } = runtime.events.waiting;
  waitingEvents.set(events);
  spoolFiles.set(spool.files);
  spoolBytes.set(spool.bytes);
  for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
    const counts = { in_use: totalCount - idleCount, idle: idleCount };
    for (const state of POOL_STATES) connections.set({ pool, state }, counts[state]);
    waitingStatements.set({ pool }, waitingCount);
  }
  databaseUp.set(runtime.availability.away_since === null ? 1 : 0);
  replicaLag.reset();
  if (runtime.replica) {
    const { as_of, problem } = runtime.replica.status;
    const state = problem === null ? "used" : "unused";
    if (as_of) replicaLag.set({ state }, (Date.now() - as_of.getTime()) / 1_000);
  }
  processes.set(1);
  return registry.getMetricsAsJSON();
}

async function measureCommon({ db }: Runtime): Promise<MetricObject[]> {
  common.resetMetrics();
  try {
    for (const { name: kind, lag_seconds, ...states } of await selectJobFigures(db)) {
      for (const [state, count] of Object.entries(states)) jobs.set({ kind, state }, count);
      jobLag.set({ kind }, lag_seconds);
    }
    const { count, bytes } = await selectEventPartitions(db);
    const log = await selectUnsealed(db);
    unsealed.set(log.count);
    sealingLag.set(log.lag_seconds);
    auditProblems.set(await countProblems(db));
    partitions.set(count);
    partitionBytes.set(bytes);
  } catch (error) {
    // That it is away is a figure of its own.
    if (!asDatabaseUnavailable(error)) throw error;
  }
  return common.getMetricsAsJSON();
}

/**
 * Serves `/metrics`: the figures of all processes behind the listener, whichever of them is asked. A scrape without
 * the figures of one of them fails rather than make counts appear to fall.
 */
export function mountMetrics(
  { app, runtime, admission }: Mounting<Runtime>,
  siblings: Siblings,
  { token, pools = {} }: MetricsOptions,
): void {
  if (token === undefined) {
    app.get("/metrics", (c) => requireMetricsToken(c, token));
    return;
  }
  collectDefaults();
  siblings.onAsked(TOPIC, () => measure(runtime, admission, pools));
  app.get("/metrics", async (c) => {
    requireMetricsToken(c, token);
    const [own, shared, others] = await Promise.all([
      measure(runtime, admission, pools),
      measureCommon(runtime),
      siblings.collect(TOPIC, PATIENCE_MS),
    ]);
    if (others === null) throw unavailable("A process is too busy to report its figures.");
    const all = AggregatorRegistry.aggregate([own, shared, ...(others as MetricObject[][])]);
    return c.text(await all.metrics(), 200, { "content-type": all.contentType });
  });
}
