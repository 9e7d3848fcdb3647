import { isDeepStrictEqual } from "node:util";
import { isObject } from "#lib/engines/json.ts";

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

const recordOrNull = (value: unknown): Properties | null =>
  isObject(value) && Object.keys(value).length > 0 ? value : null;

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

type PropertyChange = Pick<PersonChange, "set" | "set_once" | "unset">;

/** Whether a change would change these properties at all. */
export function isChangedBy(properties: Properties, { set, set_once, unset }: PropertyChange): boolean {
  for (const name of Object.keys(set_once ?? {})) if (!Object.hasOwn(properties, name)) return true;
  for (const [name, value] of Object.entries(set ?? {}))
    if (!Object.hasOwn(properties, name) || !isDeepStrictEqual(properties[name], value)) return true;
  return (unset ?? []).some((name) => Object.hasOwn(properties, name));
}

/** Changes properties in place: `$set_once` fills what is missing, `$set` overrides it, `$unset` comes last. */
function change(properties: Properties, { set, set_once, unset }: PropertyChange): void {
  // Plain assignment to "__proto__" would not make a property.
  const put = (name: string, value: unknown) =>
    Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true });
  for (const [name, value] of Object.entries(set_once ?? {}))
    if (!Object.hasOwn(properties, name)) put(name, value);
  for (const [name, value] of Object.entries(set ?? {})) put(name, value);
  for (const name of unset ?? []) delete properties[name];
}

/** Properties of one person or group take at most this many characters as JSON. */
const JSON_LIMIT = 512 * 1024;

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

/** Properties of a person or group while the changes of many events are applied to them. */
export class PropertyDraft {
  #properties: Properties;
  /** Whether `#properties` is a copy of our own, which may be changed in place. */
  #isCopy = false;
  /** They take this many characters at most; measuring again at each change would cost too much. */
  #size: number | null = null;

  /** @param properties are left as they are */
  constructor(properties: Properties) {
    this.#properties = properties;
  }

  /** The same object that the draft was made with, as long as nothing has changed. */
  get properties(): Properties {
    return this.#properties;
  }

  /** @returns false where the properties would become too large; they stay as they are then */
  apply(by: PropertyChange): boolean {
    if (!isChangedBy(this.#properties, by)) return true;
    const bound = (this.#size ?? sizeOf(this.#properties)) + sizeOf([by.set, by.set_once]);
    if (bound <= JSON_LIMIT && this.#isCopy) {
      change(this.#properties, by);
      this.#size = bound;
      return true;
    }
    const after = { ...this.#properties };
    change(after, by);
    return this.#replace(after);
  }

  /** Adds what another draft has and this one has not. @returns as `apply` */
  absorb(other: PropertyDraft): boolean {
    return this.#replace({ ...other.#properties, ...this.#properties });
  }

  #replace(after: Properties): boolean {
    const size = sizeOf(after);
    if (size > JSON_LIMIT) return false;
    this.#properties = after;
    this.#isCopy = true;
    this.#size = size;
    return true;
  }
}
