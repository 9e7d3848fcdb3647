import { describe, expect, it } from "vitest";
import {
  type ChangeKind,
  changeKinds,
  consequencesOf,
  type FlagState,
  type FlagUser,
} from "./consequences.ts";

const variants = (...shares: [string, number][]) => ({
  variants: shares.map(([key, rollout_percentage]) => ({ key, rollout_percentage, name: `The ${key}` })),
});
const group = { properties: [], rollout_percentage: 50, description: "Half" };
const filters = { groups: [group], multivariate: variants(["control", 50], ["test", 50]) };
const state = (change: object = {}, fields: object = {}): NonNullable<FlagState> => ({
  key: "checkout",
  active: true,
  filters: { ...filters, ...change },
  ...fields,
});

/** A state after which exactly this has happened to the flag. */
const AFTER: Record<ChangeKind, { before?: FlagState; after: FlagState }> = {
  turned_on: { before: state({}, { active: false }), after: state() },
  turned_off: { after: state({}, { active: false }) },
  deleted: { after: null },
  renamed: { after: state({}, { key: "other" }) },
  unit_changed: { after: state({ aggregation_group_type_index: 0 }) },
  variant_removed: { after: state({ multivariate: variants(["control", 100]) }) },
  split_changed: { after: state({ multivariate: variants(["control", 70], ["test", 30]) }) },
  conditions_changed: { after: state({ groups: [{ ...group, rollout_percentage: 60 }] }) },
};

const experiment: FlagUser = { type: "experiment", id: "1", name: "Checkout", via: null, variant: null };
const survey: FlagUser = { type: "survey", id: "a", name: "How was it?", via: null, variant: null };
const ofVariant: FlagUser = { ...survey, variant: "test" };
const via = { id: 9, key: "on-top" };

describe("what a change does to whom", () => {
  it.each<[ChangeKind, [string, boolean], string | null, string | null]>([
    // change, effect on an experiment and whether its comparison ends, on a survey, on a survey of one variant
    ["turned_on", ["exposure_resumes", false], "survey_starts", "survey_starts"],
    ["turned_off", ["exposure_stops", true], "survey_stops", "survey_stops"],
    ["deleted", ["exposure_stops", true], "survey_stops", "survey_stops"],
    ["renamed", ["people_reassigned", true], null, null],
    ["unit_changed", ["people_reassigned", true], "audience_changes", "audience_changes"],
    ["variant_removed", ["people_reassigned", true], null, "survey_stops"],
    ["split_changed", ["people_reassigned", true], null, "audience_changes"],
    ["conditions_changed", ["participants_change", false], "audience_changes", "audience_changes"],
  ])("%s", (kind, [effect, ends], onSurvey, onSurveyOfVariant) => {
    const { before = state(), after } = AFTER[kind];
    expect(changeKinds(before, after)).toEqual([kind]);
    const on = (user: FlagUser) => consequencesOf(before, after, [user]);
    expect(on(experiment)).toEqual([
      { change: kind, user: experiment, effect, ends_comparison: ends, text: expect.any(String) },
    ]);
    expect(on(survey).map((each) => each.effect)).toEqual(onSurvey ? [onSurvey] : []);
    expect(on(ofVariant).map((each) => each.effect)).toEqual(onSurveyOfVariant ? [onSurveyOfVariant] : []);
    for (const each of [...on(survey), ...on(ofVariant)]) expect(each.ends_comparison).toBe(false);
    const [indirect] = on({ ...experiment, via });
    expect(indirect).toMatchObject({ effect: "participants_change", ends_comparison: false });
    expect(indirect?.text).toContain("on-top");
    expect(on({ ...survey, via })).toMatchObject([{ effect: "audience_changes", ends_comparison: false }]);
  });

  it("several things at once, each once", () => {
    const after = state({ multivariate: variants(["control", 100]), groups: [] }, { active: false });
    expect(changeKinds(state(), after)).toEqual(["turned_off", "variant_removed", "conditions_changed"]);
    expect(consequencesOf(state(), after, [experiment])).toHaveLength(3);
    expect(consequencesOf(state(), after, [{ ...experiment, via }])).toHaveLength(1);
  });

  it.each([
    ["nothing", state()],
    ["names and descriptions", state({ groups: [{ ...group, description: "50%", sort_key: "b" }] })],
    ["payloads", state({ payloads: { control: "1" } })],
    ["a null for what is absent", state({ super_groups: null, aggregation_group_type_index: null })],
  ])("nothing where %s changes", (_, after) => {
    expect(changeKinds(state(), after)).toEqual([]);
  });

  it("nothing where the flag is new", () => {
    expect(consequencesOf(null, state(), [experiment])).toEqual([]);
  });

  it.each([
    ["the order of variants", { multivariate: variants(["test", 50], ["control", 50]) }, "split_changed"],
    [
      "a further variant",
      { multivariate: variants(["control", 50], ["test", 30], ["c", 20]) },
      "split_changed",
    ],
    ["a row", { groups: [{ ...group, properties: [{ key: "plan", value: "pro" }] }] }, "conditions_changed"],
    ["a holdout", { holdout: { id: 1, exclusion_percentage: 10 } }, "conditions_changed"],
    ["the variant of a set", { groups: [{ ...group, variant: "test" }] }, "conditions_changed"],
  ])("%s", (_, change, kind) => {
    expect(changeKinds(state(), state(change))).toEqual([kind]);
  });
});
