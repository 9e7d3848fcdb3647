import { describe, expect, it } from "vitest";
import { findDrift, type Judged } from "./judged.ts";

/** A change of one flag, for some of all people. */
const judged = (changed: number, total: number): Judged => ({
  written: [{ resource: "feature_flag", id: "1", name: "one" }],
  seen: { "feature_flag/1": "1" },
  impact: {
    changed,
    total,
    flags: [{ id: 1, key: "one", is_written: true, group_type_index: null, changed, total, cells: [] }],
    running_experiments: [],
    running_surveys: [],
    new_properties: [],
    as_of: "2026-01-01T00:00:00Z",
  },
  action_keys: [],
  requirement: null,
  states: { before: {}, after: {} },
  entries: [],
});

describe("an approval", () => {
  it.each<[string, [number, number], [number, number], RegExp | null]>([
    ["the same", [100, 1_000], [100, 1_000], null],
    ["a share of a point more", [100, 1_000], [110, 1_000], null],
    ["a larger share", [100, 1_000], [111, 1_000], /11.1% of people; 10.0% were shown/],
    ["fewer people", [900, 1_000], [100, 1_000], null],
    ["half as many more of a project that grows", [1_000, 10_000], [1_500, 15_000], null],
    ["more than half as many more", [1_000, 10_000], [1_501, 15_010], /1,501 people; 1,000 were shown/],
    ["a project of another size", [1_000, 100_000], [100_000, 10_000_000], /100,000 people/],
    ["a hundred more of very few", [5, 500], [105, 10_500], null],
    ["more than a hundred more of very few", [5, 500], [106, 10_600], /106 people; 5 were shown/],
    ["somebody where there was nobody", [0, 0], [100, 100], /100.0% of people/],
  ])("covers, or not: %s", (_, shown, now, why) => {
    const drift = findDrift(judged(...shown), judged(...now));
    if (why === null) expect(drift).toBeNull();
    else expect(drift).toMatch(why);
  });
});
