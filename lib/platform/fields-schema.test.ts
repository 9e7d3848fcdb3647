import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineFields,
  initialValues,
  jsonShape,
  loggedNames,
  namesWith,
  pickFields,
  readShape,
  recordFrom,
  showValues,
  writeShape,
} from "./fields-schema.ts";

const FIELDS = defineFields({
  id: { read: z.number() },
  title: { write: z.string().min(1), read: z.string(), initial: "Untitled", logged: 2, restorable: true },
  opened_at: { read: z.string(), shown: (date: Date) => date.toISOString(), logged: 3 },
  opened_by: { read: z.string().nullable() },
  notes: { read: z.array(z.string()), json: true, copied: true },
  secret: { write: z.string(), initial: null, logged: 1 },
});
const ROW = { id: 7, title: "Door", opened_at: new Date(0), secret: "key", notes: ["a"], opened_by_id: 3 };

describe("the fields of a resource", () => {
  it("give the members of requests and records, in the order of their declaration", () => {
    expect(Object.keys(writeShape(FIELDS))).toEqual(["title", "secret"]);
    expect(Object.keys(readShape(FIELDS))).toEqual(["id", "title", "opened_at", "opened_by", "notes"]);
    expect(z.object(writeShape(FIELDS)).safeParse({ title: "", secret: "" }).success).toBe(false);
    expectTypeOf(z.object(readShape(FIELDS)).parse).returns.toEqualTypeOf<{
      id: number;
      title: string;
      opened_at: string;
      opened_by: string | null;
      notes: string[];
    }>();
    expect(z.object(jsonShape(FIELDS)).safeParse({ notes: 1 }).success).toBe(false);
    expect(Object.keys(jsonShape(FIELDS))).toEqual(["notes"]);
  });

  it("give the values that a copy takes over", () => {
    const copied = pickFields(FIELDS, "copied", ROW);
    expect(copied).toEqual({ notes: ["a"] });
    expectTypeOf(copied).toEqualTypeOf<{ notes: string[] }>();
  });

  it("give what a new record has", () => {
    const initial = initialValues(FIELDS);
    expect(initial).toEqual({ title: "Untitled", secret: null });
    expectTypeOf(initial).toEqualTypeOf<{ title: string; secret: null }>();
  });

  it("give names in the order of records, and of the log", () => {
    expect(namesWith(FIELDS, "logged")).toEqual(["title", "opened_at", "secret"]);
    expect(loggedNames(FIELDS)).toEqual(["secret", "title", "opened_at"]);
    expect(loggedNames(FIELDS, "write")).toEqual(["secret", "title"]);
    expect(loggedNames(FIELDS, "read")).toEqual(["title", "opened_at"]);
    expectTypeOf(namesWith(FIELDS, "restorable")).toEqualTypeOf<"title"[]>();
  });

  it("show stored values", () => {
    const shown = showValues(FIELDS, ROW);
    expect(shown).toEqual({ ...ROW, opened_at: "1970-01-01T00:00:00.000Z" });
    expectTypeOf(shown.opened_at).toEqualTypeOf<string>();
  });
});

describe("the record of a row", () => {
  it("has its fields, in order, and nothing else", () => {
    const record = recordFrom(FIELDS, ROW, { opened_by: "Ada" });
    expect(JSON.stringify(record)).toBe(
      '{"id":7,"title":"Door","opened_at":"1970-01-01T00:00:00.000Z","opened_by":"Ada","notes":["a"]}',
    );
  });

  it("can have another value than the row", () => {
    expect(recordFrom(FIELDS, ROW, { opened_by: null, title: "Gate" }).title).toBe("Gate");
  });

  it("requires what the row lacks or has in another form", () => {
    type Computed<Row extends object> = Parameters<typeof recordFrom<typeof FIELDS, Row>>[2];
    expectTypeOf<{ opened_by: null }>().toExtend<Computed<typeof ROW>>();
    expectTypeOf<{ title: string }>().not.toExtend<Computed<typeof ROW>>();
    expectTypeOf<{ opened_by: null }>().not.toExtend<
      Computed<Omit<typeof ROW, "title"> & { title: number }>
    >();
  });
});
