import fc from "fast-check";
import { expect, it } from "vitest";
import { type Counted, countsOfState, readStored, storedAs } from "./counts.ts";

it.each<[string, string, Counted | null]>([
  ["shown", "", { kind: "shown" }],
  ["irregular", "", { kind: "irregular" }],
  ["iteration", "12:quit", { kind: "iteration", iteration: 12, event: "quit" }],
  ["people", "closed", { kind: "people", set: "closed" }],
  ["given", "4", { kind: "given", question: 4 }],
  ["waiting", "0", { kind: "waiting", question: 0 }],
  ["code", "2:f1", { kind: "code", question: 2, slot: "f1" }],
  ["edge", "start>0", { kind: "edge", from: "start", to: 0 }],
  ["edge", "2>left", { kind: "edge", from: 2, to: "left" }],
  ["edge", "10>12", { kind: "edge", from: 10, to: 12 }],
  ["people", "unknown", null],
  ["iteration", "1:unknown", null],
  ["duration", "15", null],
])("a stored %s %s is %j", (kind, item, counted) => {
  expect(readStored(kind, item)).toEqual(counted);
  if (counted) expect(storedAs(counted)).toEqual([kind, item]);
});

it("a response counts as its events, its answers, the question left open and its steps", () => {
  const counts = countsOfState({ iteration: 2, completed: false, codes: ["9", "0,2", ""], path: [0, 1, 2] });
  expect(counts.map((counted) => storedAs(counted).join(" "))).toEqual([
    "answered ",
    "iteration 2:answered",
    "given 0",
    "code 0:9",
    "given 1",
    "code 1:0",
    "code 1:2",
    "waiting 2",
    "edge start>0",
    "edge 0>1",
    "edge 1>2",
    "edge 2>left",
  ]);
});

it("what is stored is read as it was", () => {
  const state = fc.record({
    iteration: fc.nat(3),
    completed: fc.boolean(),
    codes: fc.array(fc.constantFrom("", "0", "1,2", "f3", "o", "?"), { maxLength: 4 }),
    path: fc.uniqueArray(fc.nat(3), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(state, (given) => {
      for (const counted of countsOfState(given)) expect(readStored(...storedAs(counted))).toEqual(counted);
    }),
  );
});
