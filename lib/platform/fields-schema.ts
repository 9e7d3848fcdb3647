import type { z } from "zod";

/** A field of a resource: what requests, records, the activity log, versions and forms have to know about it. */
export type Field = {
  /** What create and update accept; absent: requests cannot set it. */
  write?: z.ZodType;
  /** What records hold; absent: records leave it out. */
  read?: z.ZodType;
  /** Its stored value as records and the activity log show it; absent: as it is. */
  shown?: (stored: never) => unknown;
  /** What a new record has if its creator does not say. */
  initial?: unknown;
  /** Its column is JSON: what is stored is checked against `read` when it is read. */
  json?: true;
  /** Its place among the changes of an entry of the activity log; absent: its changes are not logged. */
  logged?: number;
  /** Versions include it, and restoring a version restores it. */
  restorable?: true;
  /** The form of the dashboard edits it. */
  editable?: true;
  /** A copy of the record takes it over. */
  copied?: true;
  /** What people call it; absent: its name. */
  label?: string;
  /** How a value reads, given the names of what it refers to; absent or undefined: as it is. */
  words?: (value: unknown, names: never) => string | null | undefined;
};

type Fields = Readonly<Record<string, Field>>;
/** The names of the fields that say something in one respect. */
export type NamesWith<F extends Fields, Part extends keyof Field> = {
  [Name in keyof F]: F[Name] extends Record<Part, unknown> ? Name : never;
}[keyof F] &
  string;
type Shape<F extends Fields, Part extends "read" | "write"> = {
  [Name in NamesWith<F, Part>]: F[Name] extends Record<Part, infer Schema extends z.ZodType> ? Schema : never;
};
type Output<S extends Record<string, z.ZodType>> = { [Name in keyof S]: z.output<S[Name]> };

/** Declares the fields of a resource, in the order of its records, from which everything else follows. */
export const defineFields = <F extends Record<string, Field>>(fields: F): F => fields;

/** Names of the fields that say something in one respect, in the order of records. */
export const namesWith = <F extends Fields, Part extends keyof Field>(fields: F, part: Part) =>
  Object.keys(fields).filter((name) => fields[name]?.[part] !== undefined) as NamesWith<F, Part>[];

const partsOf = (fields: Fields, part: keyof Field) =>
  Object.fromEntries(namesWith(fields, part).map((name) => [name, fields[name]?.[part]]));

/** The members of the schema of requests. */
export const writeShape = <F extends Fields>(fields: F) => partsOf(fields, "write") as Shape<F, "write">;

/** The members of the schema of records. */
export const readShape = <F extends Fields>(fields: F) => partsOf(fields, "read") as Shape<F, "read">;

/** The members of the schema of stored JSON. */
export const jsonShape = <F extends Fields>(fields: F) => {
  const names: readonly string[] = namesWith(fields, "json");
  const members = Object.entries(readShape(fields)).filter(([name]) => names.includes(name));
  return Object.fromEntries(members) as Pick<Shape<F, "read">, NamesWith<F, "json"> & NamesWith<F, "read">>;
};

/** What a new record has where its creator says nothing. */
export const initialValues = <F extends Fields>(fields: F) =>
  partsOf(fields, "initial") as {
    [Name in NamesWith<F, "initial">]: F[Name] extends { initial: infer Value } ? Value : never;
  };

/** Names of the fields whose changes are logged, or of some of them, in the order of an entry. */
export function loggedNames<F extends Fields, Part extends keyof Field = "logged">(fields: F, part?: Part) {
  const place = (name: string) => fields[name]?.logged ?? null;
  const names: string[] = namesWith(fields, part ?? "logged").filter((name) => place(name) !== null);
  return names.sort((a, b) => Number(place(a)) - Number(place(b))) as NamesWith<F, Part>[];
}

/** The values of a row in the fields that say something in one respect. */
export const pickFields = <
  F extends Fields,
  Part extends keyof Field,
  Row extends Record<NamesWith<F, Part>, unknown>,
>(
  fields: F,
  part: Part,
  row: Row,
) =>
  Object.fromEntries(namesWith(fields, part).map((name) => [name, row[name]])) as Pick<
    Row,
    NamesWith<F, Part>
  >;

type ShownOf<F extends Field | undefined, Stored> = F extends { shown: (stored: never) => infer Value }
  ? Value
  : Stored;
type Shown<F extends Fields, Row> = {
  [Name in keyof Row]: ShownOf<Name extends keyof F ? F[Name] : undefined, Row[Name]>;
};

/** A stored row with its values as records and the activity log show them. */
export function showValues<F extends Fields, Row extends object>(fields: F, row: Row): Shown<F, Row> {
  const values = Object.entries(row).map(([name, value]) => {
    const { shown } = fields[name] ?? {};
    return [name, shown ? shown(value as never) : value];
  });
  return Object.fromEntries(values) as Shown<F, Row>;
}

/** Members of a record that differ from what is stored: they are computed. */
type Computed<F extends Fields, Row, Record = Output<Shape<F, "read">>> = {
  [Name in keyof Record as Name extends keyof Row
    ? Shown<F, Row>[Name] extends Record[Name]
      ? never
      : Name
    : Name]: Record[Name];
};

/** The record of a stored row. Members that the row lacks, or has in another form, have to be computed; others can. */
export function recordFrom<F extends Fields, Row extends object>(
  fields: F,
  row: Row,
  computed: Computed<F, Row> & Partial<Output<Shape<F, "read">>>,
): Output<Shape<F, "read">> {
  const values: Record<string, unknown> = { ...showValues(fields, row), ...computed };
  const members = namesWith(fields, "read").map((name) => [name, values[name]]);
  return Object.fromEntries(members) as Output<Shape<F, "read">>;
}
