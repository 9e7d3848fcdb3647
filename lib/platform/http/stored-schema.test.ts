import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readStored, stillUnreadable, unreadable, writableValues } from "./stored-schema.ts";

const fields = z.object({
  note: z.string().nullable(),
  list: z.array(z.number()),
  map: z.record(z.string(), z.number()),
  pair: z.object({ a: z.number(), b: z.number() }).nullable(),
});
const row = { id: 1, note: "n", list: [1], map: { a: 1 }, pair: { a: 1, b: 2 } };

describe("a stored row", () => {
  it("comes back as it is where everything fits", () => {
    expect(readStored(fields, row)).toBe(row);
  });

  it.each<[object, object, string[]]>([
    [{ note: 5 }, { note: null }, ["note"]],
    [{ list: "x" }, { list: [] }, ["list"]],
    [{ map: null }, { map: {} }, ["map"]],
    [{ map: [1] }, { map: {} }, ["map"]],
    [{ list: ["a", "b"], map: { a: "b" } }, { list: [], map: {} }, ["list", "map"]],
    [{ pair: { a: "1", b: "2" } }, { pair: null }, ["pair"]],
  ])("with %j reads as with %j, and says so", (stored, shown, broken) => {
    expect(readStored(fields, { ...row, ...stored })).toEqual({
      ...row,
      ...shown,
      unreadable_fields: broken,
    });
  });
});

describe("the fields that cannot be read", () => {
  it("are listed where there are any", () => {
    expect(unreadable(["a"])).toEqual({ unreadable_fields: ["a"] });
    expect([unreadable([]), unreadable(undefined)]).toEqual([{}, {}]);
  });

  it("are fewer once some of them are written", () => {
    const read = { unreadable_fields: ["a", "b", "c"] };
    expect(stillUnreadable(read, { a: 1, b: undefined, d: 2 })).toEqual(["b", "c"]);
    expect(stillUnreadable(read, { b: null })).toEqual(["a", "c"]);
    expect(stillUnreadable({}, { a: 1 })).toBeUndefined();
  });

  it("stay as they are stored when the others are written", () => {
    expect(writableValues({ a: 1, b: 2, unreadable_fields: ["b"] })).toEqual({ a: 1 });
    const whole: { a: number; b: number; unreadable_fields?: string[] } = { a: 1, b: 2 };
    expect(writableValues(whole)).toEqual(whole);
  });
});
