import { describe, expect, it } from "vitest";
import {
  actionsOf,
  eventsOf,
  eventWords,
  filterProblem,
  filtersOf,
  withFilters,
  withNames,
  withoutAction,
} from "./event-draft.ts";

const stored = {
  repeatedActivation: true,
  values: [
    { name: "paid", propertyFilters: { amount: { operator: "gt", values: [5], future: 1 } }, other: 2 },
    { name: "left" },
  ],
};

describe("events of a condition", () => {
  it("preserve unknown members, also of filters", () => {
    const [paid] = eventsOf(stored);
    const filters = filtersOf(paid ?? {});
    expect(filters).toEqual([{ property: "amount", operator: "gt", values: ["5"] }]);
    const more = [...filters, { property: "plan", operator: "exact", values: ["pro"] }];
    expect(withFilters(stored, 0, more)).toEqual({
      repeatedActivation: true,
      values: [
        {
          name: "paid",
          other: 2,
          propertyFilters: {
            amount: { operator: "gt", values: ["5"], future: 1 },
            plan: { operator: "exact", values: ["pro"] },
          },
        },
        { name: "left" },
      ],
    });
    expect(withFilters(stored, 0, [])?.values).toEqual([{ name: "paid", other: 2 }, { name: "left" }]);
    expect(withNames(stored, ["new", "paid"])?.values).toEqual([{ name: "new" }, stored.values[0]]);
    expect(withNames(stored, [])).toBeUndefined();
  });

  it.each([null, 7, "x", [], { values: 3 }, { values: [null, 4] }])("of %o are none", (trigger) => {
    expect(eventsOf(trigger)).toEqual([]);
    expect(actionsOf(trigger)).toEqual([]);
    expect(withoutAction(trigger, 0)).toBeUndefined();
  });

  it.each([
    { operator: "exact", values: [], wrong: true },
    { operator: "exact", values: ["a"], wrong: false },
    { operator: "gt", values: ["ten"], wrong: true },
    { operator: "lt", values: ["-1.5"], wrong: false },
    { operator: "regex", values: ["("], wrong: true },
    { operator: "not_regex", values: ["a+"], wrong: false },
  ])("$operator $values can never be met: $wrong", ({ operator, values, wrong }) => {
    expect(filterProblem({ property: "p", operator, values }) !== null).toBe(wrong);
  });

  it("are described in words", () => {
    expect(eventsOf(stored).map(eventWords)).toEqual(["paid where amount is more than 5", "left"]);
  });
});

describe("linked actions", () => {
  const actions = {
    values: [
      { id: 1, name: "Bought", steps: [{ event: "$autocapture", selector: ".buy", url: "/shop" }, {}] },
      { id: 2 },
    ],
    future: 1,
  };

  it("have no trigger", () => {
    expect(actionsOf(actions)).toEqual([
      { name: "Bought", steps: ["a click on .buy at /shop", "any event"] },
      { name: "Action 2", steps: [] },
    ]);
  });

  it("are removed one by one, and nothing is left of the last", () => {
    const left = withoutAction(actions, 0);
    expect(left).toEqual({ values: [{ id: 2 }], future: 1 });
    expect(withoutAction(left, 0)).toBeUndefined();
  });
});
