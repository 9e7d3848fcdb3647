import { describe, expect, it } from "vitest";
import type { FlagExplanation, SetExplanation } from "#lib/engines/evaluation/explain.ts";
import type { Evaluation, ReasonCode } from "#lib/engines/evaluation/values/types.ts";
import { outcomeText, reasonText, setText, toSdkReason, variantText } from "./reasons.ts";

const outcome = (fields: Partial<Evaluation> = {}): Evaluation => ({
  key: "checkout",
  id: 1,
  version: 1,
  value: true,
  variant: null,
  reason: "condition_match",
  condition_index: 0,
  payload: null,
  ...fields,
});
const explained = (fields: Partial<FlagExplanation> = {}): FlagExplanation => ({
  key: "checkout",
  outcome: outcome(),
  bucketing: { by: "distinct_id", group_type: null, id: "ann" },
  enrollment: null,
  holdouts: [],
  sets: [],
  variants: null,
  ...fields,
});
type Row = SetExplanation["rows"][number];
const rows = (...results: Row["result"][]) => results.map((result) => ({ result }) as Row);
const set = (fields: Partial<SetExplanation> = {}): SetExplanation => ({
  index: 0,
  result: "match",
  rows: [],
  rollout: { percentage: 100, hash: null, within: true },
  variant_override: null,
  ...fields,
});

describe("why a flag has its value", () => {
  it.each<[string, number | null, string, string]>([
    ["condition_match", 1, "Set 2 matches this person.", "Set 2 matches this group."],
    ["condition_match", null, "A set matches this person.", "A set matches this group."],
    [
      "no_condition_match",
      null,
      "No set matches this person: every set has a row that fails.",
      "No set matches this group: every set has a row that fails.",
    ],
    [
      "out_of_rollout_bound",
      0,
      "Every row of set 1 matches, but this person is outside its rollout.",
      "Every row of set 1 matches, but this group is outside its rollout.",
    ],
    [
      "holdout_condition_value",
      null,
      "This person is in a holdout, which comes before all sets.",
      "This group is in a holdout, which comes before all sets.",
    ],
    ["inconclusive", null, "Reason: inconclusive.", "Reason: inconclusive."],
  ])("%s of %s", (reason, index, person, group) => {
    expect(reasonText(reason, index)).toBe(person);
    expect(reasonText(reason, index, "group")).toBe(group);
  });

  it.each([
    ["no_group_type", "The flag is evaluated for groups, and no group of that type was given."],
    ["super_condition_value", "This person opted in to or out of early access, which comes before all sets."],
    ["missing_dependency", "A flag that this one depends on is missing, or the two depend on each other."],
    ["disabled", "The flag is off, so everyone gets off."],
    ["flag_disabled", "The flag is off, so everyone gets off."],
  ])("%s", (reason, text) => {
    expect(reasonText(reason, null)).toBe(text);
  });

  it("is sent to SDKs in their word for a flag that is off, else in the engine's", () => {
    expect(toSdkReason("disabled", false)).toBe("flag_disabled");
    expect(toSdkReason("condition_match", true)).toBe("condition_match");
    expect(toSdkReason("pinned", "test")).toBe("condition_match");
    expect(toSdkReason("pinned", false)).toBe("no_condition_match");
  });

  it("is early access where that decides by a rollout of its own", () => {
    const outside = outcome({ value: false, reason: "out_of_rollout_bound", condition_index: 0 });
    const chosen = explained({ enrollment: { chosen: true, rows: [] } });
    const early = "Early access decides before all sets, and this group is outside its rollout.";
    expect(outcomeText(outside, chosen, "group")).toBe(early);
    const bySet = "Every row of set 1 matches, but this person is outside its rollout.";
    for (const enrollment of [null, { chosen: false, rows: [] }])
      expect(outcomeText(outside, explained({ enrollment }), "person")).toBe(bySet);
    expect(outcomeText(outcome(), chosen, "person")).toBe("Set 1 matches this person.");
  });
});

