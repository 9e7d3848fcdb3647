import { expect, it } from "vitest";
import { comparable, differences, isNewField } from "./answers.ts";

it.each([
  ["equal answers", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["the order of fields", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ["another value", { a: { b: 1 } }, { a: { b: "1" } }, [".a.b: 1 → 1"]],
  ["another order", [1, 2], [2, 1], ["[0]: 1 → 2", "[1]: 2 → 1"]],
  ["a list that is longer", [{ id: 1 }], [{ id: 1 }, { id: 2 }], ["[1]: undefined → [object Object]"]],
  ["a field that is gone", { a: 1, b: null }, { a: 1 }, [".b: null → undefined"]],
  ["a list for an object", { a: [] }, { a: {} }, [".a:  → [object Object]"]],
  ["text", "1,2", "1;2", ["the answer: 1,2 → 1;2"]],
])("finds %s", (_, earlier, later, found) => {
  expect(differences(earlier, later).map((each) => `${each.place}: ${each.earlier} → ${each.later}`)).toEqual(
    found,
  );
});

it("knows new fields from other differences", () => {
  const found = differences({ list: [{ a: 1 }], gone: 1 }, { list: [{ a: 2, b: 3 }, {}], more: 1 });
  expect(found.filter(isNewField).map(({ place }) => place)).toEqual([".list[0].b", ".more"]);
});

it("leaves out what differs by nature: ids of requests, and moments during the rehearsal", () => {
  const now = new Date().toISOString();
  const answer = {
    requestId: "a",
    results: [{ as_of: now, created_at: "2026-01-01T00:00:00Z", ends_at: "2999-01-01T00:00:00Z" }],
    note: `at ${now}, n=1`,
  };
  expect(comparable(answer, Date.parse(now))).toEqual({
    results: [
      {
        as_of: "during the rehearsal",
        created_at: "2026-01-01T00:00:00Z",
        ends_at: "2999-01-01T00:00:00Z",
      },
    ],
    note: "at during the rehearsal, n=1",
  });
});
