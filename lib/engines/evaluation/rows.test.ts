import { describe, expect, it } from "vitest";
import type { Mode, Property } from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { explainFlag } from "./explain.ts";

const now = 0;

/** The result of one row of a flag, and the sentence about it. */
function ask(row: unknown, person_properties: Record<string, unknown> = {}, mode: Mode = "complete") {
  const filters = { groups: [{ properties: [row as Property], rollout_percentage: 50 }] };
  const other = { key: "other", id: 7, active: true, filters: { groups: [] } };
  const compiled = compileFlags({
    flags: [{ key: "f", active: true, filters }, other],
    cohorts: [{ id: 5, is_static: true }],
    group_type_mapping: { "0": "company" },
    mode,
  });
  const explained = explainFlag(compiled, "f", {
    distinct_id: "ann",
    person_properties,
    static_cohorts: new Set([5]),
    groups: { company: "acme" },
    group_properties: { company: { size: 5 } },
    now,
  });
  const found = explained?.sets[0]?.rows[0];
  return [found?.result, found?.why];
}

describe("a row", () => {
  it.each<[unknown, string, string]>([
    [5, "The row cannot be read.", "undecided"],
    [["key"], "The row cannot be read.", "undecided"],
    [{ type: "person", value: "x" }, "The row has no property.", "undecided"],
    [{ key: 5, value: "x" }, "The row has no property.", "undecided"],
    [{ key: "plan", operator: "flies" }, 'The operator "flies" is not known.', "undecided"],
    [{ key: "plan", operator: "gt" }, "The row has no value to compare with.", "undecided"],
    [
      { key: "id", type: "cohort", value: 5, operator: "gt" },
      'Cohorts are compared with "in" and "not_in", not "gt".',
      "undecided",
    ],
    [
      { key: "other", type: "flag", value: true, operator: "exact" },
      'Flags are compared with "flag_evaluates_to" and a value.',
      "fail",
    ],
    [
      { key: "other", type: "flag", value: null, operator: "flag_evaluates_to" },
      'Flags are compared with "flag_evaluates_to" and a value.',
      "fail",
    ],
    [
      { key: "gone", type: "flag", operator: "flag_evaluates_to" },
      'Flags are compared with "flag_evaluates_to" and a value.',
      "fail",
    ],
    [
      { key: "gone", type: "flag", value: true, operator: "flag_evaluates_to" },
      'The flag "gone" cannot be evaluated: it is missing.',
      "undecided",
    ],
  ])("%j fails: %s For an SDK: %s", (row, why, partial) => {
    expect(ask(row)).toEqual(["fail", why]);
    expect(ask(row, {}, "partial")).toEqual([partial, why]);
  });

  it("that misses a flag without further conditions turns its flag off as a whole", () => {
    const gone = { key: "gone", type: "flag", value: true, operator: "flag_evaluates_to" } as Property;
    const flag = { key: "f", active: true, filters: { groups: [{ properties: [gone] }, {}] } };
    const outcome = (mode: Mode) =>
      explainFlag(compileFlags({ flags: [flag], mode }), "f", { distinct_id: "ann", now })?.outcome;
    expect(outcome("complete")).toMatchObject({ value: false, reason: "missing_dependency" });
    expect(outcome("partial")).toMatchObject({ value: true, reason: "condition_match", condition_index: 1 });
  });

  it("names flags by id or key where all is known, and by key alone for an SDK", () => {
    const row = (key: string) => ({
      key,
      type: "flag",
      value: false,
      operator: "flag_evaluates_to",
      dependency_chain: [key],
    });
    expect(ask(row("7"))).toEqual(["pass", 'Flag "other" is false.']);
    expect(ask(row("other"))).toEqual(["pass", 'Flag "other" is false.']);
    expect(ask(row("other"), {}, "partial")).toEqual(["pass", 'Flag "other" is false.']);
    expect(ask(row("7"), {}, "partial")).toEqual([
      "undecided",
      'The flag "7" cannot be evaluated: it is missing.',
    ]);
  });

  it.each<[unknown, string, string]>([
    [{ key: "size", type: "group", group_type_index: 0, value: 5 }, "pass", "size is 5."],
    [{ key: "size", type: "person", group_type_index: 0, value: 5 }, "fail", 'size is "person\'s".'],
    [{ key: "size", type: "group", group_type_index: 9, value: 5 }, "fail", 'size is "person\'s".'],
    [{ key: "size", type: "group", group_type_index: -1, value: 5 }, "fail", 'size is "person\'s".'],
    [{ key: "plan", operator: "is_not_set" }, "pass", "plan is not set."],
    [{ key: "distinct_id", value: "ann" }, "pass", 'distinct_id is "ann".'],
    [{ key: "id", type: "cohort", value: 5 }, "pass", "In cohort 5."],
    [{ key: "id", type: "cohort", value: 5, operator: null }, "pass", "In cohort 5."],
    [{ key: "id", type: "cohort", value: "5", operator: "not_in" }, "fail", "In cohort 5."],
    [{ key: "id", type: "cohort", value: 6 }, "fail", "Cohort 6 is not known."],
  ])("%j: %s, as %s", (row, result, why) => {
    expect(ask(row, { size: "person's" })).toEqual([result, why]);
  });
});
