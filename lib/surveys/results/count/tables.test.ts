import { describe, expect, it } from "vitest";
import { buildTables, countOf, noEvents } from "./tables.ts";

describe("tables of counts", () => {
  it("add up rows of the same kind and item", () => {
    const tables = buildTables(
      [
        { kind: "code", item: "0:9", n: 2 },
        { kind: "code", item: "0:9", n: 3 },
        { kind: "code", item: "0:8", n: 7 },
        { kind: "answered", item: "", n: 4 },
      ],
      [],
    );
    expect(countOf(tables, "code", "0:9")).toBe(5);
    expect([countOf(tables, "answered"), countOf(tables, "code", "0:7"), countOf(tables, "code")]).toEqual([
      4, 0, 0,
    ]);
    expect([...tables.iterations, ...tables.days]).toEqual([]);
  });

  it("gather iterations and days from what happened in them", () => {
    const iteration = (item: string, n: number) => ({ kind: "iteration", item, n });
    const day = (kind: string, n: number) => ({ day: "2026-02-01", kind, n });
    const tables = buildTables(
      [
        iteration("2:shown", 3),
        iteration("2:shown", 1),
        iteration("2:quit", 9),
        iteration("10:completed", 5),
      ],
      [day("answered", 2), day("dismissed", 4), day("answered", 1), day("abandoned", 8)],
    );
    expect([...tables.iterations]).toEqual([
      [2, { ...noEvents(), shown: 4 }],
      [10, { ...noEvents(), completed: 5 }],
    ]);
    expect([...tables.days]).toEqual([["2026-02-01", { ...noEvents(), answered: 3, dismissed: 4 }]]);
    expect(countOf(tables, "iteration", "2:quit")).toBe(9);
  });
});
