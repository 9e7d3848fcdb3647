import { isObject, type Json } from "#lib/engines/json.ts";

/** A condition on what people did: they performed an event, since a moment, with such properties. */
export type Behavior = {
  /** Name of the event; null: of any. */
  event: string | null;
  since: Date | null;
  /** Conditions on the properties of one and the same event. */
  rows: readonly Json[];
};

const members = (node: Json): Json[] => (Array.isArray(node.values) ? node.values.filter(isObject) : []);

/** Whether a cohort's filters ask what people did. */
function asksBehavior(node: unknown): boolean {
  if (!isObject(node)) return false;
  return node.type === "behavioral" || members(node).some(asksBehavior);
}

/** Cohorts that ask what people did, themselves or by a cohort that they refer to: flags cannot use them. */
export function behavioralIds(cohorts: ReadonlyMap<number, { filters: unknown }>): Set<number> {
  const found = new Set<number>();
  const refersTo = (node: unknown): boolean =>
    isObject(node) &&
    ((node.type === "cohort" && found.has(Number(node.value))) || members(node).some(refersTo));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [id, { filters }] of cohorts) {
      const tree = isObject(filters) ? filters.properties : null;
      if (asksBehavior(tree) || refersTo(tree)) found.add(id);
    }
  }
  return found;
}

/** The kinds of rows that the properties of an event answer. */
const ON_EVENTS = new Set(["event", "feature"]);

/**
 * What a behavioral row asks.
 *
 * @returns null for one that nobody can fulfil here: another behavior than a performed event, or conditions on
 * something else than the event's properties
 */
export function parseBehavior(row: Json): Behavior | null {
  if (row.value !== "performed_event" || row.event_type !== "events") return null;
  if (row.key !== null && typeof row.key !== "string") return null;
  const rows = Array.isArray(row.event_filters) ? row.event_filters : [];
  if (!rows.every((one) => isObject(one) && ON_EVENTS.has(String(one.type ?? "event")))) return null;
  const since = typeof row.explicit_datetime === "string" ? new Date(row.explicit_datetime) : null;
  if (since && Number.isNaN(since.getTime())) return null;
  return { event: row.key, since, rows: rows as Json[] };
}

/**
 * A cohort's tree with each behavioral row replaced by membership of a list that is made up for it.
 *
 * @param listOf the id of the list of those who fulfil a behavior; the same row may ask again
 */
export function withLists(node: unknown, listOf: (row: Json) => number): unknown {
  if (!isObject(node)) return node;
  if (node.type === "behavioral")
    return {
      key: "id",
      type: "cohort",
      value: listOf(node),
      operator: "in",
      ...(node.negation === true && { negation: true }),
    };
  return Array.isArray(node.values)
    ? { ...node, values: node.values.map((member: unknown) => withLists(member, listOf)) }
    : node;
}
