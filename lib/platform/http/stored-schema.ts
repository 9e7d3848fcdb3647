import { z } from "zod";

/** What a record says of stored values that could not be read. */
export const unreadableFields = z.array(z.string()).optional().meta({
  description:
    "Fields whose stored value cannot be read: returned empty until written again. Absent when everything is readable.",
});

/** Names of the fields of a row that are empty because their stored value cannot be read. */
export type Readable = { unreadable_fields?: readonly string[] };

/** The member of a record that names its unreadable fields; nothing where there are none. */
export const unreadable = (fields: readonly string[] | undefined): { unreadable_fields?: string[] } =>
  fields && fields.length > 0 ? { unreadable_fields: [...fields] } : {};

const EMPTY = [null, [], {}];

/**
 * A row whose JSON columns fit what its endpoints promise, whatever is stored: one broken record must not take down
 * a list. The same row comes back where everything fits.
 *
 * @param fields the columns to look at, with the schemas of the answer
 */
export function readStored<Row extends object>(fields: z.ZodObject, row: Row): Row & Readable {
  const parsed = fields.safeParse(row);
  if (parsed.success) return row;
  const broken = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  const values = broken.map((name) => {
    const schema = fields.shape[name] as z.ZodType;
    return [name, EMPTY.find((value) => schema.safeParse(value).success)];
  });
  return { ...row, ...Object.fromEntries(values), unreadable_fields: broken };
}

/** The unreadable fields of a row after an update that sent some of its fields. */
export const stillUnreadable = (row: Readable, sent: object): string[] | undefined =>
  row.unreadable_fields?.filter((name) => (sent as Record<string, unknown>)[name] === undefined);

/** What an update writes of a row: a value that could not be read stays as it is stored. */
export function writableValues<Values extends Readable>(values: Values): Omit<Values, "unreadable_fields"> {
  const { unreadable_fields = [], ...rest } = values;
  const entries = Object.entries(rest).filter(([name]) => !unreadable_fields.includes(name));
  return Object.fromEntries(entries) as Omit<Values, "unreadable_fields">;
}
