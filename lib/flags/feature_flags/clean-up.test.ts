import { describe, expect, it } from "vitest";
import { type CleanUpFacts, findDoneSteps, findKeptValue, needsCleanUp } from "./clean-up.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString();
const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
const half = { groups: [{ properties: [], rollout_percentage: 50 }] };

const STALE: CleanUpFacts["flag"] = {
  active: true,
  deleted: false,
  status: "STALE",
  filters: everyone,
  is_remote_configuration: false,
  created_at: daysAgo(200),
  last_called_at: daysAgo(60),
  experiment_set: [],
  surveys: [],
};
const flagWith = (change: Partial<CleanUpFacts["flag"]>) => ({ ...STALE, ...change });

describe("the clean-up of a flag", () => {
  it.each<[string, Partial<CleanUpFacts["flag"]>, boolean]>([
    ["stale", {}, true],
    ["a remote configuration", { is_remote_configuration: true }, false],
    ["in use", { status: "ACTIVE", last_called_at: daysAgo(1) }, false],
    ["turned off while it was stale", { status: "ACTIVE", active: false }, true],
    ["turned off and never called", { status: "ACTIVE", active: false, last_called_at: null }, true],
    ["off, but still called", { status: "ACTIVE", active: false, last_called_at: daysAgo(2) }, false],
    ["off and new", { status: "ACTIVE", active: false, created_at: daysAgo(2), last_called_at: null }, false],
    ["deleted in the end", { status: "DELETED", deleted: true }, true],
  ])("%s", (_, change, expected) => {
    expect(needsCleanUp({ flag: flagWith(change), now: NOW })).toBe(expected);
  });

  it("is done step by step", () => {
    const facts = { flag: STALE, dependents: [], now: NOW };
    expect(findDoneSteps(facts)).toEqual({ code: true, uses: true, off: false, deleted: false });
    expect(findDoneSteps({ ...facts, flag: flagWith({ last_called_at: daysAgo(3) }) }).code).toBe(false);
    expect(findDoneSteps({ ...facts, dependents: [{ active: false }] }).uses).toBe(true);
    expect(findDoneSteps({ ...facts, dependents: [{ active: true }] }).uses).toBe(false);
    expect(findDoneSteps({ ...facts, flag: flagWith({ experiment_set: [1] }) }).uses).toBe(false);
    const gone = flagWith({ active: false, deleted: true });
    expect(findDoneSteps({ ...facts, flag: gone })).toMatchObject({ off: true, deleted: true });
  });
});

describe("the value that the code keeps", () => {
  const calls = (...responses: string[]) =>
    responses.map((response) => ({ response, calls: 1, people: 1, last_called_at: daysAgo(40) }));
  const variants = { ...half, multivariate: { variants: [{ key: "blue", rollout_percentage: 100 }] } };
  it.each([
    [
      "what everyone gets",
      { active: true, filters: everyone },
      calls("false"),
      { value: true, reason: "everyone" },
    ],
    [
      "what most calls returned",
      { active: true, filters: half },
      calls("", "false"),
      { value: false, reason: "most_calls" },
    ],
    [
      "a variant",
      { active: true, filters: variants },
      calls("blue"),
      { value: "blue", reason: "most_calls" },
    ],
    [
      "what everyone got before it was turned off",
      { active: false, filters: everyone },
      [],
      { value: true, reason: "everyone" },
    ],
    [
      "off, where nothing else is known",
      { active: false, filters: half },
      [],
      { value: false, reason: "off" },
    ],
    ["nothing, where nobody called and it still decides", { active: true, filters: half }, calls(""), null],
  ] as const)("is %s", (_, flag, responses, expected) => {
    expect(findKeptValue(flag as never, [...responses])).toEqual(expected);
  });
});
