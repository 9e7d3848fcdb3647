import { type SQL, sql } from "drizzle-orm";

/** Many persons in one row, a list for each of their fields: a tenth of the work that a row for each would be. */
export type PackedPersons = {
  ids: number[];
  /** null where nobody asked, or there is none. */
  distinct_ids: (string | null)[];
  /** For each property its values as JSON; null where a person does not have it. */
  columns: (string | null)[][];
};

const columnOf = (place: number) => sql.identifier(`value_${place}`);

/** Some of the properties of persons, to be packed: a person can carry hundreds. */
export const propertyTexts = (names: readonly string[]): SQL =>
  names.length === 0
    ? sql`null as none`
    : sql.join(
        names.map((name, place) => sql`(properties -> ${name}::text)::text as ${columnOf(place)}`),
        sql`, `,
      );

/** Packs the persons of a query that gives `id`, `distinct_id` and `propertyTexts`, in its order. */
export const packedColumns = (names: readonly string[]): SQL =>
  sql`coalesce(json_agg(id), '[]') as ids, coalesce(json_agg(distinct_id), '[]') as distinct_ids, json_build_array(${sql.join(
    names.map((_, place) => sql`json_agg(${columnOf(place)})`),
    sql`, `,
  )}) as columns`;

/** How many different combinations of values are remembered: the first ones, which for most properties are all. */
export const REMEMBERED_MAX = 10_000;

/**
 * The properties of packed persons. Most with the same values get the same object, which must not be changed.
 *
 * @param names as they were packed
 */
export function createUnpacking(names: readonly string[]) {
  const remembered = new Map<string, Record<string, unknown>>();
  return (columns: PackedPersons["columns"], place: number): Record<string, unknown> => {
    // JSON has no such character, and is never empty.
    const key = columns.map((texts) => texts[place] ?? "").join("\0");
    const known = remembered.get(key);
    if (known) return known;
    const properties = Object.fromEntries(
      names.flatMap((name, at) => {
        const text = columns[at]?.[place] ?? null;
        return text === null ? [] : [[name, JSON.parse(text)]];
      }),
    );
    if (remembered.size < REMEMBERED_MAX) remembered.set(key, properties);
    return properties;
  };
}
