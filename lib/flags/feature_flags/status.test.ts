import { describe, expect, it } from "vitest";
import { flagWith } from "#testing/flags.ts";
import { constantValue, statusOf } from "./status.ts";

const MADE = Date.parse("2026-01-01T00:00:00Z");
const DAY_MS = 86_400_000;
const onDay = (days: number) => new Date(MADE + days * DAY_MS);
const plan = { key: "plan", type: "person", operator: "exact", value: "pro" };
const half = { groups: [{ properties: [], rollout_percentage: 50 }] };

describe("the status of a flag", () => {
  const everyone = "the flag is true for everyone";
  it.each<[string, Parameters<typeof flagWith>[0], number, string, string]>([
    ["deleted", { deleted: true }, 90, "DELETED", "The flag is deleted."],
    ["deleted and off", { deleted: true, active: false }, 1, "DELETED", "The flag is deleted."],
    ["for everyone, 30 days old", {}, 30, "ACTIVE", `In use: ${everyone}.`],
    ["for everyone, older", {}, 30.001, "STALE", `It is more than 30 days old, and ${everyone}.`],
    ["for some, older", { filters: half }, 90, "ACTIVE", "The flag is not fully rolled out."],
    ["off, older", { active: false }, 90, "ACTIVE", "The flag is disabled."],
    ["off, young", { active: false }, 1, "ACTIVE", "The flag is disabled."],
    ["called 30 days ago", { last_called_at: onDay(20) }, 50, "ACTIVE", `In use: ${everyone}.`],
    [
      "called 45.5 days ago",
      { last_called_at: onDay(20), filters: half },
      65.5,
      "STALE",
      "The flag has not been called for 45 days.",
    ],
    [
      "off, called 45.5 days ago",
      { last_called_at: onDay(20), active: false },
      65.5,
      "ACTIVE",
      "The flag is disabled.",
    ],
    [
      "called yesterday, for some",
      { last_called_at: onDay(89), filters: half },
      90,
      "ACTIVE",
      "The flag is not fully rolled out.",
    ],
    [
      "young, though last called long ago",
      { last_called_at: onDay(-60) },
      10,
      "ACTIVE",
      `In use: ${everyone}.`,
    ],
  ])("%s", (_, fields, days, status, reason) => {
    expect(statusOf(flagWith(fields), onDay(days))).toEqual({ status, reason });
  });
});

describe("what everybody gets", () => {
  const variants = (...shares: number[]) => ({
    multivariate: { variants: shares.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })) },
  });
  const TRUE = "the flag is true for everyone";
  it.each<[string, Record<string, unknown>, string | null]>([
    ["a set at 100%", { groups: [{ properties: [], rollout_percentage: 100 }] }, TRUE],
    ["a set without a rollout", { groups: [{ properties: [] }] }, TRUE],
    ["a set with a null rollout", { groups: [{ rollout_percentage: null }] }, TRUE],
    ["a set just below 100%", { groups: [{ rollout_percentage: 99.9 }] }, null],
    ["a set at 0%", { groups: [{ rollout_percentage: 0 }] }, null],
    ["a set with a row", { groups: [{ properties: [plan], rollout_percentage: 100 }] }, null],
    ["a second set", { groups: [{ properties: [plan] }, { properties: [] }] }, TRUE],
    ["no sets", { groups: [] }, null],
    ["sets that cannot be read", { groups: 3 }, null],
    ["null variants", { groups: [{}], multivariate: null }, TRUE],
    ["no variants", { groups: [{}], ...variants() }, TRUE],
    ["a split", { groups: [{}], ...variants(50, 50) }, null],
    ["one variant for all", { groups: [{}], ...variants(0, 100) }, "everyone gets the variant v1"],
    [
      "a set that forces a variant",
      { groups: [{ variant: "v0" }], ...variants(50, 50) },
      "everyone gets the variant v0",
    ],
    ["an empty variant", { groups: [{ variant: "" }], ...variants(50, 50) }, null],
    ["a null variant", { groups: [{ variant: null }], ...variants(50, 50) }, null],
    [
      "a variant that is forced for some only",
      { groups: [{ variant: "v0", rollout_percentage: 10 }, {}], ...variants(50, 50) },
      null,
    ],
    [
      "a forced variant beside a whole one",
      { groups: [{ variant: "v0" }], ...variants(0, 100) },
      "everyone gets the variant v0",
    ],
  ])("%s", (_, filters, sentence) => {
    expect(constantValue(filters)).toBe(sentence);
  });
});
