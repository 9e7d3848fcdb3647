import { expect, test } from "vitest";
import { daysUpTo, figuresOf } from "./figures.ts";
import { ENRICHED_KINDS, renameTiles, USAGE_KINDS, usageDashboardName, withKinds } from "./tiles.ts";

const days = ["2026-01-01", "2026-01-02", "2026-01-03"];
const counts = [
  { day: "2026-01-01", label: "true", count: 3 },
  { day: "2026-01-03", label: "true", count: 1 },
  { day: "2026-01-03", label: "false", count: 9 },
  { day: "2025-12-31", label: "true", count: 100 },
];

test("thirty days end today, in UTC", () => {
  const shown = daysUpTo(new Date("2026-03-01T00:30:00+02:00"));
  expect(shown).toHaveLength(30);
  expect([shown[0], shown[29]]).toEqual(["2026-01-30", "2026-02-28"]);
});

test("totals add up values a day; days outside are left out, days without calls are zero", () => {
  expect(figuresOf("FlagCalls", days, counts)).toEqual([{ label: "total", count: 13, data: [3, 0, 10] }]);
  expect(figuresOf("FlagViews", days, [])).toEqual([{ label: "total", count: 0, data: [0, 0, 0] }]);
});

test("values stand apart, the most frequent first", () => {
  expect(figuresOf("FlagCallsByValue", days, counts)).toEqual([
    { label: "false", count: 9, data: [0, 0, 9] },
    { label: "true", count: 4, data: [3, 0, 1] },
  ]);
});

test("rare values past the twentieth are shown together, and nothing is lost", () => {
  const many = Array.from({ length: 50 }, (_, i) => ({ day: "2026-01-02", label: `v${i}`, count: 50 - i }));
  const figures = figuresOf("FlagCallsByValue", days, many);
  expect(figures).toHaveLength(21);
  expect(figures.at(-1)).toEqual({ label: "other", count: 465, data: [0, 465, 0] });
  expect(figures.reduce((sum, f) => sum + f.count, 0)).toBe(1_275);
});

test("enriching adds tiles once, behind those that are there, with ids of their own", () => {
  const usage = withKinds([], USAGE_KINDS, "a");
  const enriched = withKinds(usage, ENRICHED_KINDS, "a");
  expect(enriched.map((t) => [t.id, t.query.kind])).toEqual([
    [1, "FlagCalls"],
    [2, "FlagCallsByValue"],
    [3, "FlagViews"],
    [4, "FlagInteractions"],
  ]);
  expect(withKinds(enriched, ENRICHED_KINDS, "a")).toEqual(enriched);
});

test("a new key renames what was generated, and leaves alone what somebody wrote", () => {
  const [calls, byValue] = withKinds([], USAGE_KINDS, "old");
  const tiles = [calls, { ...byValue, description: "mine" }, ...withKinds([], ["FlagViews"], "older")];
  const renamed = renameTiles(tiles as NonNullable<typeof calls>[], "old", "new");
  expect(renamed.map((t) => t.query.feature_flag_key)).toEqual(["new", "new", "older"]);
  expect(renamed[0]?.description).toContain("new");
  expect(renamed[1]?.description).toBe("mine");
  expect(usageDashboardName("new")).toContain("new");
});
