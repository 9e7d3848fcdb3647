import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createExperiment,
  createFlag,
  done,
  experimentBody,
  FLAGS,
  meanOf,
  ROOT,
} from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let draft: { id: number; feature_flag_key: string };
let launched: { id: number };
beforeAll(async () => {
  service = await startService();
  draft = await createExperiment(service, { type: "product" });
  launched = await createExperiment(service, { start_date: "2026-01-05T09:00:00Z" });
  await createFlag(service, "plain-two", ["a", "control"]);
  await createFlag(service, "lone", ["control"]);
  await done(service.api("POST", FLAGS, { key: "boolean" }));
});
afterAll(() => service.close());

const half = (key: string) => ({ key, rollout_percentage: 50 });
const variants = (...list: unknown[]) => ({ parameters: { feature_flag_variants: list } });
const metrics = (...list: unknown[]) => ({ metrics: list });
const many = Array.from({ length: 21 }, (_, i) => ({ key: i ? `v${i}` : "control", rollout_percentage: 5 }));
const source = { kind: "EventsNode", event: "paid" };

describe("what cannot be created", () => {
  it.each([
    ["no name", { name: undefined }, "required", "name"],
    ["an empty name", { name: "  " }, "blank", "name"],
    ["a name of null", { name: null }, "null", "name"],
    ["a long name", { name: "x".repeat(401) }, "max_length", "name"],
    ["a long description", { description: "x".repeat(3001) }, "max_length", "description"],
    ["no flag key", { feature_flag_key: undefined }, "required", "feature_flag_key"],
    ["an empty flag key", { feature_flag_key: "" }, "blank", "feature_flag_key"],
    ["a flag key with a blank", { feature_flag_key: "no key" }, "invalid_key", "key"],
    ["an unknown type", { type: "mobile" }, "invalid_choice", "type"],
    ["an unknown conclusion", { conclusion: "great" }, "invalid_choice", "conclusion"],
    ["a date of no calendar", { start_date: "2026-02-30T00:00:00Z" }, "invalid_input", "start_date"],
    ["a date of words", { end_date: "tomorrow" }, "invalid_input", "end_date"],
    [
      "an end before the start",
      { start_date: "2026-02-01T00:00:00Z", end_date: "2026-02-01T00:00:00Z" },
      "invalid_input",
      null,
    ],
    ["filters of null", { filters: null }, "null", "filters"],
    ["archived as a text", { archived: "perhaps" }, "invalid_input", "archived"],
    ["parameters as a list", { parameters: [] }, "not_a_dict", "parameters"],
    ["21 variants", variants(...many), "invalid_input", "parameters"],
    ["variants without control", variants(half("a"), half("b")), "invalid_input", "parameters"],
    ["Control in capitals", variants(half("Control"), half("b")), "invalid_input", "parameters"],
    ["control alone", variants({ key: "control", rollout_percentage: 100 }), "invalid_input", "parameters"],
    ["two variants of one key", variants(half("control"), half("control")), "invalid_input", "parameters"],
    [
      "a variant without a key",
      variants(half("control"), { rollout_percentage: 50 }),
      "invalid_input",
      "parameters",
    ],
    ["a variant without a share", variants(half("control"), { key: "b" }), "invalid_input", "parameters"],
    [
      "a share above 100",
      variants(half("control"), { key: "b", rollout_percentage: 101 }),
      "invalid_input",
      "parameters",
    ],
    [
      "variants that are no list",
      { parameters: { feature_flag_variants: {} } },
      "invalid_input",
      "parameters",
    ],
    [
      "an effect as a text",
      { parameters: { minimum_detectable_effect: "5" } },
      "invalid_input",
      "parameters",
    ],
    [
      "a sixth kind of group",
      { parameters: { aggregation_group_type_index: 5 } },
      "invalid_input",
      "parameters",
    ],
    [
      "shares of 110%",
      variants(half("control"), { key: "b", rollout_percentage: 60 }),
      "invalid_input",
      "filters",
    ],
    ["a flag without variants", { feature_flag_key: "boolean" }, "invalid_input", null],
    ["a flag of one variant", { feature_flag_key: "lone" }, "invalid_input", null],
    ["a flag whose control comes second", { feature_flag_key: "plain-two" }, "invalid_input", null],
    ["an unknown holdout", { holdout_id: 4242 }, "does_not_exist", "holdout_id"],
    ["a holdout beyond all numbers", { holdout_id: 2 ** 40 }, "does_not_exist", "holdout_id"],
    ["saved metrics that are no list", { saved_metrics_ids: {} }, "invalid_input", "saved_metrics_ids"],
    ["a saved metric that is no object", { saved_metrics_ids: [1] }, "invalid_input", "saved_metrics_ids"],
    ["a saved metric without an id", { saved_metrics_ids: [{}] }, "invalid_input", "saved_metrics_ids"],
    ["an unknown saved metric", { saved_metrics_ids: [{ id: 4242 }] }, "invalid_input", "saved_metrics_ids"],
    [
      "a saved metric beyond all numbers",
      { saved_metrics_ids: [{ id: 2 ** 40 }] },
      "invalid_input",
      "saved_metrics_ids",
    ],
    [
      "metadata that is a list",
      { saved_metrics_ids: [{ id: 1, metadata: [] }] },
      "invalid_input",
      "saved_metrics_ids",
    ],
    [
      "metadata without a type",
      { saved_metrics_ids: [{ id: 1, metadata: {} }] },
      "invalid_input",
      "saved_metrics_ids",
    ],
    [
      "criteria with a text for test accounts",
      { exposure_criteria: { filterTestAccounts: "yes" } },
      "invalid_input",
      "exposure_criteria",
    ],
    [
      "an exposure of no kind",
      { exposure_criteria: { exposure_config: { event: "x", properties: [] } } },
      "invalid_input",
      "exposure_criteria",
    ],
    [
      "an exposure without an event",
      { exposure_criteria: { exposure_config: { kind: "ExperimentEventExposureConfig", properties: [] } } },
      "invalid_input",
      "exposure_criteria",
    ],
    [
      "an exposure without properties",
      { exposure_criteria: { exposure_config: { kind: "ExperimentEventExposureConfig", event: "x" } } },
      "invalid_input",
      "exposure_criteria",
    ],
    [
      "an action without an id",
      { exposure_criteria: { exposure_config: { kind: "ActionsNode" } } },
      "invalid_input",
      "exposure_criteria",
    ],
    [
      "an unknown handling",
      { exposure_criteria: { multiple_variant_handling: "last" } },
      "invalid_input",
      "exposure_criteria",
    ],
    ["an unknown method", { stats_config: { method: "tea leaves" } }, "invalid_input", "stats_config"],
    [
      "an unknown CUPED estimator",
      { stats_config: { cuped: { enabled: true, estimator: "tea leaves" } } },
      "invalid_input",
      "stats_config",
    ],
    [
      "a CUPED estimator that is a list",
      { stats_config: { cuped: { enabled: false, estimator: ["public_service"] } } },
      "invalid_input",
      "stats_config",
    ],
    ["statistics as a text", { stats_config: "bayesian" }, "not_a_dict", "stats_config"],
    ["metrics that are no list", { metrics: {} }, "invalid_input", "metrics"],
    ["a metric of another kind", metrics({ kind: "Insight" }), "invalid_input", "metrics"],
    [
      "a metric of an unknown type",
      metrics({ kind: "ExperimentMetric", metric_type: "median", source }),
      "invalid_input",
      "metrics",
    ],
    [
      "a mean without a source",
      metrics({ kind: "ExperimentMetric", metric_type: "mean" }),
      "invalid_input",
      "metrics",
    ],
    [
      "a source of an unknown kind",
      metrics(meanOf("x", { source: { kind: "Tea" } })),
      "invalid_input",
      "metrics",
    ],
    [
      "a funnel without steps",
      metrics({ kind: "ExperimentMetric", metric_type: "funnel", series: [] }),
      "invalid_input",
      "metrics",
    ],
    [
      "a ratio without a denominator",
      metrics({ kind: "ExperimentMetric", metric_type: "ratio", numerator: source }),
      "invalid_input",
      "metrics",
    ],
    ["a quantile of 5", metrics(meanOf("x", { upper_bound_percentile: 5 })), "invalid_input", "metrics"],
    ["a goal sideways", metrics(meanOf("x", { goal: "sideways" })), "invalid_input", "metrics"],
    [
      "a window of fortnights",
      metrics(meanOf("x", { conversion_window_unit: "fortnight" })),
      "invalid_input",
      "metrics",
    ],
    [
      "one uuid in both lists",
      { metrics: [meanOf("x", { uuid: "same" })], metrics_secondary: [meanOf("y", { uuid: "same" })] },
      "invalid_input",
      "metrics",
    ],
  ])("%s", async (_, fields, code, attr) => {
    const before = await counts();
    const { status, json } = await service.api("POST", ROOT, experimentBody(fields));
    expect([status, json.type, json.code]).toEqual([400, "validation_error", code]);
    expect(json.attr?.split("__")[0] ?? null).toBe(attr);
    expect(await counts()).toEqual(before);
  });
});

