import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startResults } from "#testing/experiment-results.ts";

/** Whatever metrics, criteria and settings contain: a response or a clear refusal, never a server error. */

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const junk = fc.oneof(
  fc.constantFrom(null, true, "", "a", "\u0000", -1, 0, 1, 1.5, 1e308, 2 ** 31, 2 ** 53),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Mostly what makes sense: most mistakes stand alone. */
const mostly = <T>(sense: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: sense as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: junk });

const filter = fc.record(
  {
    key: mostly(fc.constantFrom("amount", "$feature_flag", "", "__proto__", "a'b\"c")),
    value: junk,
    operator: mostly(fc.constantFrom("exact", "regex", "gt", "is_set", "is_date_before", "semver_gt")),
    type: mostly(fc.constantFrom("event", "feature", "person", "cohort")),
  },
  { requiredKeys: ["key"] },
);
const source = fc.record(
  {
    kind: fc.constantFrom("EventsNode", "EventsNode", "EventsNode", "ActionsNode"),
    id: fc.constant(1),
    event: mostly(fc.constantFrom("order", "$feature_flag_called", null)),
    math: mostly(fc.constantFrom("total", "sum", "max", "dau", "unique_session", "unique_group", "hogql")),
    math_property: mostly(fc.constantFrom("amount", "'; drop table events; --")),
    math_group_type_index: mostly(fc.constantFrom(0, 4)),
    properties: mostly(fc.array(filter, { maxLength: 3 })),
  },
  { requiredKeys: ["kind"] },
);
const metric = fc.record(
  {
    kind: fc.constant("ExperimentMetric"),
    metric_type: mostly(fc.constantFrom("mean", "funnel", "ratio", "retention")),
    source,
    series: mostly(fc.array(source, { maxLength: 4 })),
    numerator: source,
    denominator: source,
    start_event: source,
    completion_event: source,
    retention_window_start: mostly(fc.constantFrom(0, 1)),
    retention_window_end: mostly(fc.constantFrom(1, 7)),
    retention_window_unit: mostly(fc.constantFrom("day", "hour", "month")),
    conversion_window: mostly(fc.constantFrom(1, 7)),
    conversion_window_unit: mostly(fc.constantFrom("day", "second")),
    lower_bound_percentile: mostly(fc.constantFrom(0.1, 0, 1)),
    upper_bound_percentile: mostly(fc.constantFrom(0.9, 0, 1)),
    funnel_order_type: mostly(fc.constantFrom("ordered", "unordered")),
  },
  { requiredKeys: ["kind", "metric_type"] },
);

it("computes any metric, or returns the reason why not", async () => {
  const made = await service.create({ metrics: [] });
  await service.send([
    {
      event: "$feature_flag_called",
      id: "a",
      at: 1,
      properties: { $feature_flag: made.feature_flag_key, $feature_flag_response: "test" },
    },
    { event: "order", id: "a", at: 2, properties: { amount: 1e300, $groups: "none", $session_id: {} } },
    { event: "order", id: "a", at: 3, properties: { amount: "NaN", $groups: { company: {} } } },
  ]);
  await fc.assert(
    fc.asyncProperty(metric, async (asked) => {
      const query = { kind: "ExperimentQuery", experiment_id: made.id, metric: asked };
      const answers = [
        await service.api("POST", "/api/projects/1/query/", { query }),
        await service.api("POST", "/api/projects/1/experiments/preview_metric/", {
          metric: asked,
          exposure_event: "order",
        }),
      ];
      for (const { status, text } of answers) expect(status, text).toBeLessThan(500);
    }),
    { numRuns: 150 },
  );
});

