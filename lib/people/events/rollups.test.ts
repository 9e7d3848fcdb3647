import { describe, expect, it } from "vitest";
import { type Counted, namesOf, sortedTallies } from "./rollups.ts";

const seen = (project_id: number, event: string, at: number): Counted => ({
  project_id,
  event: { event, at, properties: {} },
});

describe("event names", () => {
  it.each<{ case: string; events: Counted[]; names: [number, string, number, number][] }>([
    { case: "no events", events: [], names: [] },
    { case: "one event", events: [seen(1, "a", 5)], names: [[1, "a", 1, 5]] },
    {
      case: "the latest of several, wherever it comes",
      events: [seen(1, "a", 5), seen(1, "a", 9), seen(1, "a", 7)],
      names: [[1, "a", 3, 9]],
    },
    {
      case: "the same name in two projects",
      events: [seen(2, "a", 5), seen(1, "a", 6), seen(2, "a", 4)],
      names: [
        [1, "a", 1, 6],
        [2, "a", 2, 5],
      ],
    },
    {
      case: "several names, sorted",
      events: [seen(1, "c", 1), seen(1, "a", 1), seen(1, "b", 1), seen(1, "B", 1)],
      names: [
        [1, "B", 1, 1],
        [1, "a", 1, 1],
        [1, "b", 1, 1],
        [1, "c", 1, 1],
      ],
    },
    {
      case: "names that only differ in where digits belong",
      events: [seen(1, "1", 1), seen(11, "", 2)],
      names: [
        [1, "1", 1, 1],
        [11, "", 1, 2],
      ],
    },
  ])("are counted for $case", ({ events, names }) => {
    expect(namesOf(events)).toEqual(
      names.map(([project_id, name, count, at]) => ({ project_id, name, count, at })),
    );
  });
});

it("tallies are in the order of their keys, whichever came first", () => {
  const keys = ["b", "a", "c", "aa", "B"];
  expect(sortedTallies(new Map(keys.map((key) => [key, key])))).toEqual(["B", "a", "aa", "b", "c"]);
  expect(sortedTallies(new Map(keys.toReversed().map((key) => [key, key])))).toEqual([
    "B",
    "a",
    "aa",
    "b",
    "c",
  ]);
});
