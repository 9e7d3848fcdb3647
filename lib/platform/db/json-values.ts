import { type SQL, sql } from "drizzle-orm";

/** For each property a list of its value, or an empty list: one that is null is there all the same. */
export type Values = readonly (readonly unknown[])[];

/**
 * Some of the properties of persons, as the database hands them out: a person can carry hundreds.
 *
 * @param properties the column they are in
 * @returns an expression of type jsonb, to be read by `propertiesFrom`
 */
export function valuesOf(properties: SQL, names: readonly string[]): SQL<Values> {
  if (names.length === 0) return sql`'[]'::jsonb`;
  const each = names.map(
    (name) =>
      sql`case when ${properties} ? ${name}::text then jsonb_build_array(${properties} -> ${name}::text) else '[]' end`,
  );
  return sql`jsonb_build_array(${sql.join(each, sql`, `)})`;
}

/** What `valuesOf` handed out, by name again. */
export const propertiesFrom = (names: readonly string[], values: Values): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name, i) => (values[i] ?? []).map((value) => [name, value])));