it("reads results of experiments whose settings make no sense", async () => {
  const exposure_criteria = mostly(
    fc.record({
      filterTestAccounts: fc.boolean(),
      multiple_variant_handling: junk,
      exposure_config: mostly(
        fc.record({
          kind: fc.constantFrom("ExperimentEventExposureConfig", "ActionsNode"),
          id: fc.constant(1),
          event: fc.constantFrom("order", "$feature_flag_called"),
          properties: fc.array(filter, { maxLength: 2 }),
        }),
      ),
    }),
  );
  const fields = fc.record({
    exposure_criteria,
    stats_config: mostly(
      fc.record({ method: junk, bayesian: junk, frequentist: junk, cuped: junk, baseline_variant_key: junk }),
    ),
    metrics: fc.array(metric, { maxLength: 2 }),
    parameters: fc.record({ minimum_detectable_effect: junk, recommended_sample_size: junk }),
  });
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fields, async (sent) => {
      n += 1;
      const body = {
        name: `Hostile ${n}`,
        feature_flag_key: `hostile-${n}`,
        start_date: "2026-11-01",
        ...sent,
      };
      const made = await service.api("POST", "/api/projects/1/experiments/", body);
      expect(made.status, made.text).toBeLessThan(500);
      if (made.status !== 201) return;
      const root = `/api/projects/1/experiments/${made.json.id}/`;
      for (const path of ["results/", "looks/", "results/people/?kind=exposed"]) {
        const { status, text } = await service.api("GET", root + path);
        expect(status, text).toBeLessThan(500);
      }
      const list = await service.api(
        "GET",
        `/api/projects/1/experiments/results_summaries/?ids=${made.json.id}`,
      );
      expect(list.status, list.text).toBe(200);
      for (const { uuid, fingerprint } of made.json.metrics) {
        const query = `metric_uuid=${encodeURIComponent(uuid)}&fingerprint=${fingerprint}`;
        expect((await service.api("GET", `${root}timeseries_results/?${query}`)).status).toBeLessThan(500);
      }
    }),
    { numRuns: 60 },
  );
});

/** Members that may each be missing, and are mostly of the right kind. */
const some = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] });

it("refuses calls of every shape clearly, with whole members missing", async () => {
  const made = await service.create({ metrics: [] });
  const root = "/api/projects/1/experiments/";
  const id = fc.constantFrom(made.id, made.id, 999_999, 0, "x", 2 ** 53);
  const experiment_id = mostly(fc.constant(made.id));
  const bodies: [string, fc.Arbitrary<unknown>][] = [
    ["recalculate_timeseries/", some({ metric: mostly(metric), fingerprint: junk })],
    ["looks/", junk],
    [
      "duplicate/",
      some({ name: mostly(fc.string()), feature_flag_key: mostly(fc.string()), start_date: junk }),
    ],
  ];
  const queries = some({
    query: mostly(
      some({
        kind: mostly(fc.constantFrom("ExperimentQuery", "ExperimentExposureQuery")),
        experiment_id,
        metric: mostly(metric),
      }),
    ),
  });
  const previews = some({
    metric: mostly(metric),
    exposure_event: mostly(fc.constant("order")),
    feature_flag_key: mostly(fc.constant(made.feature_flag_key)),
    days: mostly(fc.constantFrom(1, 90)),
  });
  const word = mostly(fc.constantFrom("exposed", "multiple", "converted", "step", "test", "1", "created_at"));
  const parameters = some(
    Object.fromEntries(
      ["kind", "variant", "metric_uuid", "step", "limit", "offset", "fingerprint", "ids", "events", "event"]
        .concat(["status", "order", "search", "archived", "created_by_id", "feature_flag_id"])
        .map((name) => [name, word]),
    ),
  );
  const send = async (method: string, path: string, body?: unknown) => {
    const raw = body === undefined ? undefined : JSON.stringify(body);
    const { status, text } = await service.api(method, path, raw, {
      headers: { "content-type": "application/json" },
    });
    expect(status, `${method} ${path} ${raw} ${text}`).toBeLessThan(500);
  };
  const reads = ["", `${made.id}/`, `${made.id}/results/people/`, `${made.id}/timeseries_results/`]
    .concat(["results_summaries/", "requires_flag_implementation/", "event_properties/", "activity/"])
    .concat([`${made.id}/activity/`, `${made.id}/looks/`]);
  // Beyond what a column of ids holds, there is no such experiment.
  for (const kind of ["ExperimentQuery", "ExperimentExposureQuery"])
    for (const beyond of [2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER]) {
      const query = { kind, experiment_id: beyond };
      expect((await service.api("POST", "/api/environments/1/query/", { query })).status).toBe(404);
    }
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(id, ...bodies.map(([, body]) => body)),
      queries,
      previews,
      parameters,
      async ([of, ...sent], query, preview, asked) => {
        for (const [i, [path]] of bodies.entries()) await send("POST", `${root}${of}/${path}`, sent[i]);
        await send("POST", "/api/environments/1/query/", query);
        await send("POST", `${root}preview_metric/`, preview);
        const values = Object.entries(asked).map(
          ([name, value]) =>
            [name, typeof value === "object" ? JSON.stringify(value) : String(value)] as [string, string],
        );
        for (const path of reads) await send("GET", `${root}${path}?${new URLSearchParams(values)}`);
      },
    ),
    { numRuns: 60 },
  );
});