/** How many experiments and flags there are: what is refused leaves nothing behind. */
async function counts() {
  const of = async (root: string) => (await done(service.api("GET", `${root}?limit=1`))).count;
  return [await of(ROOT), await of(FLAGS)];
}

describe("the currency of a metric", () => {
  const revenue = (currency: unknown) => ({
    metrics: [
      {
        kind: "ExperimentMetric",
        metric_type: "mean",
        source: { kind: "EventsNode", event: "paid", math: "sum", math_property: "amount" },
        currency,
      },
    ],
  });

  it("is kept as sent, and does not make another metric of it", async () => {
    const [plain] = (await done(service.api("PATCH", `${ROOT}${draft.id}/`, revenue(undefined)))).metrics;
    const [euros] = (await done(service.api("PATCH", `${ROOT}${draft.id}/`, revenue("EUR")))).metrics;
    expect(euros).toEqual({ ...plain, uuid: euros.uuid, currency: "EUR" });
    expect((await done(service.api("GET", `${ROOT}${draft.id}/`))).metrics).toEqual([euros]);
  });

  it.each(["euro", "eur", "", 7])("%j is none", async (currency) => {
    const { status, json } = await service.api("PATCH", `${ROOT}${draft.id}/`, revenue(currency));
    expect([status, json.code]).toEqual([400, "invalid_input"]);
  });
});

