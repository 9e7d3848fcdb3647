import { describe, expect, it } from "vitest";
import { buildCounts, noEvents } from "./tables.ts";

describe("counts", () => {
  it("add up rows of the same part", () => {
    const counts = buildCounts(
      [
        { kind: "code", question: 0, slot: "9", n: 2 },
        { kind: "code", question: 0, slot: "9", n: 3 },
        { kind: "code", question: 0, slot: "8", n: 7 },
        { kind: "given", question: 1, n: 6 },
        { kind: "edge", from: "start", to: 0, n: 1 },
        { kind: "edge", from: "start", to: 0, n: 2 },
        { kind: "edge", from: 0, to: "left", n: 2 },
        { kind: "people", set: "closed", n: 5 },
        { kind: "answered", n: 4 },
        { kind: "archived", n: 9 },
      ],
      [],
    );
    expect([...counts.question(0).slots]).toEqual([
      ["9", 5],
      ["8", 7],
    ]);
    expect(counts.question(1)).toEqual({ given: 6, waiting: 0, slots: new Map() });
    expect(counts.question(2)).toEqual({ given: 0, waiting: 0, slots: new Map() });
    expect(counts.edges).toEqual([
      { from: "start", to: 0, n: 3 },
      { from: 0, to: "left", n: 2 },
    ]);
    expect([counts.events.answered, counts.events.shown, counts.people.closed]).toEqual([4, 0, 5]);
    expect([counts.isIrregular, ...counts.iterations, ...counts.days]).toEqual([false]);
    expect(buildCounts([{ kind: "irregular", n: 1 }], []).isIrregular).toBe(true);
  });

  it("gather iterations and days from what happened in them", () => {
    const iteration = (number: number, event: "shown" | "quit" | "completed", n: number) =>
      ({ kind: "iteration", iteration: number, event, n }) as const;
    const day = (event: "answered" | "dismissed" | "abandoned", n: number) =>
      ({ day: "2026-02-01", event, n }) as const;
    const counts = buildCounts(
      [
        iteration(2, "shown", 3),
        iteration(2, "shown", 1),
        iteration(2, "quit", 9),
        iteration(10, "completed", 5),
      ],
      [day("answered", 2), day("dismissed", 4), day("answered", 1), day("abandoned", 8)],
    );
    expect([...counts.iterations]).toEqual([
      [2, { ...noEvents(), shown: 4 }],
      [10, { ...noEvents(), completed: 5 }],
    ]);
    expect([...counts.days]).toEqual([["2026-02-01", { ...noEvents(), answered: 3, dismissed: 4 }]]);
  });
});
