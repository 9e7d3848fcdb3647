import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { meanOf } from "#testing/experiments.ts";
import {
  checkDates,
  checkDistinct,
  checkExposureCriteria,
  checkMetric,
  checkParameters,
  normalizeMetrics,
  parseLinks,
  parseVariants,
  withMethod,
  withoutNulls,
  withUuid,
} from "./rules.ts";

/** The error that a check throws; null where it passes. */
function refusal(check: () => unknown): ApiError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const detailOf = (check: () => unknown) => refusal(check)?.message ?? null;

const control = { key: "control", rollout_percentage: 50 };
const test = { key: "test", rollout_percentage: 50 };
const variants = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: i === 0 ? "control" : `v${i}`, rollout_percentage: 1 }));

describe("the variants that parameters ask for", () => {
  it.each([
    ["no parameters", null, null],
    ["parameters that were not sent", undefined, null],
    ["parameters that say nothing of them", { minimum_detectable_effect: 5 }, null],
    ["a list of none", { feature_flag_variants: [] }, null],
    ["something else than a list", { feature_flag_variants: "control" }, null],
    ["variants as flags hold them", { feature_flag_variants: [control, test] }, [control, test]],
    [
      "the older name of a share",
      { feature_flag_variants: [{ key: "control", name: "C", split_percent: 30 }] },
      [{ key: "control", name: "C", rollout_percentage: 30 }],
    ],
    [
      "both names of a share: today's counts",
      { feature_flag_variants: [{ key: "control", rollout_percentage: 0, split_percent: 30 }] },
      [{ key: "control", rollout_percentage: 0 }],
    ],
  ])("are read from %s", (_, parameters, expected) => {
    expect(parseVariants(parameters)).toEqual(expected);
  });
});

describe("parameters", () => {
  it.each([
    null,
    undefined,
    {},
    { minimum_detectable_effect: 0, recommended_sample_size: 100, recommended_running_time: 14.5 },
    { minimum_detectable_effect: null, recommended_sample_size: null, recommended_running_time: null },
    { aggregation_group_type_index: 0 },
    { aggregation_group_type_index: 4 },
    { aggregation_group_type_index: null },
    { ensure_experience_continuity: false },
    { ensure_experience_continuity: null },
    { rollout_percentage: 0 },
    { rollout_percentage: 100 },
    { rollout_percentage: null },
    { feature_flag_variants: null },
    { feature_flag_variants: [] },
    { feature_flag_variants: [control, test] },
    { feature_flag_variants: [test, { ...control, name: null }] },
    {
      feature_flag_variants: [
        { key: "control", split_percent: 0 },
        { ...test, rollout_percentage: 100 },
      ],
    },
    { feature_flag_variants: variants(20) },
  ])("%j are accepted", (parameters) => {
    expect(detailOf(() => checkParameters(parameters))).toBeNull();
  });

  it.each([
    [{ minimum_detectable_effect: "5" }, "minimum_detectable_effect must be a number."],
    [{ recommended_sample_size: "100" }, "recommended_sample_size must be a number."],
    [{ recommended_running_time: true }, "recommended_running_time must be a number."],
    [{ aggregation_group_type_index: -1 }, "aggregation_group_type_index must be a whole number"],
    [{ aggregation_group_type_index: 5 }, "aggregation_group_type_index must be a whole number"],
    [{ aggregation_group_type_index: 1.5 }, "aggregation_group_type_index must be a whole number"],
    [{ aggregation_group_type_index: "1" }, "aggregation_group_type_index must be a whole number"],
    [{ ensure_experience_continuity: "yes" }, "ensure_experience_continuity must be true or false."],
    [{ rollout_percentage: -1 }, "rollout_percentage must be a number from 0 to 100."],
    [{ rollout_percentage: 100.5 }, "rollout_percentage must be a number from 0 to 100."],
    [{ rollout_percentage: "50" }, "rollout_percentage must be a number from 0 to 100."],
    [{ feature_flag_variants: {} }, "feature_flag_variants must be a list of objects."],
    [{ feature_flag_variants: [control, "test"] }, "feature_flag_variants must be a list of objects."],
    [{ feature_flag_variants: variants(21) }, "An experiment has 20 variants at most."],
    [{ feature_flag_variants: [control, { rollout_percentage: 50 }] }, "Each variant needs a key."],
    [{ feature_flag_variants: [control, { ...test, key: "" }] }, "Each variant needs a key."],
    [{ feature_flag_variants: [test] }, "One of the variants must have the key control."],
    [{ feature_flag_variants: [control] }, "Beside control there must be at least one other variant."],
    [{ feature_flag_variants: [control, test, test] }, "The keys of the variants must differ."],
    [{ feature_flag_variants: [control, { ...test, name: 1 }] }, "The name of a variant must be a text."],
    [{ feature_flag_variants: [control, { key: "test" }] }, "Each variant needs a rollout_percentage"],
    [
      { feature_flag_variants: [control, { ...test, rollout_percentage: -1 }] },
      "Each variant needs a rollout_percentage",
    ],
    [
      { feature_flag_variants: [control, { key: "test", split_percent: 101 }] },
      "Each variant needs a rollout_percentage",
    ],
  ])("%j are refused", (parameters, detail) => {
    const error = refusal(() => checkParameters(parameters));
    expect(error?.message).toContain(detail);
    expect(error?.attr).toBe("parameters");
  });
});

