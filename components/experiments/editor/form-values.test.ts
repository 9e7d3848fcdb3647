import { describe, expect, it } from "vitest";
import { findClash, metricsIn, moveUse } from "#components/experiments/saved-uses.ts";
import { readStats, statsFacts, writeStats } from "#components/experiments/stats-draft.ts";
import { findMetricProblem } from "#components/metrics/metric-draft.ts";
import { shippedFilters } from "#lib/experiments/experiments/lifecycle/ship.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import {
  changesOf,
  creationOf,
  type ExperimentForm,
  fieldOfError,
  formOf,
  formOfCreation,
  mergeForms,
  newForm,
  resolverFor,
} from "./form-values.ts";

const variants = [
  { key: "control", name: "Now", rollout_percentage: 50 },
  { key: "test", rollout_percentage: 50 },
];

const stored = (more: Partial<ExperimentRecord> = {}): ExperimentRecord => ({
  id: 1,
  name: "Shorter form",
  description: "Fewer fields",
  start_date: null,
  end_date: null,
  feature_flag_key: "shorter-form",
  feature_flag: {
    id: 2,
    team_id: 1,
    name: "",
    key: "shorter-form",
    filters: { groups: [{ properties: [] }], multivariate: { variants } },
    deleted: false,
    active: false,
    ensure_experience_continuity: false,
    has_encrypted_payloads: false,
    version: 1,
    evaluation_runtime: "all",
    evaluation_tags: [],
  },
  holdout: null,
  holdout_id: null,
  exposure_cohort: null,
  parameters: { feature_flag_variants: variants, custom: 1 },
  secondary_metrics: [],
  saved_metrics: [],
  saved_metrics_ids: null,
  filters: {},
  archived: false,
  deleted: false,
  created_by: null,
  created_at: "2026-01-01T00:00:00.000000Z",
  updated_at: "2026-01-01T00:00:00.000000Z",
  type: "product",
  exposure_criteria: {},
  metrics: [{ kind: "ExperimentMetric", metric_type: "mean", uuid: "m", fingerprint: "f", source: {} }],
  metrics_secondary: [],
  stats_config: { method: "bayesian" },
  conclusion: null,
  conclusion_comment: null,
  concluded_at: null,
  concluded_by: null,
  shipped_variant: null,
  phases: [],
  launch_plan: null,
  primary_metrics_ordered_uuids: null,
  secondary_metrics_ordered_uuids: null,
  user_access_level: "manager",
  version: 1,
  last_modified_by: null,
  status: "draft",
  ...more,
});

