import { describe, expect, it } from "vitest";
import {
  type ChangeKind,
  changeKinds,
  type FlagState,
  type FlagUser,
  findConsequences,
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
    const on = (user: FlagUser) => findConsequences(before, after, [user]);
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
    expect(findConsequences(state(), after, [experiment])).toHaveLength(3);
    expect(findConsequences(state(), after, [{ ...experiment, via }])).toHaveLength(1);
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
    expect(findConsequences(null, state(), [experiment])).toEqual([]);
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

describe("the state of a flag", () => {
  it.each<[string, object, object, ChangeKind[]]>([
    [
      "a null share for 100",
      { groups: [{ rollout_percentage: null }] },
      { groups: [{ rollout_percentage: 100 }] },
      [],
    ],
    ["an absent share for 100", { groups: [{}] }, { groups: [{ rollout_percentage: 100 }] }, []],
    ["a share of 0", { groups: [{ rollout_percentage: 0 }] }, { groups: [{}] }, ["conditions_changed"]],
    ["an empty variant for none", { groups: [{ variant: "" }] }, { groups: [{ variant: null }] }, []],
    ["enrolment switched off for none", { feature_enrollment: false }, { feature_enrollment: null }, []],
    ["enrolment", { feature_enrollment: true }, {}, ["conditions_changed"]],
    ["the first set that matches", { early_exit: true }, { early_exit: false }, ["conditions_changed"]],
    ["early access", { super_groups: [{ rollout_percentage: 1 }] }, {}, ["conditions_changed"]],
    ["holdouts of older SDKs", { holdout_groups: [{ rollout_percentage: 1 }] }, {}, ["conditions_changed"]],
    ["sets that cannot be read", { groups: null }, { groups: [] }, []],
    ["a set that cannot be read", { groups: [3] }, { groups: [4] }, ["conditions_changed"]],
    [
      "another group type",
      { aggregation_group_type_index: 0 },
      { aggregation_group_type_index: 1 },
      ["unit_changed"],
    ],
    ["a group type for none", { aggregation_group_type_index: "0" }, {}, []],
    ["variants that cannot be read", { multivariate: { variants: 3 } }, { multivariate: null }, []],
    [
      "a variant that cannot be read",
      { multivariate: { variants: [null, { key: "a", rollout_percentage: 100 }] } },
      { multivariate: variants(["a", 100]) },
      [],
    ],
    ["one variant more", { multivariate: null }, { multivariate: variants(["a", 100]) }, ["split_changed"]],
    ["one variant less", { multivariate: variants(["a", 100]) }, { multivariate: null }, ["variant_removed"]],
  ])("%s", (_, before, after, kinds) => {
    expect(changeKinds(state(before), state(after))).toEqual(kinds);
  });

  it("is compared in everything at once, in the order in which it is listed", () => {
    const before = state({}, { active: false });
    const after = state(
      { multivariate: null, groups: [], aggregation_group_type_index: 1 },
      { key: "other", active: true },
    );
    expect(changeKinds(before, after)).toEqual([
      "turned_on",
      "renamed",
      "unit_changed",
      "variant_removed",
      "conditions_changed",
    ]);
    expect(changeKinds(null, null)).toEqual([]);
  });
});

describe("what is said", () => {
  const INCOMPARABLE = "Results from before and after cannot be compared.";
  const CHANGES = "The audience changes.";
  it.each<[ChangeKind, string, string | null]>([
    [
      "turned_on",
      "People get variants again and enter the experiment.",
      "It is shown to the people the flag is on for.",
    ],
    [
      "turned_off",
      "Nobody gets a variant and nobody new enters while the flag is off.",
      "It is not shown to anyone while the flag is off.",
    ],
    [
      "deleted",
      "Nobody gets a variant any more, and nobody new enters.",
      "It is not shown to anyone any more.",
    ],
    [
      "renamed",
      `Code that uses the old key gets no value, and the new key reassigns everyone. ${INCOMPARABLE}`,
      null,
    ],
    [
      "unit_changed",
      `Variants are assigned by a different unit, so everyone is reassigned. ${INCOMPARABLE}`,
      CHANGES,
    ],
    [
      "variant_removed",
      `People are reassigned, and those who had the removed variant get another. ${INCOMPARABLE}`,
      "It is shown for variant test, which nobody gets any more.",
    ],
    ["split_changed", `Some people are moved to another variant. ${INCOMPARABLE}`, CHANGES],
    [
      "conditions_changed",
      "Enrollment changes from now on; people already counted stay in the results.",
      CHANGES,
    ],
  ])("%s", (kind, onExperiment, onSurvey) => {
    const { before = state(), after } = AFTER[kind];
    const texts = (user: FlagUser) => findConsequences(before, after, [user]).map(({ text }) => text);
    expect(texts(experiment)).toEqual([onExperiment]);
    expect(texts(ofVariant)).toEqual(onSurvey === null ? [] : [onSurvey]);
    expect(texts({ ...experiment, via })).toEqual([
      "Its flag on-top depends on this one, so enrollment can change.",
    ]);
    expect(texts({ ...ofVariant, via })).toEqual([
      "Its flag on-top depends on this one, so the audience can change.",
    ]);
  });

  it("of each user in turn, and nothing of one behind a flag where nothing changes", () => {
    const found = findConsequences(state(), state({}, { active: false, key: "other" }), [survey, experiment]);
    expect(found.map(({ user, change }) => [user.type, change])).toEqual([
      ["survey", "turned_off"],
      ["experiment", "turned_off"],
      ["experiment", "renamed"],
    ]);
    expect(findConsequences(state(), state(), [{ ...experiment, via }])).toEqual([]);
  });

  it("of a survey whose variant stays while another goes", () => {
    const after = state({ multivariate: variants(["test", 100]) });
    expect(findConsequences(state(), after, [ofVariant])).toMatchObject([
      { change: "variant_removed", effect: "audience_changes", text: CHANGES },
    ]);
  });
});
