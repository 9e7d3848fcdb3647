import { expect, it } from "vitest";
import { readFilters, writeFilters } from "./event-draft.ts";

it.each([
  [
    [{ key: "plan", value: ["pro"], operator: "exact", type: "event" }],
    [{ key: "plan", operator: "exact", value: "pro" }],
  ],
  [{ plan: "pro" }, [{ key: "plan", operator: "exact", value: "pro" }]],
  [null, []],
])("conditions %j are edited as %j", (given, rows) => {
  expect(readFilters(given)).toEqual(rows);
});

it("conditions without a property are not saved, and some need no value", () => {
  const rows = [
    { key: "", operator: "exact", value: "x" },
    { key: "plan", operator: "is_set", value: "left over" },
    { key: "amount", operator: "gt", value: "5" },
  ];
  expect(writeFilters(rows)).toEqual([
    { key: "plan", operator: "is_set", type: "event" },
    { key: "amount", operator: "gt", type: "event", value: "5" },
  ]);
});