describe("what is saved", () => {
  it("nothing where nothing was changed, whatever the record leaves out", () => {
    expect(changesOf(formOf(stored()), stored())).toEqual({});
    const bare = stored({ parameters: null, exposure_criteria: null, stats_config: null });
    expect(changesOf(formOf(bare), bare)).toEqual({});
  });

  it("only the fields that differ", () => {
    const draft = { ...formOf(stored()), name: "Longer form", holdout_id: 7 };
    expect(changesOf(draft, stored())).toEqual({ name: "Longer form", holdout_id: 7 });
  });

  it("saved metrics, where one is added, moved or left out", () => {
    const link = (id: number, type: string) => ({
      id: 10 + id,
      experiment: 1,
      saved_metric: id,
      metadata: { type, note: "kept" },
      created_at: "2026-01-01T00:00:00.000000Z",
      query: { kind: "ExperimentMetric", metric_type: "mean", uuid: `s${id}` },
      name: `Saved ${id}`,
    });
    const record = stored({ saved_metrics: [link(1, "primary"), link(2, "secondary")] });
    const draft = formOf(record);
    expect(changesOf(draft, record)).toEqual({});
    expect(metricsIn(draft, "metrics").map(({ uuid, name }) => [uuid, name])).toEqual([
      ["m", undefined],
      ["s1", "Saved 1"],
    ]);
    const [first, second] = draft.saved;
    if (!first || !second) throw new Error("The draft has lost its saved metrics.");
    expect(changesOf({ ...draft, saved: [moveUse(first, "metrics_secondary")] }, record)).toEqual({
      saved_metrics_ids: [{ id: 1, metadata: { type: "secondary", note: "kept" } }],
    });
    // Another name or definition of a saved metric is stored with it, not with the experiment.
    expect(changesOf({ ...draft, saved: [{ ...first, name: "Else" }, second] }, record)).toEqual({});
    expect(creationOf(newForm())).not.toHaveProperty("saved_metrics_ids");
    expect(creationOf(draft).saved_metrics_ids).toHaveLength(2);
    expect(findClash(draft, { id: 1, query: {} })).toBe("Already used");
    expect(findClash(draft, { id: 9, query: { uuid: "m" } })).toContain("Same as");
    expect(findClash(draft, { id: 9, query: { uuid: "new" } })).toBeNull();
  });

  it("keeps members that the form does not know", () => {
    const draft = { ...formOf(stored()), effect: 5 };
    expect(changesOf(draft, stored())).toEqual({
      parameters: {
        custom: 1,
        minimum_detectable_effect: 5,
        recommended_sample_size: null,
        recommended_running_time: null,
        feature_flag_variants: variants,
      },
    });
  });

  it("CUPED's estimator, where it is not the default", () => {
    const cuped = { enabled: true, lookback_days: 14 };
    const config = writeStats(null, { ...readStats({ cuped }), estimator: "public_service" });
    expect(config.cuped).toEqual({ ...cuped, estimator: "public_service" });
    expect(readStats(config).estimator).toBe("public_service");
    expect(writeStats(config, { ...readStats(config), estimator: "adjusted_means" }).cuped).toEqual(cuped);
    expect(statsFacts(config)).toContainEqual({
      term: "CUPED",
      value: "PostHog's formula, 14-day look-back",
    });
  });

  it("no variants if the flag existed before the experiment", () => {
    const existing = stored({ parameters: {} });
    const { parameters } = changesOf({ ...formOf(existing), effect: 5 }, existing);
    expect(parameters).not.toHaveProperty("feature_flag_variants");
    const made = creationOf({ ...newForm(), flag: "existing", key: "there" });
    expect(made.parameters).not.toHaveProperty("feature_flag_variants");
  });

  it("on top of another's version, metric by metric", () => {
    const metric = (uuid: string, name: string) => ({
      kind: "ExperimentMetric",
      metric_type: "mean",
      uuid,
      name,
      source: { kind: "EventsNode", event: "paid" },
    });
    const base = stored({ metrics: [metric("a", "A"), metric("b", "B")] });
    const theirs = stored({ name: "Theirs", metrics: [metric("a", "A"), metric("b", "Their B")] });
    const mine = { ...formOf(base), metrics: [metric("a", "My A"), metric("b", "B")], effect: 5 };
    const merged = mergeForms(mine, formOf(base), formOf(theirs));
    expect(merged).toMatchObject({ name: "Theirs", effect: 5 });
    expect(merged.metrics.map(({ name }) => name)).toEqual(["My A", "Their B"]);
  });

  it("an exposure by an event, and back", () => {
    const draft = formOf(stored());
    const exposure = {
      ...draft.exposure,
      kind: "event" as const,
      event: "opened",
      handling: "first_seen" as const,
    };
    const { exposure_criteria } = changesOf({ ...draft, exposure }, stored());
    expect(exposure_criteria).toEqual({
      filterTestAccounts: false,
      multiple_variant_handling: "first_seen",
      exposure_config: { kind: "ExperimentEventExposureConfig", event: "opened", properties: [] },
    });
    const after = stored({ exposure_criteria: exposure_criteria as Record<string, unknown> });
    expect(formOf(after).exposure).toEqual(exposure);
  });
});

describe("what the API would refuse", () => {
  const problems = async (values: ExperimentForm, record: ExperimentRecord | null) => {
    const { errors } = await resolverFor(record)(values, undefined, {
      fields: {},
      shouldUseNativeValidation: false,
    });
    return Object.fromEntries(
      Object.entries(errors).map(([field, error]) => [field, (error as { message?: string }).message]),
    );
  };
  const planned = { ...newForm(), name: "Shorter form", key: "shorter-form" };

  it("is nothing of a form that is filled in", async () => {
    expect(await problems(planned, null)).toEqual({});
    expect(await problems(formOf(stored()), stored())).toEqual({});
  });

  it("is shown at its field", async () => {
    const [control, test] = planned.variants;
    if (!control || !test) throw new Error("A new experiment has two variants.");
    expect(await problems(newForm(), null)).toEqual({
      name: "Give the experiment a name.",
      key: "This field may not be blank.",
    });
    const nameless = { ...planned, variants: [control, { ...test, key: "" }] };
    expect(await problems(nameless, null)).toEqual({ variants: "Each variant needs a key." });
    const event = { ...planned.exposure, kind: "event" as const };
    expect(await problems({ ...planned, exposure: event }, null)).toEqual({ exposure: "Choose an event." });
    const broken = { kind: "ExperimentMetric", metric_type: "funnel" };
    expect(await problems({ ...formOf(stored()), metrics_secondary: [broken] }, stored())).toEqual({
      metrics_secondary: expect.stringContaining("A metric cannot be read"),
    });
  });

  it("does not concern stored fields that were not changed", async () => {
    const old = stored({ metrics: [{ kind: "ExperimentMetric", metric_type: "gone" }] });
    expect(await problems({ ...formOf(old), name: "Other" }, old)).toEqual({});
  });

  it("is found by the field that the API names", () => {
    expect(fieldOfError({ attr: "feature_flag_key" })).toBe("key");
    expect(fieldOfError({ attr: "metrics__0__source" })).toBe("metrics");
    expect(fieldOfError({ attr: null })).toBe("root");
  });
});

