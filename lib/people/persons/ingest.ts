import type { Db } from "#lib/platform/db/connect.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import type { ChangedPersons } from "./cache.ts";
import { isChangedBy, type PersonChange, type Properties, PropertyDraft } from "./changes.ts";
import {
  type FoundPerson,
  insertPeople,
  keyOf,
  mergePeople,
  type PersonKey,
  selectKnownKeys,
  selectPeople,
  updatePeople,
} from "./ingest-store.ts";

/** An event as far as persons are concerned. */
export type PersonArrival = PersonKey & {
  at: number;
  change: PersonChange | null;
  /** Called when the change cannot be stored; the event itself is. */
  warn: (reason: string) => void;
};

/** Properties of one person before and after. */
type PersonDelta = { project_id: number; before: Properties; after: Properties };

/** A person in the making: one that was merged away points to who took over. */
type Draft = {
  id: number;
  project_id: number;
  stored: Properties;
  draft: PropertyDraft;
  is_identified: boolean;
  was_identified: boolean;
  created_at: number;
  absorbed_by: Draft | null;
};

const TOO_LARGE = "The person's properties would become too large.";

const byKey = (a: PersonKey, b: PersonKey) =>
  a.project_id - b.project_id || (a.distinct_id < b.distinct_id ? -1 : a.distinct_id > b.distinct_id ? 1 : 0);

/** The distinct ids that events name, each with the first moment it appears. */
function namedIn(arrivals: PersonArrival[]) {
  const named = new Map<string, PersonKey & { created_at: number }>();
  const note = (project_id: number, distinct_id: string, at: number) => {
    const key = keyOf({ project_id, distinct_id });
    const earlier = named.get(key);
    if (!earlier) named.set(key, { project_id, distinct_id, created_at: at });
    else if (at < earlier.created_at) earlier.created_at = at;
  };
  for (const { project_id, distinct_id, at, change } of arrivals) {
    note(project_id, distinct_id, at);
    if (change?.merge) note(project_id, change.merge.other, at);
  }
  return named;
}

/** Distinct ids on either side of a merge. */
function mergingIn(arrivals: PersonArrival[]): Map<string, PersonKey> {
  const merging = new Map<string, PersonKey>();
  for (const { project_id, distinct_id, change } of arrivals) {
    if (!change?.merge) continue;
    for (const id of [distinct_id, change.merge.other]) {
      const key = { project_id, distinct_id: id };
      merging.set(keyOf(key), key);
    }
  }
  return merging;
}

/** Creates persons for distinct ids without one; those not part of a merge get their properties immediately. */
async function createPeople(
  tx: Db,
  arrivals: PersonArrival[],
  missing: Map<string, PersonKey & { created_at: number }>,
  merging: Map<string, PersonKey>,
): Promise<{ made: PersonKey[]; settled: Set<string>; deltas: PersonDelta[] }> {
  const first = new Map<string, { draft: PropertyDraft; is_identified: boolean }>();
  const slices = createSlices();
  for (const arrival of arrivals) {
    const key = keyOf(arrival);
    if (!arrival.change || !missing.has(key) || merging.has(key)) continue;
    const person = first.get(key) ?? { draft: new PropertyDraft({}), is_identified: false };
    first.set(key, person);
    if (!person.draft.apply(arrival.change)) arrival.warn(TOO_LARGE);
    person.is_identified ||= arrival.change.identifies;
    await slices();
  }
  const rows = [...missing].map(([key, person]) => {
    const made = first.get(key);
    const json = made ? JSON.stringify(made.draft.properties) : "{}";
    return { ...person, is_identified: made?.is_identified ?? false, json };
  });
  const made = await insertPeople(tx, rows.sort(byKey));
  const settled = new Set(made.map(keyOf).filter((key) => !merging.has(key)));
  const deltas = made.flatMap((key) => {
    const properties = first.get(keyOf(key))?.draft.properties;
    return properties ? [{ project_id: key.project_id, before: {}, after: properties }] : [];
  });
  return { made, settled, deltas };
}

/** Keys whose persons have to be written: all that merges touch, and those that a change really changes. */
async function keysToLock(tx: Db, pending: PersonArrival[], merging: Map<string, PersonKey>) {
  const wanted = new Map(merging);
  for (const arrival of pending)
    wanted.set(keyOf(arrival), { project_id: arrival.project_id, distinct_id: arrival.distinct_id });
  const found = new Map<string, FoundPerson>();
  for (const person of await selectPeople(tx, [...wanted.values()], false)) found.set(keyOf(person), person);
  const touched = new Set([...merging.keys()].map((key) => found.get(key)?.id));
  for (const arrival of pending) {
    const person = found.get(keyOf(arrival));
    if (!person || !arrival.change) continue;
    const isNew = arrival.change.identifies && !person.is_identified;
    if (isNew || isChangedBy(person.properties, arrival.change)) touched.add(person.id);
  }
  return [...wanted].flatMap(([key, wantedKey]) => {
    const person = found.get(key);
    // Not found: merged away this moment; the locked reading follows it.
    return !person || touched.has(person.id) ? [wantedKey] : [];
  });
}

