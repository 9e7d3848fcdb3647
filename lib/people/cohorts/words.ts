import { isObject, type Json } from "#lib/engines/json.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { type Names, plain, rowTokens, type Token } from "#lib/people/conditions/words.ts";

const word = (text: string): Token => ({ text, kind: "word" });
const members = (node: Json): Json[] => (Array.isArray(node.values) ? node.values.filter(isObject) : []);
const isGroup = (node: Json) => node.type === "AND" || node.type === "OR";

/** "performed signed_up since 2026-03-02 where plan is pro" */
function behaviorTokens(node: Json, names: Names): Token[] {
  const rows = Array.isArray(node.event_filters) ? node.event_filters.filter(isObject) : [];
  const since = typeof node.explicit_datetime === "string" ? node.explicit_datetime.slice(0, 10) : null;
  const where = rows.flatMap((row, place) => [
    word(place === 0 ? "where" : "and"),
    ...rowTokens({ ...row, type: "person" } as FlagProperty, names),
  ]);
  return [
    word("performed"),
    word(String(node.key ?? "any event")),
    ...(since ? [word(`since ${since}`)] : []),
    ...where,
  ];
}

function nodeTokens(node: Json, names: Names, nested: boolean): Token[] {
  if (node.type === "behavioral") return behaviorTokens(node, names);
  if (!isGroup(node)) {
    const row = rowTokens(node as FlagProperty, names);
    return node.negation === true ? [word("not ("), ...row, word(")")] : row;
  }
  const inner = members(node);
  const joined = inner.flatMap((member, place) => [
    ...(place > 0 ? [word(node.type === "OR" ? "or" : "and")] : []),
    ...nodeTokens(member, names, inner.length > 1),
  ]);
  return nested && inner.length > 1 ? [word("("), ...joined, word(")")] : joined;
}

/** Who belongs to a cohort by its filters: "plan is pro and country is DE or NL". Empty where they say nothing. */
export function cohortTokens(filters: Json, names: Names = {}): Token[] {
  return isObject(filters.properties) ? nodeTokens(filters.properties, names, false) : [];
}

/** A cohort's filters in words; null where they say nothing. */
export const definitionWords = (filters: unknown, names: Names = {}): string | null | undefined =>
  isObject(filters) ? plain(cohortTokens(filters, names)) || null : undefined;

const asRows = (nodes: readonly Json[]): FlagProperty[] | null =>
  nodes.every(
    (node) => !isGroup(node) && node.negation !== true && ["person", "cohort"].includes(String(node.type)),
  )
    ? (nodes as FlagProperty[])
    : null;

/**
 * Filters as sets of rows: a member matches every row of at least one set.
 *
 * @returns null for filters of another form, which only their JSON shows in full
 */
export function setsOf(filters: Json): FlagProperty[][] | null {
  const { properties } = filters;
  if (!isObject(properties) || !isGroup(properties)) return null;
  const inner = members(properties);
  const groups = inner.filter(isGroup);
  if (groups.length === 0) {
    const rows = asRows(inner);
    return rows && (properties.type === "AND" ? [rows] : rows.map((row) => [row]));
  }
  if (groups.length < inner.length || (properties.type === "AND" && groups.length > 1)) return null;
  const sets = groups.map((group) => {
    const rows = asRows(members(group));
    return rows && (group.type === "AND" || rows.length < 2) ? rows : null;
  });
  return sets.every((set) => set !== null) ? sets : null;
}

/** The filters that some sets of rows stand for, as the API accepts them. */
export const filtersOfSets = (sets: readonly (readonly FlagProperty[])[]) => ({
  properties: { type: "OR", values: sets.map((values) => ({ type: "AND", values: [...values] })) },
});