describe("exposure criteria", () => {
  const event = { kind: "ExperimentEventExposureConfig", event: "seen", properties: [] };

  it.each([
    null,
    undefined,
    {},
    { filterTestAccounts: false },
    { filterTestAccounts: null, multiple_variant_handling: null, exposure_config: null },
    { multiple_variant_handling: "exclude" },
    { multiple_variant_handling: "first_seen" },
    { exposure_config: event },
    { exposure_config: { ...event, properties: [{ key: "plan", value: "pro" }] } },
    { exposure_config: { kind: "ActionsNode", id: 3 } },
    { exposure_config: { kind: "ActionsNode", id: 3, properties: null } },
  ])("%j are accepted", (criteria) => {
    expect(detailOf(() => checkExposureCriteria(criteria))).toBeNull();
  });

  it.each([
    [{ filterTestAccounts: 1 }, "filterTestAccounts must be true or false."],
    [{ multiple_variant_handling: "last_seen" }, "multiple_variant_handling must be exclude or first_seen."],
    [{ exposure_config: "seen" }, "exposure_config must be an object."],
    [{ exposure_config: [event] }, "exposure_config must be an object."],
    [
      { exposure_config: { ...event, properties: {} } },
      "The properties of exposure_config must be a list of objects.",
    ],
    [
      { exposure_config: { ...event, properties: [{ key: "plan" }, 1] } },
      "The properties of exposure_config must be a list of objects.",
    ],
    [{ exposure_config: { kind: "ActionsNode" } }, "An exposure_config of kind ActionsNode needs an id."],
    [
      { exposure_config: { kind: "ActionsNode", id: "3" } },
      "An exposure_config of kind ActionsNode needs an id.",
    ],
    [
      { exposure_config: { kind: "ActionsNode", id: 3, properties: "plan" } },
      "The properties of exposure_config must be a list of objects.",
    ],
    [
      { exposure_config: { ...event, kind: "EventsNode" } },
      "exposure_config must be of kind ExperimentEventExposureConfig or ActionsNode.",
    ],
    [{ exposure_config: { ...event, event: "" } }, "exposure_config must name its event."],
    [{ exposure_config: { ...event, event: 7 } }, "exposure_config must name its event."],
    [{ exposure_config: { ...event, properties: null } }, "exposure_config needs its properties, a list."],
  ])("%j are refused", (criteria, detail) => {
    const error = refusal(() => checkExposureCriteria(criteria));
    expect([error?.message, error?.attr]).toEqual([detail, "exposure_criteria"]);
  });

  it("are stored without those of null; other members stay as they are", () => {
    expect(
      withoutNulls({ filterTestAccounts: null, multiple_variant_handling: "exclude", note: null }),
    ).toEqual({ multiple_variant_handling: "exclude", note: null });
    expect(withoutNulls({ filterTestAccounts: false, exposure_config: null })).toEqual({
      filterTestAccounts: false,
    });
    expect(withoutNulls(null)).toBeNull();
  });
});