describe("what cannot be changed", () => {
  it.each([
    ["its type", { type: "web" }, "type"],
    ["its flag", { feature_flag_key: "another" }, "get_feature_flag_key"],
    ["both, in order", { type: null, feature_flag_key: "another" }, "get_feature_flag_key, type"],
  ])("%s", async (_, fields, named) => {
    const { status, json } = await service.api("PATCH", `${ROOT}${draft.id}/`, fields);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", null]);
    expect(json.detail).toContain(named);
  });

  it("a record that is sent back whole, with a folder, changes nothing", async () => {
    const before = await done(service.api("GET", `${ROOT}${draft.id}/`));
    const { status, json } = await service.api("PATCH", `${ROOT}${draft.id}/`, {
      ...before,
      _create_in_folder: "x",
    });
    const { updated_at, version } = json;
    expect({ status, json }).toEqual({ status: 200, json: { ...before, updated_at, version } });
  });

  it.each([
    ["variants of a launched one: fewer", variants(half("control"), half("other"))],
    [
      "variants of a launched one: more",
      variants(...["control", "test", "x", "y"].map((key) => ({ key, rollout_percentage: 25 }))),
    ],
    ["variants of a launched one: none", variants()],
    ["old filters with properties", { filters: { properties: [{ key: "x" }] } }],
    [
      "an end before a start in one request",
      { start_date: "2026-02-02T00:00:00Z", end_date: "2026-02-01T00:00:00Z" },
    ],
  ])("%s", async (_, fields) => {
    const { status, json } = await service.api("PATCH", `${ROOT}${launched.id}/`, fields);
    expect([status, json.code]).toEqual([400, "invalid_input"]);
  });

  it("its dates, so that it ends before it begins", async () => {
    const change = async (fields: unknown) => {
      const { status, json } = await service.api("PATCH", `${ROOT}${dated.id}/`, fields);
      return [status, json.attr];
    };
    const dated = await createExperiment(service, { start_date: "2026-01-05T09:00:00Z" });
    expect(await change({ end_date: "2026-01-05T09:00:00Z" })).toEqual([400, "end_date"]);
    expect(await change({ end_date: "2026-01-09T09:00:00Z" })).toEqual([200, undefined]);
    expect(await change({ start_date: "2026-01-10T09:00:00Z" })).toEqual([400, "start_date"]);
    expect(await change({ start_date: "2026-01-10T09:00:00Z", end_date: null })).toEqual([200, undefined]);
    expect(await change({ start_date: null, end_date: "2026-01-09T09:00:00Z" })).toEqual([200, undefined]);
  });

  it("the holdout of a launched one", async () => {
    const holdout = await done(
      service.api("POST", "/api/projects/1/experiment_holdouts/", {
        name: "Ten",
        filters: [{ properties: [], rollout_percentage: 10 }],
      }),
    );
    const change = (holdout_id: number | null) =>
      service.api("PATCH", `${ROOT}${launched.id}/`, { holdout_id });
    expect((await change(holdout.id)).status).toBe(400);
    expect((await change(null)).status).toBe(200);
  });

  it.each([
    ["?created_by_id=me", "created_by_id"],
    ["?feature_flag_id=x", "feature_flag_id"],
    ["?order=luck", "order"],
  ])("a list %s", async (query, attr) => {
    const { status, json } = await service.api("GET", `${ROOT}${query}`);
    expect([status, json.attr]).toEqual([400, attr]);
  });

  it.each([["events={"], ["events=5"], ['events="x"']])("an implementation asked with %s", async (query) => {
    const { status, json } = await service.api("GET", `${ROOT}requires_flag_implementation/?${query}`);
    expect([status, json.attr]).toEqual([400, "events"]);
  });
});