/** Locked drafts of the persons behind distinct ids, one per person. */
async function lockDrafts(tx: Db, keys: PersonKey[]): Promise<Map<string, Draft>> {
  const drafts = new Map<string, Draft>();
  const byId = new Map<number, Draft>();
  let waiting = keys;
  while (waiting.length > 0) {
    const people = await selectPeople(tx, waiting, true);
    if (people.length === 0) throw new Error("A distinct id lost its person.");
    for (const person of people) {
      const draft = byId.get(person.id) ?? {
        id: person.id,
        project_id: person.project_id,
        stored: person.properties,
        draft: new PropertyDraft(person.properties),
        is_identified: person.is_identified,
        was_identified: person.is_identified,
        created_at: person.created_at,
        absorbed_by: null,
      };
      byId.set(person.id, draft);
      drafts.set(keyOf(person), draft);
    }
    waiting = waiting.filter((key) => !drafts.has(keyOf(key)));
  }
  return drafts;
}

const rootOf = (draft: Draft): Draft => {
  let root = draft;
  while (root.absorbed_by) root = root.absorbed_by;
  return root;
};

function merge(winner: Draft, loser: Draft, arrival: PersonArrival): void {
  if (!winner.draft.absorb(loser.draft)) arrival.warn(TOO_LARGE);
  winner.created_at = Math.min(winner.created_at, loser.created_at);
  winner.is_identified = true;
  loser.absorbed_by = winner;
}

function foldInto(drafts: Map<string, Draft>, arrival: PersonArrival): void {
  const start = drafts.get(keyOf(arrival));
  const { change } = arrival;
  if (!start || !change) return;
  const own = rootOf(start);
  if (change.merge) {
    const named = drafts.get(keyOf({ project_id: arrival.project_id, distinct_id: change.merge.other }));
    const other = named && rootOf(named);
    if (other && other !== own) {
      if (other.is_identified && !change.merge.force)
        arrival.warn("The other person is already identified, so they were not merged.");
      else merge(own, other, arrival);
    }
  }
  if (!own.draft.apply(change)) arrival.warn(TOO_LARGE);
  if (change.identifies) own.is_identified = true;
}

async function writeDrafts(tx: Db, drafts: Iterable<Draft>) {
  const all = [...new Set(drafts)].sort((a, b) => a.id - b.id);
  const losers = all.filter((draft) => draft.absorbed_by);
  const merged = new Set(losers.map(rootOf));
  const changed = all.filter(
    (draft) =>
      !draft.absorbed_by &&
      (merged.has(draft) ||
        draft.draft.properties !== draft.stored ||
        draft.is_identified !== draft.was_identified),
  );
  await updatePeople(
    tx,
    changed.map((draft) => ({ ...draft, json: JSON.stringify(draft.draft.properties) })),
  );
  const merges = losers.map((loser) => ({ loser: loser.id, winner: rootOf(loser).id }));
  const shrunkCohortsOf = await mergePeople(tx, merges);
  const deltas: PersonDelta[] = [
    ...changed.map((d) => ({ project_id: d.project_id, before: d.stored, after: d.draft.properties })),
    ...losers.map((d) => ({ project_id: d.project_id, before: d.stored, after: {} })),
  ];
  const ids = [...changed, ...losers].map(({ id }) => id);
  return { deltas, shrunkCohortsOf, merges, ids };
}

type IngestedPersons = {
  changed: ChangedPersons;
  deltas: PersonDelta[];
  shrunkCohortsOf: number[];
  merges: { loser: number; winner: number }[];
};

/**
 * Creates, updates and merges the persons of a transaction's events, in order of arrival.
 *
 * @returns which persons changed and how their properties did, the projects whose static cohorts lost a member to a merge,
 *   and who was merged into whom in the end
 */
export async function ingestPersons(tx: Db, arrivals: PersonArrival[]): Promise<IngestedPersons> {
  const missing = namedIn(arrivals);
  for (const key of await selectKnownKeys(tx, [...missing.values()])) missing.delete(keyOf(key));
  const merging = mergingIn(arrivals);
  const { made, settled, deltas } = await createPeople(tx, arrivals, missing, merging);
  const pending = arrivals.filter((arrival) => arrival.change && !settled.has(keyOf(arrival)));
  if (pending.length === 0)
    return { changed: { ids: [], keys: made }, deltas, shrunkCohortsOf: [], merges: [] };
  const keys = await keysToLock(tx, pending, merging);
  const drafts = await lockDrafts(tx, keys);
  const slices = createSlices();
  for (const arrival of pending) {
    foldInto(drafts, arrival);
    await slices();
  }
  const { ids, ...written } = await writeDrafts(tx, drafts.values());
  return { ...written, changed: { ids, keys: made }, deltas: [...deltas, ...written.deltas] };
}