describe("statistics settings", () => {
  it.each([
    [null, { method: "bayesian" }],
    [undefined, { method: "bayesian" }],
    [{}, { method: "bayesian" }],
    [
      { method: null, note: 1 },
      { method: "bayesian", note: 1 },
    ],
    [{ method: "frequentist" }, { method: "frequentist" }],
    [{ cuped: { enabled: true } }, { method: "bayesian", cuped: { enabled: true } }],
    [
      { method: "bayesian", cuped: { estimator: "public_service" } },
      { method: "bayesian", cuped: { estimator: "public_service" } },
    ],
    [{ cuped: "on" }, { method: "bayesian", cuped: "on" }],
  ])("%j are stored with a method", (config, expected) => {
    expect(withMethod(config)).toEqual(expected);
  });

  it.each([
    [{ method: "" }, "method must be bayesian or frequentist."],
    [{ method: "Bayesian" }, "method must be bayesian or frequentist."],
    [{ cuped: { estimator: "" } }, "cuped.estimator must be"],
  ])("%j are refused", (config, detail) => {
    const error = refusal(() => withMethod(config));
    expect(error?.message).toContain(detail);
    expect(error?.attr).toBe("stats_config");
  });
});

describe("a metric", () => {
  it("that figures can be computed of is read; older forms and those of no kind pass unread", () => {
    expect(checkMetric(meanOf("paid"), "metrics", [0])).toMatchObject({ metric_type: "mean" });
    for (const kind of ["ExperimentTrendsQuery", "ExperimentFunnelsQuery", null, undefined])
      expect(checkMetric({ kind, anything: 1 }, "metrics", [0])).toBeNull();
  });

  it.each([
    [{ kind: "Insight" }, "A metric must be of kind ExperimentMetric.", ["kind"]],
    [meanOf("paid", { goal: "sideways" }), "A metric cannot be read: goal: ", ["goal"]],
    [
      { kind: "ExperimentMetric", metric_type: "funnel", series: [{ kind: "EventsNode", math: "median" }] },
      "A metric cannot be read: series.0.math: ",
      ["series", 0, "math"],
    ],
  ])("%j is refused, and the place of the mistake is named", (metric, detail, path) => {
    const error = refusal(() => checkMetric(metric, "metrics", [3]));
    expect(error?.message.slice(0, detail.length)).toBe(detail);
    expect(error?.message.length).toBeGreaterThanOrEqual(detail.length);
    expect([error?.attr, error?.code, error?.extra?.path]).toEqual([
      "metrics",
      "invalid_input",
      [3, ...path],
    ]);
  });

  it("gets a uuid where it has none", () => {
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(withUuid(meanOf("paid"))).toEqual({ ...meanOf("paid"), uuid });
    expect(withUuid(meanOf("paid", { uuid: "" }))).toEqual({ ...meanOf("paid"), uuid });
    expect(withUuid(meanOf("paid", { uuid: "mine" })).uuid).toBe("mine");
    expect(withUuid({ kind: "ExperimentTrendsQuery" })).toEqual({ kind: "ExperimentTrendsQuery" });
  });

  it("is stored without the fingerprint that was sent, and refused by its place in the list", () => {
    expect(normalizeMetrics(null, "metrics")).toEqual([]);
    expect(normalizeMetrics([meanOf("paid", { uuid: "a", fingerprint: "forged" })], "metrics")).toEqual([
      meanOf("paid", { uuid: "a" }),
    ]);
    const error = refusal(() => normalizeMetrics([meanOf("paid"), { kind: "Insight" }], "metrics_secondary"));
    expect([error?.attr, error?.extra?.path]).toEqual(["metrics_secondary", [1, "kind"]]);
  });
});