describe("how a set came out", () => {
  const at = (hash: number | null, percentage: number, within: boolean) => ({ percentage, hash, within });
  it.each<[string, Partial<SetExplanation>, string]>([
    ["a match without a hash", {}, "matches"],
    [
      "a match by the hash",
      { rollout: at(0.123456789, 40, true) },
      "matches: falls at 12.3457%, inside the rollout of 40%",
    ],
    [
      "a match at the very start",
      { rollout: at(0, 40, true) },
      "matches: falls at 0%, inside the rollout of 40%",
    ],
    ["the only row", { result: "rows_failed", rows: rows("fail") }, "does not match: its row fails"],
    ["one of two rows", { result: "rows_failed", rows: rows("pass", "fail") }, "does not match: row 2 fails"],
    [
      "two of three rows",
      { result: "rows_failed", rows: rows("fail", "pass", "fail") },
      "does not match: rows 1 and 3 fail",
    ],
    [
      "three rows",
      { result: "rows_failed", rows: rows("fail", "fail", "fail") },
      "does not match: rows 1, 2 and 3 fail",
    ],
    [
      "outside the rollout, with rows",
      { result: "out_of_rollout", rows: rows("pass"), rollout: at(0.5, 12.5, false) },
      "does not match: every row matches, but this person falls at 50%, outside the rollout of 12.5%",
    ],
    [
      "outside the rollout, without rows",
      { result: "out_of_rollout", rollout: at(0.5, 12.5, false) },
      "does not match: this person falls at 50%, outside the rollout of 12.5%",
    ],
    [
      "closed to all",
      { result: "out_of_rollout", rows: rows("pass"), rollout: at(null, 0, false) },
      "does not match: every row matches, but the rollout is 0%",
    ],
    ["no group", { result: "no_group" }, "does not match: no group of its type was given"],
    ["undecided", { result: "undecided" }, "cannot be decided"],
  ])("%s", (_, fields, text) => {
    expect(setText(set(fields), explained(), "person")).toBe(text);
  });

  it.each<[ReasonCode, number | null, FlagExplanation["enrollment"], string]>([
    ["condition_match", 1, null, "set 2 decided"],
    ["out_of_rollout_bound", 0, null, "set 1 decided"],
    ["holdout_condition_value", null, null, "the holdout decided"],
    ["missing_dependency", null, null, "a flag that this one depends on is missing"],
    ["disabled", null, null, "the flag is off"],
    ["super_condition_value", null, null, "early access decided"],
    ["out_of_rollout_bound", 0, { chosen: true, rows: [] }, "early access decided"],
    ["condition_match", 0, { chosen: false, rows: [] }, "set 1 decided"],
  ])("not reached because of %s (set %s)", (reason, condition_index, enrollment, why) => {
    const explanation = explained({ outcome: outcome({ reason, condition_index }), enrollment });
    expect(setText(set({ result: "skipped" }), explanation, "person")).toBe(`not reached: ${why}`);
  });
});

describe("how the variant was chosen", () => {
  const ranges = [
    { key: "control", start: 0, end: 0.3333 },
    { key: "test", start: 0.3333, end: 1 },
  ];
  const variants = { hash: 0.5, ranges, by_hash: "test" };
  const test = outcome({ value: "test", variant: "test" });
  it.each<[string, Partial<FlagExplanation>, string | null]>([
    [
      "by the hash",
      { outcome: test, variants, sets: [set()] },
      "Falls at 50% of the variants; test covers 33.33% to 100%.",
    ],
    [
      "by a set",
      {
        outcome: { ...test, condition_index: 1 },
        variants,
        sets: [set(), set({ index: 1, variant_override: "test" })],
      },
      "Set 2 always gives test.",
    ],
    [
      "not by another set",
      { outcome: test, variants, sets: [set(), set({ variant_override: "test" })] },
      "Falls at 50% of the variants; test covers 33.33% to 100%.",
    ],
    ["not at all in a boolean flag", { outcome: outcome() }, null],
    ["not at all where no variant was given", { outcome: outcome(), variants, sets: [set()] }, null],
    [
      "not at all where something else decided",
      { outcome: { ...test, reason: "holdout_condition_value" }, variants },
      null,
    ],
    ["without an id", { outcome: test, variants: { ...variants, hash: null }, sets: [set()] }, null],
    ["outside of all ranges", { outcome: { ...test, variant: "gone" }, variants, sets: [set()] }, null],
  ])("%s", (_, fields, text) => {
    expect(variantText(explained(fields))).toBe(text);
  });
});
