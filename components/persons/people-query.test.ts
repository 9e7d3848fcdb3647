import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyOffset, anyText, expectRoundTrip } from "#testing/lists.ts";
import { COLUMNS_MAX, cursorOf, peopleList } from "./people-query.ts";

const column = fc.string({ unit: "grapheme", minLength: 1 }).filter((name) => !name.includes(","));
const row = fc.record({
  key: anyText,
  type: fc.constant("person" as const),
  operator: fc.constant("exact" as const),
  value: fc.array(anyText),
});

describe("the list of people", () => {
  it("has every state in its URL", () => {
    expectRoundTrip(peopleList, {
      search: anyText,
      rows: fc.array(row),
      columns: fc.option(fc.array(column, { maxLength: COLUMNS_MAX })),
      before: fc.option(fc.nat().map(String)),
      offset: anyOffset,
    });
  });

  it("stays in its part when its pages or columns are turned, and leaves it for another search", () => {
    const query = peopleList.read({ search: "a", before: "90", offset: "50" });
    expect(peopleList.change(query, { offset: 100 })).toMatchObject({ before: "90", offset: 100 });
    expect(peopleList.change(query, { columns: ["plan"] })).toMatchObject({ before: "90", offset: 0 });
    expect(peopleList.change(query, { search: "b" })).toMatchObject({ before: null, offset: 0 });
    expect(peopleList.change(query, { before: "40" })).toMatchObject({ before: "40", offset: 0 });
  });

  it("goes on after what was counted where the API says so", () => {
    expect(cursorOf(null)).toBeNull();
    expect(cursorOf("http://x.test/?before=90&offset=50")).toBeNull();
    expect(cursorOf("http://x.test/?before=90")).toBe("90");
  });
});
