import { isDeepStrictEqual } from "node:util";
import { isObject } from "#lib/engines/json.ts";
import { insertGroupType } from "#lib/identity/projects/store.ts";
import { PropertyDraft } from "#lib/people/persons/changes.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import { type GroupKey, lockGroups, selectGroupTypes, updateGroups } from "./ingest-store.ts";

/** The notification topic of new types of groups. */
export const GROUP_TYPES_TOPIC = "group_types";

type Properties = Record<string, unknown>;

/** What an event says about groups: the types it names, and the properties of one group. */
export type GroupChange = {
  types: string[];
  identify: { group_type: string; group_key: string; set: Properties } | null;
};

export type GroupArrival = { project_id: number; change: GroupChange; warn: (reason: string) => void };
type GroupDelta = GroupKey & { before: Properties; after: Properties };

/** Indexes of the types of groups, by project. */
type GroupTypes = Map<number, ReadonlyMap<string, number>>;

/** A project has this many types of groups at most. */
const GROUP_TYPES_LIMIT = 5;
const TEXT_LIMIT = 400;

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= TEXT_LIMIT;

/** What an event says about groups; null for most, which say nothing. */
export function groupChangeOf(event: { event: string; properties: Properties }): GroupChange | null {
  const { $groups, $group_type, $group_key, $group_set } = event.properties;
  const types = isObject($groups) ? Object.keys($groups).filter(isText) : [];
  const key = typeof $group_key === "number" ? String($group_key) : $group_key;
  const identify =
    event.event === "$groupidentify" && isText($group_type) && isText(key)
      ? { group_type: $group_type, group_key: key, set: isObject($group_set) ? $group_set : {} }
      : null;
  if (identify) types.push(identify.group_type);
  return types.length > 0 ? { types, identify } : null;
}

/** The types that events name, by project. */
function typesIn(arrivals: GroupArrival[]): Map<number, Set<string>> {
  const named = new Map<number, Set<string>>();
  for (const { project_id, change } of arrivals) {
    const types = named.get(project_id) ?? new Set();
    for (const type of change.types) types.add(type);
    named.set(project_id, types);
  }
  return named;
}

async function readTypes(tx: Db, projectId: number): Promise<Map<string, number>> {
  const rows = await selectGroupTypes(tx, projectId);
  return new Map(rows.map((row) => [row.group_type, row.group_type_index]));
}

/** Gives types the free indexes of a project, in order; another process may take some meanwhile. */
async function assignTypes(tx: Db, projectId: number, wanted: Iterable<string>) {
  let types = await readTypes(tx, projectId);
  let isNew = false;
  for (const group_type of wanted)
    while (!types.has(group_type) && types.size < GROUP_TYPES_LIMIT) {
      const taken = new Set(types.values());
      const free = [...Array(GROUP_TYPES_LIMIT).keys()].find((index) => !taken.has(index)) ?? 0;
      await insertGroupType(tx, { project_id: projectId, group_type_index: free, group_type });
      types = await readTypes(tx, projectId);
      isNew = true;
    }
  return { types, isNew };
}

async function typesFor(tx: Db, arrivals: GroupArrival[]) {
  const types: GroupTypes = new Map();
  const newTypesOf: number[] = [];
  for (const [projectId, named] of [...typesIn(arrivals)].sort(([a], [b]) => a - b)) {
    const assigned = await assignTypes(tx, projectId, named);
    types.set(projectId, assigned.types);
    if (assigned.isNew) newTypesOf.push(projectId);
  }
  return { types, newTypesOf };
}

const keyOf = (g: GroupKey) => `${g.project_id}:${g.group_type_index}:${g.group_key}`;

const byKey = (a: GroupKey, b: GroupKey) =>
  a.project_id - b.project_id ||
  a.group_type_index - b.group_type_index ||
  (a.group_key < b.group_key ? -1 : a.group_key > b.group_key ? 1 : 0);

/** The groups that events set properties of, with what they set, in order. */
function settingsIn(arrivals: GroupArrival[], types: GroupTypes) {
  const settings = new Map<
    string,
    { key: GroupKey; of: { set: Properties; warn: GroupArrival["warn"] }[] }
  >();
  for (const { project_id, change, warn } of arrivals) {
    const indexes = types.get(project_id);
    const over = change.types.find((type) => !indexes?.has(type));
    if (over !== undefined)
      warn(
        `A project can have at most ${GROUP_TYPES_LIMIT} group types: "${over.slice(0, 100)}" is ignored.`,
      );
    const index = change.identify && indexes?.get(change.identify.group_type);
    if (!change.identify || index === undefined || index === null) continue;
    const key = { project_id, group_type_index: index, group_key: change.identify.group_key };
    const found = settings.get(keyOf(key)) ?? { key, of: [] };
    found.of.push({ set: change.identify.set, warn });
    settings.set(keyOf(key), found);
  }
  return settings;
}

/**
 * Creates and updates the groups of a transaction's events.
 *
 * @returns how properties changed, and the projects that got a new type
 */
export async function ingestGroups(tx: Db, arrivals: GroupArrival[]) {
  if (arrivals.length === 0) return { deltas: [], newTypesOf: [] };
  const { types, newTypesOf } = await typesFor(tx, arrivals);
  const settings = settingsIn(arrivals, types);
  const rows = await lockGroups(tx, [...settings.values()].map(({ key }) => key).sort(byKey));
  const deltas: GroupDelta[] = [];
  const slices = createSlices();
  for (const { properties: before, ...key } of rows) {
    const draft = new PropertyDraft(before);
    for (const { set, warn } of settings.get(keyOf(key))?.of ?? []) {
      if (!draft.apply({ set, set_once: null, unset: null }))
        warn("The group's properties would become too large.");
      await slices();
    }
    const after = draft.properties;
    if (!isDeepStrictEqual(before, after)) deltas.push({ ...key, before, after });
  }
  await updateGroups(
    tx,
    deltas.map((delta) => ({ ...delta, json: JSON.stringify(delta.after) })),
  );
  return { deltas, newTypesOf };
}