it("statistics are read from either method's part, and kept with what is unknown of them", () => {
  const config = {
    method: "frequentist",
    frequentist: { alpha: 0.1, difference_type: "ABSOLUTE", sequential_testing_enabled: true, other: 1 },
    future: true,
  };
  const draft = readStats(config);
  expect(draft).toMatchObject({
    method: "frequentist",
    level: 0.9,
    difference: "ABSOLUTE",
    sequential: true,
  });
  expect(writeStats(config, { ...draft, level: 0.99 })).toMatchObject({
    future: true,
    frequentist: { alpha: 0.01, other: 1 },
    bayesian: { ci_level: 0.99 },
  });
  expect(statsFacts(config).map(({ value }) => value)).toContain("90%");
});

it("shipping gives everybody one variant and keeps the rest of the flag", () => {
  const filters = {
    groups: [{ properties: [{ key: "plan" }], rollout_percentage: 10 }],
    holdout_groups: [{}],
    holdout: { id: 1 },
    payloads: { test: '"x"' },
    aggregation_group_type_index: null,
    multivariate: { variants: [...variants, { key: "other", rollout_percentage: 0 }] },
  };
  expect(shippedFilters(filters, "test")).toEqual({
    groups: [{ properties: [], rollout_percentage: 100, variant: null }],
    payloads: { test: '"x"' },
    aggregation_group_type_index: null,
    multivariate: {
      variants: [
        { key: "control", name: "Now", rollout_percentage: 0 },
        { key: "test", rollout_percentage: 100 },
        { key: "other", rollout_percentage: 0 },
      ],
    },
  });
});

const event = { kind: "EventsNode", event: "paid" };

it.each([
  [{ metric_type: "mean", source: { kind: "EventsNode", event: "" } }, "event to count"],
  [{ metric_type: "mean", source: { ...event, math: "sum" } }, "property"],
  [{ metric_type: "mean", source: event }, null],
  [{ metric_type: "funnel", series: [event, { kind: "EventsNode" }] }, "step 2"],
  [{ metric_type: "ratio", numerator: event, denominator: { kind: "EventsNode" } }, "denominator"],
  [
    {
      metric_type: "retention",
      start_event: event,
      completion_event: event,
      retention_window_start: 7,
      retention_window_end: 1,
    },
    "ends before",
  ],
  [{ kind: "ExperimentTrendsQuery" }, null],
])("of %j is missing: %s", (metric, said) => {
  const problem = findMetricProblem(metric);
  if (said === null) expect(problem).toBeNull();
  else expect(problem).toContain(said);
});

describe("a proposed experiment", () => {
  const named = { ...newForm(), name: "Shorter form", key: "shorter-form" };
  it.each<[string, ExperimentForm]>([
    ["with a flag of its own", { ...named, group: 1, holdout_id: 4 }],
    ["on a flag that is there", { ...named, flag: "existing" }],
    [
      "with an event that counts as exposure",
      {
        ...named,
        exposure: {
          kind: "event",
          event: "seen",
          filters: [],
          filterTestAccounts: true,
          handling: "first_seen",
        },
      },
    ],
  ])("is opened again as it was proposed: %s", (_, values) => {
    const body = creationOf(values);
    expect(formOfCreation(body)).toEqual(values);
    expect(creationOf(formOfCreation(body), body)).toEqual(body);
  });
  it("keeps what the form does not show", () => {
    const body = {
      ...creationOf(named),
      parameters: { ...creationOf(named).parameters, rollout_percentage: 20 },
    };
    expect(creationOf({ ...formOfCreation(body), name: "Longer form" }, body)).toEqual({
      ...body,
      name: "Longer form",
    });
  });
});
