import { RETENTION_DAYS_MIN } from "#lib/identity/projects/event-retention.ts";
import { COHORTS_TOPIC } from "#lib/people/cohorts/cache.ts";
import {
  GROUP_TYPES_TOPIC,
  type GroupArrival,
  groupChangeOf,
  ingestGroups,
} from "#lib/people/groups/ingest.ts";
import { type ChangedPersons, publishPersons } from "#lib/people/persons/cache.ts";
import { personChangeOf } from "#lib/people/persons/changes.ts";
import { ingestPersons, type PersonArrival } from "#lib/people/persons/ingest.ts";
import { ingestProperties } from "#lib/people/property_definitions/ingest.ts";
import type { PropertyDelta } from "#lib/people/property_definitions/tally.ts";
import { horizonOf, OTHER_EVENTS } from "#lib/people/retention/horizons.ts";
import { addRefused, selectHorizonsOf } from "#lib/people/retention/horizons-store.ts";
import type { Tx } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { addNames, insertEvents, type ProjectEvent, takeUuids } from "./ingest-store.ts";
import { namesOf, sortedTallies } from "./rollups.ts";

/** What a transaction did; to be acted on after its commit. */
export type Flushed<E> = {
  /** Events that were not stored before. */
  fresh: E[];
  warnings: { of: E; reason: string }[];
  changedPersons: ChangedPersons;
  /** Projects that got a new type of groups. */
  newTypesOf: number[];
  shrunkCohortsOf: number[];
};

/** Two persons who turned out to be one; several steps may lead to the last winner. */
export type PersonMerge = { loser: number; winner: number };

/** What a module above keeps of events: written in the transaction that stores them. */
export type IngestStep = (
  tx: Tx,
  fresh: readonly ProjectEvent[],
  merges: readonly PersonMerge[],
) => Promise<void>;

const uuidKey = (project_id: number, uuid: string) => `${project_id}:${uuid}`;

/** Events whose uuid is not stored yet, in the order in which they arrived; of equal ones the first. */
async function freshOf<E extends ProjectEvent>(tx: Tx, events: E[]): Promise<E[]> {
  const byUuid = new Map<string, E>();
  for (const event of events) {
    const key = uuidKey(event.project_id, event.event.uuid);
    if (!byUuid.has(key)) byUuid.set(key, event);
  }
  const sorted = [...byUuid.values()].sort(
    (a, b) => a.project_id - b.project_id || (a.event.uuid < b.event.uuid ? -1 : 1),
  );
  const taken = await takeUuids(tx, sorted);
  if (taken.length === events.length) return events;
  const fresh = new Set(taken.map(({ project_id, uuid }) => uuidKey(project_id, uuid)));
  return [...byUuid].flatMap(([key, event]) => (fresh.has(key) ? [event] : []));
}

/** Horizons are further back than this: whatever happened since need not be compared with them. */
const RECENT_MS = (RETENTION_DAYS_MIN - 1) * 86_400_000;

/**
 * Events from before what a project has deleted are refused: what was computed from the deleted events could not take
 * them in.
 */
async function admitted<E extends ProjectEvent>(
  tx: Tx,
  events: E[],
  now: Date,
  refuse: (of: E, reason: string) => void,
): Promise<E[]> {
  const recent = now.getTime() - RECENT_MS;
  const old = events.filter(({ event }) => event.at < recent);
  if (old.length === 0) return events;
  const horizons = await selectHorizonsOf(tx, [...new Set(old.map(({ project_id }) => project_id))]);
  if (horizons.size === 0) return events;
  const counts = new Map<string, { project_id: number; event: string; count: number }>();
  const kept = events.filter((of) => {
    const { project_id, event } = of;
    const own = horizons.get(project_id);
    const before = own && horizonOf(own, event.event);
    if (!before || event.at >= before.getTime()) return true;
    const name = own.has(event.event) ? event.event : OTHER_EVENTS;
    const key = `${project_id}:${name}`;
    counts.set(key, { project_id, event: name, count: (counts.get(key)?.count ?? 0) + 1 });
    refuse(of, `The project keeps no events from before ${before.toISOString().slice(0, 10)}.`);
    return false;
  });
  if (counts.size > 0) await addRefused(tx, sortedTallies(counts));
  return kept;
}

/**
 * Stores events and everything that follows from them, in one transaction. Every step takes its row locks sorted,
 * and all processes take the steps in this order, so that they wait for each other instead of deadlocking.
 */
export async function flush<E extends ProjectEvent>(
  tx: Tx,
  events: E[],
  now: Date,
  steps: readonly IngestStep[],
): Promise<Flushed<E>> {
  const warnings: Flushed<E>["warnings"] = [];
  const admissible = await admitted(tx, events, now, (of, reason) => warnings.push({ of, reason }));
  const fresh = await freshOf(tx, admissible);
  await insertEvents(tx, fresh, now);
  const arrivals: PersonArrival[] = [];
  const groupArrivals: GroupArrival[] = [];
  for (const of of fresh) {
    const { project_id, event } = of;
    const warn = (reason: string) => void warnings.push({ of, reason });
    const { distinct_id, at } = event;
    arrivals.push({ project_id, distinct_id, at, change: personChangeOf(event), warn });
    const change = groupChangeOf(event);
    if (change) groupArrivals.push({ project_id, change, warn });
  }
  const people = await ingestPersons(tx, arrivals);
  const groups = await ingestGroups(tx, groupArrivals);
  const deltas: PropertyDelta[] = [
    ...people.deltas.map((delta) => ({ ...delta, type: "person" as const, group_type_index: -1 })),
    ...groups.deltas.map((delta) => ({ ...delta, type: "group" as const })),
  ];
  await ingestProperties(tx, deltas, now);
  await addNames(tx, namesOf(fresh));
  for (const step of steps) await step(tx, fresh, people.merges);
  for (const project_id of groups.newTypesOf) await publish(tx, GROUP_TYPES_TOPIC, { project_id });
  for (const project_id of people.shrunkCohortsOf) await publish(tx, COHORTS_TOPIC, { project_id });
  await publishPersons(tx, people.changed);
  return {
    fresh,
    warnings,
    changedPersons: people.changed,
    newTypesOf: groups.newTypesOf,
    shrunkCohortsOf: people.shrunkCohortsOf,
  };
}
