import { isDeepStrictEqual } from "node:util";

export type Properties = Record<string, unknown>;

/** What one event does to persons. */
export type PersonChange = {
  set: Properties | null;
  set_once: Properties | null;
  unset: string[] | null;
  /** Another distinct id of the same person; `force` where an identified person may be merged away too. */
  merge: { other: string; force: boolean } | null;
  /** The event's own distinct id is one that a person was identified by. */
  identifies: boolean;
};

/** Ids that many clients send by mistake: persons who share one are not the same person. */
const SHARED_IDS = new Set([
  "anonymous",
  "anonymous_id",
  "distinct_id",
  "distinctid",
  "email",
  "false",
  "guest",
  "id",
  "nan",
  "nil",
  "none",
  "not_authenticated",
  "null",
  "undefined",
  "true",
  "unknown",
  "user",
  "[object object]",
  "00000000-0000-0000-0000-000000000000",
  "0",
  "-1",
]);

const isRecord = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const recordOrNull = (value: unknown): Properties | null =>
  isRecord(value) && Object.keys(value).length > 0 ? value : null;

/** Whether a distinct id can stand for one person; others take part in no merge. */
const isPersonal = (distinctId: string): boolean => !SHARED_IDS.has(distinctId.trim().toLowerCase());

function mergeOf(event: string, distinctId: string, properties: Properties): PersonChange["merge"] {
  const isAlias = event === "$create_alias" || event === "$merge_dangerously";
  if (!isAlias && event !== "$identify") return null;
  const named = isAlias ? properties.alias : properties.$anon_distinct_id;
  const other = (typeof named === "number" ? String(named) : typeof named === "string" ? named : "").trim();
  if (!other || other.length > 400 || other === distinctId) return null;
  if (!isPersonal(other) || !isPersonal(distinctId)) return null;
  return { other, force: event === "$merge_dangerously" };
}

/** What an event does to persons; null for most, which do nothing. */
export function personChangeOf(event: {
  event: string;
  distinct_id: string;
  properties: Properties;
}): PersonChange | null {
  const { properties } = event;
  const unset = Array.isArray(properties.$unset)
    ? properties.$unset.filter((name): name is string => typeof name === "string")
    : [];
  const change: PersonChange = {
    set: recordOrNull(properties.$set),
    set_once: recordOrNull(properties.$set_once),
    unset: unset.length > 0 ? unset : null,
    merge: mergeOf(event.event, event.distinct_id, properties),
    identifies: event.event === "$identify" && isPersonal(event.distinct_id),
  };
  const { set, set_once, merge, identifies } = change;
  return set || set_once || change.unset || merge || identifies ? change : null;
}

/**
 * Properties after a change: `$set_once` fills what is missing, `$set` wins over it, `$unset` comes last.
 *
 * @returns the same object where nothing changes
 */
export function applyChange(before: Properties, change: PersonChange): Properties {
  let after = before;
  const put = (name: string, value: unknown) => {
    if (after === before) after = { ...before };
    // Plain assignment to "__proto__" would not make a property.
    Object.defineProperty(after, name, { value, enumerable: true, configurable: true, writable: true });
  };
  for (const [name, value] of Object.entries(change.set_once ?? {}))
    if (!Object.hasOwn(after, name)) put(name, value);
  for (const [name, value] of Object.entries(change.set ?? {}))
    if (!Object.hasOwn(after, name) || !isDeepStrictEqual(after[name], value)) put(name, value);
  for (const name of change.unset ?? []) {
    if (!Object.hasOwn(after, name)) continue;
    if (after === before) after = { ...before };
    delete after[name];
  }
  return after;
}