describe("bodies of every shape", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const text = fc.oneof(fc.constantFrom("control", "test", "plain-two", "fuzz"), fc.string(), json);
  const share = fc.oneof(fc.constantFrom(0, 50, 100), json);
  const node = fc.record(
    {
      kind: fc.oneof(fc.constantFrom("EventsNode", "ActionsNode"), json),
      event: text,
      id: json,
      properties: json,
      math: fc.oneof(fc.constantFrom("sum", "total"), json),
    },
    { requiredKeys: [] },
  );
  const metric = fc.record(
    {
      kind: fc.oneof(fc.constantFrom("ExperimentMetric", "ExperimentTrendsQuery"), json),
      metric_type: fc.oneof(fc.constantFrom("mean", "funnel", "ratio", "retention"), json),
      uuid: json,
      source: fc.oneof(node, json),
      series: fc.oneof(fc.array(node), json),
      numerator: node,
      denominator: node,
      goal: json,
    },
    { requiredKeys: [] },
  );
  const list = fc.oneof(fc.array(metric, { maxLength: 3 }), json);
  const parameters = fc.record(
    {
      feature_flag_variants: fc.oneof(
        fc.array(fc.record({ key: text, rollout_percentage: share }, { requiredKeys: [] }), { maxLength: 4 }),
        json,
      ),
      minimum_detectable_effect: json,
      aggregation_group_type_index: fc.oneof(fc.constantFrom(0, 1, null), json),
      rollout_percentage: share,
      custom_exposure_filter: fc.oneof(fc.record({ events: json, actions: json }), json),
    },
    { requiredKeys: [] },
  );
  const date = fc.oneof(fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", null), json);
  const body = fc.oneof(
    json,
    fc.record(
      {
        name: fc.oneof(fc.string(), json),
        feature_flag_key: text,
        description: json,
        start_date: date,
        end_date: date,
        holdout_id: json,
        parameters: fc.oneof(parameters, json),
        secondary_metrics: json,
        saved_metrics_ids: fc.oneof(
          fc.array(fc.record({ id: json, metadata: json }, { requiredKeys: [] })),
          json,
        ),
        filters: json,
        archived: fc.oneof(fc.boolean(), json),
        deleted: fc.oneof(fc.boolean(), json),
        exposure_criteria: fc.oneof(
          fc.record({ filterTestAccounts: fc.boolean(), exposure_config: json }),
          json,
        ),
        metrics: list,
        metrics_secondary: list,
        stats_config: fc.oneof(fc.record({ method: fc.constantFrom("bayesian", "frequentist") }), json),
        conclusion: fc.oneof(fc.constantFrom("won", "invalid", null), json),
        conclusion_comment: json,
        primary_metrics_ordered_uuids: fc.oneof(fc.array(text, { maxLength: 3 }), json),
        secondary_metrics_ordered_uuids: json,
        update_feature_flag_params: fc.oneof(fc.boolean(), json),
        type: fc.oneof(fc.constantFrom("web", "product", null), json),
        _create_in_folder: json,
      },
      { requiredKeys: [] },
    ),
  );

  it("never cause a 5xx, and refused ones change nothing", async () => {
    const target = await createExperiment(service);
    const address = `${ROOT}${target.id}/`;
    const read = async () => (await service.api("GET", address)).json;
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const created = await service.api("POST", ROOT, sent as object);
        expect(created.status, created.text).toBeLessThan(500);
        const before = await read();
        const patched = await service.api("PATCH", address, sent as object);
        expect(patched.status, patched.text).toBeLessThan(500);
        if (patched.status !== 200) expect(await read()).toEqual(before);
        if (patched.json?.deleted) await done(service.api("PATCH", address, { deleted: false }));
        for (const action of ["duplicate/", "create_exposure_cohort_for_experiment/"])
          expect((await service.api("POST", `${address}${action}`, sent as object)).status).toBeLessThan(500);
        expect((await service.api("GET", `${ROOT}?limit=500`)).status).toBe(200);
      }),
      { numRuns: 250 },
    );
  });

  it("holdouts and saved metrics of every shape cause no 5xx either", async () => {
    const group = fc.record(
      { properties: json, rollout_percentage: share, variant: json },
      { requiredKeys: [] },
    );
    const holdout = fc.record(
      { name: fc.oneof(fc.string(), json), description: json, filters: fc.oneof(fc.array(group), json) },
      { requiredKeys: [] },
    );
    const saved = fc.record(
      { name: fc.oneof(fc.string(), json), query: fc.oneof(metric, json), tags: json },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("experiment_holdouts", "experiment_saved_metrics"),
        holdout,
        saved,
        async (path, a, b) => {
          const sent = path === "experiment_holdouts" ? a : b;
          const {
            status,
            json: made,
            text: answer,
          } = await service.api("POST", `/api/projects/1/${path}/`, sent);
          expect(status, answer).toBeLessThan(500);
          if (status === 201)
            expect((await service.api("PATCH", `/api/projects/1/${path}/${made.id}/`, sent)).status).toBe(
              200,
            );
        },
      ),
      { numRuns: 150 },
    );
  });
});