describe("uuids of metrics", () => {
  it.each([
    ["all different", [{ uuid: "a" }, { uuid: "b" }], [{ uuid: "c" }], null],
    ["none at all", [{}, {}], [{}, {}], null],
    ["empty ones", [{ uuid: "" }, { uuid: "" }], [{ uuid: "" }], null],
    ["the same among the experiment's own", [{ uuid: "a" }, { uuid: "a" }], [], "metrics"],
    ["the same of an own and a saved one", [{ uuid: "a" }], [{ uuid: "a" }], "saved_metrics_ids"],
    ["the same of two saved ones", [], [{ uuid: "a" }, { uuid: "a" }], "saved_metrics_ids"],
  ])("%s", (_, own, saved, attr) => {
    expect(refusal(() => checkDistinct(own, saved))?.attr ?? null).toBe(attr);
  });
});

describe("saved_metrics_ids", () => {
  it.each([
    [null, []],
    [undefined, []],
    [[], []],
    [[{ id: 3 }], [{ saved_metric_id: 3, metadata: { type: "primary" } }]],
    [[{ id: 3, metadata: null }], [{ saved_metric_id: 3, metadata: { type: "primary" } }]],
    [
      [{ id: 3, metadata: { type: "secondary", note: 1 } }, { id: 2 }],
      [
        { saved_metric_id: 3, metadata: { type: "secondary", note: 1 } },
        { saved_metric_id: 2, metadata: { type: "primary" } },
      ],
    ],
  ])("%j asks for its metrics in its order", (given, wishes) => {
    expect(parseLinks(given)).toEqual(wishes);
  });

  it.each([
    ["3", "saved_metrics_ids must be a list."],
    [[3], "Each of saved_metrics_ids must be an object."],
    [[{ id: "3" }], "Each of saved_metrics_ids must have an id."],
    [[{ id: 1.5 }], "Each of saved_metrics_ids must have an id."],
    [[{ id: 3, metadata: "secondary" }], "metadata must be an object."],
    [[{ id: 3, metadata: { type: 2 } }], "metadata must have a type."],
    [[{ id: 3 }, { id: 4 }, { id: 3 }], "A saved metric is listed twice in saved_metrics_ids."],
  ])("%j is refused", (given, detail) => {
    const error = refusal(() => parseLinks(given));
    expect([error?.message, error?.attr]).toEqual([detail, "saved_metrics_ids"]);
  });
});

describe("dates", () => {
  const [one, two, three] = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day)));

  it.each([
    ["an end after the start", { start_date: one, end_date: two }, {}, null],
    ["an end with the start", { start_date: one, end_date: one }, {}, "Nothing"],
    ["an end before the start", { start_date: two, end_date: one }, {}, "Nothing"],
    ["an end after the stored start", { end_date: two }, { start_date: one }, null],
    ["an end with the stored start", { end_date: one }, { start_date: one }, "end_date"],
    ["an end before the stored start", { end_date: one }, { start_date: two }, "end_date"],
    ["an end of what was never started", { end_date: one }, { start_date: null }, null],
    ["an end as the start is cleared", { start_date: null, end_date: one }, { start_date: two }, null],
    ["a start before the stored end", { start_date: one }, { end_date: two }, null],
    ["a start with the stored end", { start_date: two }, { end_date: two }, "start_date"],
    ["a start after the stored end", { start_date: three }, { end_date: two }, "start_date"],
    ["a start as the end is cleared", { start_date: three, end_date: null }, { end_date: two }, null],
    [
      "both, whatever is stored",
      { start_date: two, end_date: three },
      { start_date: three, end_date: one },
      null,
    ],
    ["neither", {}, { start_date: two, end_date: one }, null],
  ])("%s", (_, sent, stored, attr) => {
    const error = refusal(() => checkDates(sent, stored));
    expect(error && (error.attr ?? "Nothing")).toBe(attr);
  });

  it("that are accepted together never end before they begin", () => {
    const date = fc.option(fc.date({ noInvalidDate: true }), { nil: undefined });
    fc.assert(
      fc.property(date, date, (start_date, end_date) => {
        const isOrdered = !start_date || !end_date || start_date < end_date;
        expect(refusal(() => checkDates({ start_date, end_date })) === null).toBe(isOrdered);
      }),
    );
  });
});
