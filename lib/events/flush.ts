import { COHORTS_TOPIC } from "#lib/cohorts/cache.ts";
import type { Tx } from "#lib/db/connect.ts";
import { publish } from "#lib/db/notify.ts";
import { GROUP_TYPES_TOPIC } from "#lib/feature_flags/definitions.ts";
import { type GroupArrival, groupChangeOf, ingestGroups } from "#lib/groups/ingest.ts";
import { personChangeOf } from "#lib/persons/changes.ts";
import { ingestPersons, type PersonArrival } from "#lib/persons/ingest.ts";
import { ingestProperties } from "#lib/property_definitions/ingest.ts";
import type { PropertyDelta } from "#lib/property_definitions/tally.ts";
import { ingestSurveys } from "#lib/survey_results/ingest.ts";
import { addFlagCalls, addNames, insertEvents, type ProjectEvent, takeUuids } from "./ingest_store.ts";
import { type FlagCalls, flagCallsOf, namesOf } from "./rollups.ts";

/** What a transaction did; to be acted on after its commit. */
export type Flushed<E> = {
  /** Events that were not stored before. */
  fresh: E[];
  warnings: { of: E; reason: string }[];
  /** Projects that got a new type of groups. */
  newTypesOf: number[];
  shrunkCohortsOf: number[];
  flagCalls: FlagCalls[];
};

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

/**
 * Stores events and everything that follows from them, in one transaction. Every step takes its row locks sorted,
 * and all processes take the steps in this order, so that they wait for each other instead of deadlocking.
 */
export async function flush<E extends ProjectEvent>(tx: Tx, events: E[], now: Date): Promise<Flushed<E>> {
  const warnings: Flushed<E>["warnings"] = [];
  const fresh = await freshOf(tx, events);
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
  const flagCalls = flagCallsOf(fresh);
  await addFlagCalls(tx, flagCalls);
  await addNames(tx, namesOf(fresh));
  await ingestSurveys(tx, fresh, people.merges);
  for (const project_id of groups.newTypesOf) await publish(tx, GROUP_TYPES_TOPIC, { project_id });
  for (const project_id of people.shrunkCohortsOf) await publish(tx, COHORTS_TOPIC, { project_id });
  return {
    fresh,
    warnings,
    newTypesOf: groups.newTypesOf,
    shrunkCohortsOf: people.shrunkCohortsOf,
    flagCalls,
  };
}
