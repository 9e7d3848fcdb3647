import type { Db } from "#lib/platform/db/connect.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { counter } from "#lib/platform/metrics.ts";
import { insertRelays, isSuperseded } from "./relay-store.ts";
import type { RelayReport, RelayReported } from "./report-schema.ts";
import type { SdkRelay } from "./schema.ts";
import {
  addRequests,
  deleteInstances,
  type InstanceRow,
  type ListedRelay,
  selectRelays,
  type Target,
  upsertInstances,
} from "./store.ts";

const momentOf = (ms: number) => instant(new Date(ms));

const relayOf = (row: ListedRelay): SdkRelay => ({
  id: row.id,
  name: row.name,
  version: row.version,
  state: row.state,
  instances: row.instances,
  served: row.served,
  flag_version: row.flag_version,
  definitions_version: row.number,
  behind_by: row.lacks,
  problem: row.problem,
  first_seen_at: momentOf(row.first_seen),
  reported_at: momentOf(row.reported),
});

/** The relays of a project by where they are on the way to a target. */
export const listRelays = async (db: Db, target: Target): Promise<SdkRelay[]> =>
  (await selectRelays(db, target)).map(relayOf);

/** A relay that is restarted is away for a moment, and one that gets a bundle is behind for a moment. */
const TROUBLE_AFTER_MS = { unreachable: 5 * 60_000, behind: 60_000 };

export type RelayTrouble = { relay: SdkRelay; since: Date };

/** Relays that need somebody: they have not reported for a while, or do not serve what they should by now. */
export async function findTrouble(db: Db, target: Target): Promise<RelayTrouble[]> {
  const now = target.now.getTime();
  return (await selectRelays(db, target)).flatMap((row) => {
    if (row.state !== "unreachable" && row.state !== "behind") return [];
    const since = row.state === "behind" ? row.changed : row.reported;
    return now - since < TROUBLE_AFTER_MS[row.state] ? [] : [{ relay: relayOf(row), since: new Date(since) }];
  });
}

const reportCount = counter("relay_reports_received_total", "Reports of relays, by what became of them.", [
  "result",
]);
const reports = { stored: reportCount("stored"), outdated: reportCount("outdated") };

const before = (at: Date, ms: number) => new Date(at.getTime() - ms);
const maybeBefore = (at: Date, ms: number | null) => (ms === null ? null : before(at, ms));

const rowOf = (relay_id: string, at: Date, seen: RelayReport["instances"][number]): InstanceRow => ({
  project_id: seen.project_id,
  id: seen.id,
  sdk: seen.sdk,
  sdk_version: seen.sdk_version,
  address: seen.address,
  has_stream: seen.has_stream,
  is_tagged: seen.is_tagged,
  content: seen.content,
  content_since: maybeBefore(at, seen.content_age_ms),
  sent_content: seen.sent_content,
  sent_at: maybeBefore(at, seen.sent_age_ms),
  lost_answers: seen.lost_answers,
  first_seen_at: before(at, seen.first_seen_age_ms),
  last_seen_at: before(at, seen.last_seen_age_ms),
  interval_ms: seen.interval_ms,
  relay_id,
});

/** A report cannot have been under way for longer. */
const TRANSIT_MAX_MS = 60_000;

/**
 * When what a report says was so. Clocks need not agree: all moments in it are ages, and it was made some time after an
 * answer that this clock has dated.
 */
function takenAt({ answered }: RelayReport["relay"], now: Date): Date {
  if (answered === null) return now;
  const made = answered.at_ms + answered.ago_ms;
  return new Date(Math.min(now.getTime(), Math.max(made, now.getTime() - TRANSIT_MAX_MS)));
}

/** The last row of each instance: one statement cannot write a row twice. */
const distinct = (rows: readonly InstanceRow[]): InstanceRow[] => [
  ...new Map(rows.map((row) => [`${row.project_id}/${row.id}`, row])).values(),
];

/** The same of counts, which add up. */
function sums(requests: RelayReport["requests"]): RelayReport["requests"] {
  const byProgram = new Map<string, RelayReport["requests"][number]>();
  for (const each of requests) {
    const name = `${each.project_id}/${each.sdk}/${each.sdk_version}`;
    byProgram.set(name, { ...each, count: each.count + (byProgram.get(name)?.count ?? 0) });
  }
  return [...byProgram.values()];
}

/**
 * Stores what a relay reports of some projects. A report that is older than one before is left out as a whole: what was in
 * it has been in the later one.
 */
export async function storeReport(
  db: Db,
  { relay, projects, instances, gone, requests }: RelayReport,
  served: ReadonlySet<number>,
  now: Date,
): Promise<RelayReported> {
  const { id, name, version, run, uptime_ms, sequence, problem, more, stopping } = relay;
  const taken = takenAt(relay, now);
  const rows = new Map(
    projects
      .filter(({ id }) => served.has(id))
      .map(({ id: project_id, content }) => [
        project_id,
        {
          project_id,
          id,
          name,
          version,
          run_id: run,
          run_started_at: before(taken, uptime_ms),
          sequence,
          content,
          problem,
          first_seen_at: taken,
          reported_at: taken,
          stopped_at: stopping ? now : null,
        },
      ]),
  );
  const stored = await db.transaction(async (tx) => {
    // Who reads sees the relay's report and what is in it at once.
    const stored = new Set(await insertRelays(tx, [...rows.values()], more));
    const isStored = ({ project_id }: { project_id: number }) => stored.has(project_id);
    await upsertInstances(tx, distinct(instances.filter(isStored).map((seen) => rowOf(id, taken, seen))));
    await deleteInstances(
      tx,
      gone.filter(isStored).map((each) => ({ ...each, relay_id: id, last_seen_at: taken })),
    );
    await addRequests(tx, sums(requests.filter(isStored)), now);
    return stored;
  });
  const isOutdated = stored.size < rows.size;
  (isOutdated ? reports.outdated : reports.stored).count += 1;
  const superseded = isOutdated && (await isSuperseded(db, [...rows.keys()], { id, run_id: run }));
  return { stored: [...stored], answered_at_ms: Date.now(), superseded };
}
