import { z } from "zod";
import { note } from "#lib/audit/notes.ts";
import { COHORTS_TOPIC } from "#lib/people/cohorts/cache.ts";
import type { Runtime } from "#lib/people/context.ts";
import { selectKeptSpan, subtractKept, sumDays } from "#lib/people/event_deletions/retained-store.ts";
import {
  type HistoryCopy,
  HistoryError,
  type PersonEvent,
} from "#lib/people/events/history/clickhouse-store.ts";
import { waitForCopy } from "#lib/people/events/history/outbox-store.ts";
import { lockWriters } from "#lib/people/events/rebuild-store.ts";
import { publishPersons } from "#lib/people/persons/cache.ts";
import { selectDistinctIds } from "#lib/people/persons/store.ts";
import { ingestProperties } from "#lib/people/property_definitions/ingest.ts";
import { latestHorizon } from "#lib/people/retention/horizons.ts";
import { selectHorizons } from "#lib/people/retention/horizons-store.ts";
import { type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { defineJob, type Job } from "#lib/platform/jobs/define.ts";
import { enqueue } from "#lib/platform/jobs/queue.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { readKept } from "./kept.ts";
import { createHasher } from "./keys.ts";
import type { ErasedEvent, EraseStep, Removed, Unchanged } from "./step.ts";
import {
  deleteHashKeys,
  deleteMemberships,
  deletePerson,
  deleteSomeEvents,
  deleteUnusedProperties,
  type ErasureRow,
  insertDepartures,
  insertErasure,
  insertMissingErasures,
  lockErasure,
  lockPerson,
  scanDistinctIds,
  selectErasure,
  selectMergedInto,
  selectUnfinished,
  subtractNames,
  updateErasure,
} from "./store.ts";

/** Events deleted in one transaction. */
const BATCH = 2_000;

const sum = (...parts: Removed[]): Removed => {
  const total: Removed = {};
  for (const part of parts)
    for (const [table, rows] of Object.entries(part)) if (rows > 0) total[table] = (total[table] ?? 0) + rows;
  return total;
};

/** How often each event name occurs, sorted by name. */
function namesOf(events: readonly ErasedEvent[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Collects what could not be taken out of, each experiment once. */
function collect(known: readonly Unchanged[]) {
  const byId = new Map(known.map((one) => [one.experiment_id, one]));
  return {
    note: (one: Unchanged) => void byId.set(one.experiment_id, one),
    list: () => [...byId.values()].sort((a, b) => a.experiment_id - b.experiment_id),
  };
}

/** Deletes some events, and subtracts them from what is counted. @returns how many were looked at */
async function eraseEvents(tx: Tx, id: string, steps: readonly EraseStep[]): Promise<number> {
  const erasure = await lockErasure(tx, id);
  if (!erasure) return 0;
  const { found, events } = await deleteSomeEvents(tx, erasure, BATCH);
  if (events.length === 0) return found;
  await subtractNames(tx, erasure.project_id, namesOf(events));
  await subtractEvents(tx, erasure, events, steps);
  return found;
}

/** Subtracts deleted events from what modules count of them. */
async function subtractEvents(
  tx: Tx,
  erasure: ErasureRow,
  events: readonly ErasedEvent[],
  steps: readonly EraseStep[],
): Promise<void> {
  const { id, project_id } = erasure;
  let removed = sum(erasure.removed, { events: events.length });
  const { note, list } = collect(erasure.unchanged_experiments);
  for (const step of steps) removed = sum(removed, (await step.events?.(tx, project_id, events, note)) ?? {});
  await updateErasure(tx, id, { removed, unchanged_experiments: list() });
}

/**
 * Deletes the events that only the copy has, once PostgreSQL has none, and subtracts them as well. Meanwhile nobody else
 * deletes from the copy: what is found there and not noted as deleted is still to be counted.
 *
 * @returns false where the copy does not answer
 */
async function eraseKept(db: Db, copy: HistoryCopy | null, id: string, steps: readonly EraseStep[]) {
  const erasure = await selectErasure(db, id);
  if (!erasure || erasure.copied_distinct_ids.length === 0) return true;
  const { project_id, copied_distinct_ids: distinct_ids } = erasure;
  const done = () => updateErasure(db, id, { copied_distinct_ids: [] });
  if (!(await selectKeptSpan(db, { project_id }))) {
    await done();
    return true;
  }
  if (!copy) return false;
  try {
    await inTransaction(db, async (tx) => {
      await waitForCopy(tx);
      for await (const events of readKept(db, copy, { project_id, distinct_ids }))
        if (events.length > 0) await inTransaction(db, (own) => subtractSome(own, id, events, steps));
      await done();
    });
    return true;
  } catch (error) {
    if (error instanceof HistoryError) return false;
    throw error;
  }
}

type KeptEvent = PersonEvent & { day: string; hash: string };

async function subtractSome(tx: Tx, id: string, found: readonly KeptEvent[], steps: readonly EraseStep[]) {
  const erasure = await lockErasure(tx, id);
  if (!erasure) return;
  await subtractKept(tx, erasure.project_id, sumDays(found));
  const events = found.map(({ at, ...event }): ErasedEvent => ({ ...event, at: Number(at) / 1_000 }));
  await subtractNames(tx, erasure.project_id, namesOf(events), true);
  await subtractEvents(tx, erasure, events, steps);
}

/** Removes what modules keep of the person, once. */
async function erasePeople(tx: Tx, id: string, steps: readonly EraseStep[]): Promise<void> {
  const erasure = await lockErasure(tx, id);
  if (!erasure || erasure.distinct_ids.length === 0) return;
  await insertDepartures(tx, erasure);
  let { removed } = erasure;
  const { note, list } = collect(erasure.unchanged_experiments);
  for (const step of steps) removed = sum(removed, (await step.person?.(tx, erasure, note)) ?? {});
  await updateErasure(tx, id, { removed, unchanged_experiments: list(), distinct_ids: [] });
}

/**
 * Deletes what erasures that are under way have left to delete, in the caller's transaction: whoever counts everything
 * again has to count without those people.
 */
export async function eraseWhatIsLeft(tx: Tx, steps: readonly EraseStep[]): Promise<void> {
  for (const id of await selectUnfinished(tx)) {
    while ((await eraseEvents(tx, id, steps)) > 0);
    await erasePeople(tx, id, steps);
  }
}

/** For the audit log, which says that somebody was erased and not who. */
const noteErasure = (
  tx: Db,
  { id, project_id, requested_by_id }: ErasureRow,
  activity: "requested" | "finished",
  detail: Record<string, unknown> = {},
): Promise<void> =>
  note(tx, { project_id, user_id: requested_by_id, scope: "Erasure", item_id: id, activity, detail });

/** How often it is looked whether other jobs have done their part. */
const LOOK_AGAIN_MS = 2_000;

/** Ends an erasure, unless others have something left to do. @returns whether it has ended */
async function finish(tx: Tx, id: string, steps: readonly EraseStep[]): Promise<boolean> {
  const erasure = await lockErasure(tx, id);
  if (!erasure) return true;
  const { note, list } = collect(erasure.unchanged_experiments);
  let isDone = erasure.copied_distinct_ids.length === 0;
  for (const step of steps) isDone = ((await step.isDone?.(tx, erasure, note)) ?? true) && isDone;
  const ended = isDone && {
    finished_at: new Date(),
    events_deleted_before: latestHorizon(await selectHorizons(tx, erasure.project_id), null),
  };
  await updateErasure(tx, id, { unchanged_experiments: list(), ...ended });
  if (ended) await noteErasure(tx, erasure, "finished", { removed: erasure.removed });
  return isDone;
}

const payload = z.object({ erasure_id: z.string() });

export const erasePerson: Job<z.output<typeof payload>, Runtime> = defineJob({
  name: "persons.erase",
  payload,
  async run({
    runtime,
    db,
    payload: { erasure_id },
    signal,
    report,
  }: JobContext<z.output<typeof payload>, Runtime>) {
    const erasure = await selectErasure(db, erasure_id);
    if (!erasure || erasure.finished_at) return;
    const steps = runtime.eraseSteps;
    let done = 0;
    for (let some = -1; some !== 0; done += some) {
      signal.throwIfAborted();
      some = await inTransaction(db, (tx) => eraseEvents(tx, erasure_id, steps));
      await report(done, done + BATCH);
    }
    await eraseKept(db, runtime.history.copy, erasure_id, steps);
    await inTransaction(db, (tx) => erasePeople(tx, erasure_id, steps));
    await report(done, done);
    if (await inTransaction(db, (tx) => finish(tx, erasure_id, steps))) return;
    await enqueue(
      db,
      erasePerson,
      erasure_id,
      { erasure_id },
      { runAt: new Date(Date.now() + LOOK_AGAIN_MS) },
    );
  },
});

type Request = {
  project_id: number;
  person_id: number;
  requested_by_id: number | null;
  /** Null: it repeats an erasure, which already has the hashes. */
  hash: ((projectId: number, distinctId: string) => string) | null;
  now: Date;
};

/**
 * Deletes a person with everything but the events and what follows from them: those a job erases, batch by batch.
 * Writers wait meanwhile, so that each event is either older than this or belongs to another person.
 *
 * @returns null where there is no such person
 */
export async function beginErasure(tx: Db, request: Request): Promise<ErasureRow | null> {
  const { project_id, person_id, requested_by_id, hash, now } = request;
  await lockWriters(tx);
  const person = await lockPerson(tx, project_id, person_id);
  if (!person) return null;
  const distinct_ids = await selectDistinctIds(tx, person_id);
  const merged = await selectMergedInto(tx, project_id, person_id);
  const of = { project_id, type: "person", group_type_index: -1 } as const;
  // Nothing was seen just now.
  await ingestProperties(tx, [{ ...of, before: person.properties, after: {} }], new Date(0));
  await deleteUnusedProperties(tx, project_id);
  const cohort_people = await deleteMemberships(tx, person_id);
  const feature_flag_hash_key_overrides = await deleteHashKeys(tx, project_id, person_id);
  await deletePerson(tx, person_id);
  await publishPersons(tx, { ids: [person_id], keys: [] });
  const erasure = await insertErasure(tx, {
    project_id,
    person_uuid: person.uuid,
    requested_by_id,
    requested_at: now,
    person_ids: [person_id, ...merged],
    distinct_ids,
    copied_distinct_ids: distinct_ids,
    hashes: hash ? distinct_ids.map((each) => hash(project_id, each)) : [],
    removed: sum({
      persons: 1,
      person_distinct_ids: distinct_ids.length,
      cohort_people,
      feature_flag_hash_key_overrides,
    }),
  });
  await noteErasure(tx, erasure, "requested");
  await enqueue(tx, erasePerson, erasure.id, { erasure_id: erasure.id });
  if (cohort_people > 0) await publish(tx, COHORTS_TOPIC, { project_id });
  return erasure;
}

/**
 * After the restoration of a backup: remembers the erasures that it does not know of, and erases again whom it has
 * restored.
 */
export async function keepErasures(
  tx: Db,
  known: readonly ErasureRow[],
  encryptionKey: Uint8Array | undefined,
): Promise<void> {
  // Whatever was left to do is done to the restored data instead.
  const finished = known.map((row) => ({
    ...row,
    distinct_ids: [],
    copied_distinct_ids: [],
    finished_at: row.finished_at ?? new Date(),
  }));
  const added = await insertMissingErasures(tx, finished);
  const missing = known.filter(({ id }) => added.has(id));
  if (missing.length === 0 || !encryptionKey) return;
  const hash = createHasher(encryptionKey);
  for (const [project_id, list] of Map.groupBy(missing, (row) => row.project_id)) {
    const byHash = new Map(list.flatMap((row) => row.hashes.map((each) => [each, row] as const)));
    const found = new Map<number, ErasureRow>();
    for await (const rows of scanDistinctIds(tx, project_id))
      for (const { distinct_id, person_id } of rows) {
        const erasure = byHash.get(hash(project_id, distinct_id));
        if (erasure) found.set(person_id, erasure);
      }
    for (const [person_id, { requested_by_id }] of found)
      await beginErasure(tx, { project_id, person_id, requested_by_id, hash: null, now: new Date() });
  }
}
