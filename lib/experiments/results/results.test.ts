import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";
import { jobContext } from "#testing/jobs.ts";
import { selectSeries } from "./days/store.ts";
import { recalculateDays } from "./recalculate.ts";
import { repairExperiments, verifyExperiments } from "./verify.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const QUERY = "/api/environments/1/query/";
const end_date = "2026-03-20T09:00:00Z";

const called = (flag: string, id: string, variant: unknown, at = 1): Told => ({
  event: "$feature_flag_called",
  id,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: variant },
});

/** Exposes so many of each variant, named by the flag, the variant and a number. */
const exposing = (flag: string, counts: Record<string, number>): Told[] =>
  Object.entries(counts).flatMap(([variant, n]) =>
    Array.from({ length: n }, (_, i) => called(flag, `${flag} ${variant} ${i}`, variant)),
  );

const ask = async (experiment: { id: number }, asked: unknown) => {
  const body = { query: { kind: "ExperimentQuery", experiment_id: experiment.id, metric: asked } };
  return service.api("POST", QUERY, body);
};

describe("generated events whose sums are known give the engine's answers", () => {
  it("of a proportion, frequentist and relative", async () => {
    const made = await service.create({
      end_date,
      metrics: [metric({ metric_type: "funnel", series: [source("order")] })],
      stats_config: { method: "frequentist" },
    });
    const flag = made.feature_flag_key;
    const converting = { control: 87, test: 62 };
    await service.send(exposing(flag, { control: 1529, test: 1471 }));
    await service.send(
      Object.entries(converting).flatMap(([variant, n]) =>
        Array.from({ length: n }, (_, i) => ({ event: "order", id: `${flag} ${variant} ${i}`, at: 2 })),
      ),
    );
    const { status, json } = await ask(made, made.metrics[0]);
    expect(status).toBe(200);
    expect(json.baseline).toEqual({
      key: "control",
      number_of_samples: 1529,
      sum: 87,
      sum_squares: 87,
      step_counts: [87],
      validation_failures: [],
    });
    const [variant] = json.variant_results;
    expect(variant).toMatchObject({ key: "test", number_of_samples: 1471, sum: 62, significant: true });
    expect(variant.method).toBe("frequentist");
    expect(variant.p_value).toBeCloseTo(0.03096, 5);
    expect(variant.confidence_interval[0]).toBeCloseTo(-0.49475, 5);
    expect(variant.confidence_interval[1]).toBeCloseTo(-0.02376, 5);
  });

  it("of a mean with cents, Bayesian and relative; ad hoc, it is the same", async () => {
    const spent = metric({
      metric_type: "mean",
      source: source("paid", { math: "sum", math_property: "amount" }),
    });
    const made = await service.create({ end_date, metrics: [spent] });
    const flag = made.feature_flag_key;
    await service.send(exposing(flag, { control: 100, test: 100 }));
    await service.send(
      ["control", "test"].flatMap((variant) =>
        Array.from({ length: 100 }, (_, i) => ({
          event: "paid",
          id: `${flag} ${variant} ${i}`,
          at: 3,
          properties: { amount: variant === "test" ? 5.5 + (i % 2 ? 0.1 : -0.1) : 5 + (i % 2 ? 0.1 : -0.1) },
        })),
      ),
    );
    const stored = await ask(made, made.metrics[0]);
    expect(stored.json.baseline).toMatchObject({ number_of_samples: 100, sum: 500, sum_squares: 2501 });
    expect(stored.json.variant_results[0]).toMatchObject({ sum: 550, sum_squares: 3026, significant: true });
    const [low, high] = stored.json.variant_results[0].credible_interval;
    expect((low + high) / 2).toBeCloseTo(0.1, 12);
    const { uuid: _, fingerprint: __, ...unnamed } = made.metrics[0];
    const other = await ask(made, { ...unnamed, name: "Another name", conversion_window: 30 });
    expect(other.json.variant_results).toEqual(stored.json.variant_results);
  });
});

describe("settings of the statistics", () => {
  const spent = metric({ metric_type: "mean", source: source("paid") });
  /** 60 people a variant: some pay before the exposure, and those are likelier to pay after it. */
  const history = (flag: string): Told[] =>
    ["control", "test"].flatMap((variant) =>
      Array.from({ length: 60 }, (_, i): Told[] => {
        const paid = (count: number, at: number) =>
          Array.from({ length: count }, (_, j) => ({
            event: "paid",
            id: `${flag} ${variant} ${i}`,
            at: at + j,
          }));
        const after = 1 + (i % 4) + (i % 7 === 0 ? 1 : 0) + (variant === "test" && i % 5 === 0 ? 1 : 0);
        return [called(flag, `${flag} ${variant} ${i}`, variant), ...paid(i % 4, -20), ...paid(after, 2)];
      }).flat(),
    );

  it.each([
    { method: "bayesian", bayesian: { ci_level: 0 } },
    { method: "bayesian", bayesian: { ci_level: 1 } },
    { method: "frequentist", frequentist: { alpha: 0 } },
    { method: "frequentist", frequentist: { alpha: 1, sequential_testing_enabled: true } },
  ])("have no result, and no error, at the ends of a level: %j", async (stats_config) => {
    const made = await service.create({ end_date, metrics: [spent], stats_config });
    await service.send(history(made.feature_flag_key));
    const { status, json } = await ask(made, made.metrics[0]);
    expect(status).toBe(200);
    expect(json.baseline).toMatchObject({ number_of_samples: 60, validation_failures: [] });
    const [variant] = json.variant_results;
    expect(variant).toMatchObject({ key: "test", number_of_samples: 60, validation_failures: [] });
    for (const name of [
      "significant",
      "chance_to_win",
      "p_value",
      "credible_interval",
      "confidence_interval",
    ])
      expect(variant).not.toHaveProperty(name);
    for (const path of ["results/", "looks/", "report/"]) {
      const got = await service.api("GET", `/api/projects/1/experiments/${made.id}/${path}`);
      expect([path, got.status]).toEqual([path, 200]);
    }
  });

  it("say how CUPED compared variants, and what it saved", async () => {
    const estimates = new Map<string, { variance: number; cuped: Record<string, unknown> | null }>();
    for (const cuped of [
      { enabled: false },
      { enabled: true },
      { enabled: true, estimator: "public_service" },
    ]) {
      const made = await service.create({ end_date, metrics: [spent], stats_config: { cuped } });
      await service.send(history(made.feature_flag_key));
      const { json } = await service.api("GET", `/api/projects/1/experiments/${made.id}/results/`);
      const estimator = cuped.enabled ? (cuped.estimator ?? "adjusted_means") : null;
      expect(json.settings).toMatchObject({ cuped: cuped.enabled, cuped_estimator: estimator });
      const { estimate } = json.metrics[0].variants[0];
      expect(estimate.cuped?.estimator ?? null).toBe(estimator);
      estimates.set(String(estimator), estimate);
    }
    const [plain, adjusted, repeated] = ["null", "adjusted_means", "public_service"].map((name) =>
      estimates.get(name),
    );
    const saved = 1 - (adjusted?.variance ?? 0) / (plain?.variance ?? 1);
    expect(saved).toBeGreaterThan(0.5);
    expect(adjusted?.cuped?.variance_reduction).toBeCloseTo(saved, 12);
    // It leaves out most of the control's part.
    expect(repeated?.variance).toBeLessThan(adjusted?.variance ?? 0);
  });
});

describe("a preview for a plan", () => {
  const DAY = 24;
  /** Hours after START of a moment some days ago: previews look back from now. */
  const ago = (days: number) => (Date.now() - days * DAY * 3_600_000 - START) / 3_600_000;
  const preview = async (asked: unknown, more: Record<string, unknown> = {}) => {
    const body = { metric: asked, exposure_event: "entered", ...more };
    const { status, json } = await service.api("POST", "/api/projects/1/experiments/preview_metric/", body);
    expect(status, JSON.stringify(json)).toBe(200);
    return json;
  };
  const spent = (more: Record<string, unknown> = {}) =>
    metric({
      metric_type: "mean",
      source: source("bought", { math: "sum", math_property: "amount" }),
      ...more,
    });

  beforeAll(async () => {
    // 100 people enter; person i spends i, and spent half of that ten days before. One in four starts a trial.
    const events = Array.from({ length: 100 }, (_, i): Told[] => {
      const id = `preview ${i}`;
      const bought = (at: number, amount: number) => ({ event: "bought", id, at, properties: { amount } });
      return [
        bought(ago(15), i / 2),
        { event: "entered", id, at: ago(5) },
        bought(ago(4), i),
        ...(i % 4 === 0 ? [{ event: "started", id, at: ago(3.5) }] : []),
        ...(i % 8 === 0 ? [{ event: "returned", id, at: ago(2.5) }] : []),
      ];
    });
    await service.send(events.flat());
  });

  it("has the spread of the stored values", async () => {
    const json = await preview(spent());
    expect(json).toMatchObject({ units: 100, exposed: 100, mean: 49.5, uncapped_share: 1, problem: null });
    // Of 0 to 99: n(n + 1)/12.
    expect(json.variance).toBeCloseTo((100 * 101) / 12, 9);
    expect(json.standard_deviation).toBeCloseTo(Math.sqrt((100 * 101) / 12), 9);
    expect(json.baseline.covariate_sum).toBeNull();
  });

  it("has the spread after outliers are capped, and how much of the sum is not capped", async () => {
    const json = await preview(spent({ upper_bound_percentile: 0.9 }));
    // The cap is 89: 0 to 89 stay as they are, ten are pulled in.
    expect(json.baseline.sum).toBe((89 * 90) / 2 + 10 * 89);
    expect(json.uncapped_share).toBeCloseTo((89 * 90) / 2 / json.baseline.sum, 12);
    expect(json.variance).toBeLessThan((100 * 101) / 12);
  });

  it("has the sums of earlier values where CUPED needs them", async () => {
    const json = await preview(spent(), { stats_config: { cuped: { enabled: true, lookback_days: 14 } } });
    expect(json.baseline).toMatchObject({
      covariate_sum: 4950 / 2,
      covariate_sum_squares: 328_350 / 4,
      covariate_sum_product: 328_350 / 2,
    });
    const short = await preview(spent(), { stats_config: { cuped: { enabled: true, lookback_days: 7 } } });
    expect(short.baseline.covariate_sum).toBe(0);
  });

  it("says how many were exposed of a metric that counts only some of them", async () => {
    const json = await preview(
      metric({
        metric_type: "retention",
        start_event: source("started"),
        completion_event: source("returned"),
        retention_window_start: 0,
        retention_window_end: 3,
        retention_window_unit: "day",
        start_handling: "first_seen",
      }),
    );
    expect(json).toMatchObject({ units: 25, exposed: 100 });
    expect(json.daily_units).toBeCloseTo(100 / 30, 9);
    expect(json.conversion).toBeCloseTo(13 / 25, 9);
  });

  it("has nothing where nobody would have been exposed", async () => {
    expect(await preview(spent(), { exposure_event: "never seen" })).toMatchObject({
      units: 0,
      exposed: 0,
      events: 0,
      mean: null,
      variance: null,
      standard_deviation: null,
      daily_units: 0,
      problem: null,
    });
  });

  it("refuses statistics that are not an object", async () => {
    const body = { metric: spent(), stats_config: "cuped" };
    const { status } = await service.api("POST", "/api/projects/1/experiments/preview_metric/", body);
    expect(status).toBe(400);
    expect((await preview(spent(), { stats_config: { cuped: [1] } })).units).toBe(100);
  });
});

describe("who counts", () => {
  it("leaves out unknown answers, other flags and several variants, and shows the last", async () => {
    const made = await service.create({ end_date, metrics: [] });
    const flag = made.feature_flag_key;
    await service.send([
      called(flag, "w-1", "control"),
      called(flag, "w-2", "test"),
      called(flag, "w-2", "control", 2),
      called(flag, "w-3", "test"),
      called(flag, "w-4", false),
      called(flag, "w-5", "gone"),
      called("another-flag", "w-6", "test"),
      called(flag, "w-7", "test", -1),
      called(flag, "w-8", "test", 24 * 18),
      called(flag, "w-9", "test", 24 * 18 + 0.01),
    ]);
    const { json } = await service.api("POST", "/api/projects/1/query/", {
      query: { kind: "ExperimentExposureQuery", experiment_id: made.id },
    });
    expect(json.total_exposures).toEqual({ control: 1, test: 2, $multiple: 1 });
    expect(json.timeseries.map((row: { variant: string }) => row.variant)).toEqual([
      "control",
      "test",
      "$multiple",
    ]);
    const [control, test] = json.timeseries;
    expect(control.days).toHaveLength(19);
    expect([control.days[0], control.days.at(-1)]).toEqual(["2026-03-02", "2026-03-20"]);
    expect(test.exposure_counts).toEqual([...Array(18).fill(1), 2]);
    expect(json.date_range).toEqual({
      date_from: "2026-03-02T09:00:00.000000Z",
      date_to: "2026-03-20T09:00:00.000000Z",
    });
  });

  it("uses a custom event with conditions as exposure, with the variant that it carries", async () => {
    const made = await service.create({
      end_date,
      exposure_criteria: {
        multiple_variant_handling: "first_seen",
        exposure_config: {
          kind: "ExperimentEventExposureConfig",
          event: "page seen",
          properties: [{ key: "page", operator: "icontains", value: "price", type: "event" }],
        },
      },
      metrics: [],
    });
    const seen = (id: string, variant: string, page: string, at = 1) => ({
      event: "page seen",
      id,
      at,
      properties: { page, [`$feature/${made.feature_flag_key}`]: variant },
    });
    await service.send([
      seen("x-1", "test", "/prices", 2),
      seen("x-1", "control", "/prices", 1.5),
      seen("x-2", "test", "/about"),
      seen("x-3", "control", "/pricelist"),
    ]);
    const results = await service.api("GET", `/api/projects/1/experiments/${made.id}/results/`);
    expect(results.json.exposures.total_exposures).toEqual({ control: 2, test: 0 });
  });

  it("counts groups where the flag splits groups", async () => {
    await service.send([
      {
        event: "$groupidentify",
        id: "g-admin",
        at: 0,
        properties: { $group_type: "company", $group_key: "acme", $group_set: {} },
      },
    ]);
    const made = await service.create({
      end_date,
      parameters: { aggregation_group_type_index: 0 },
      metrics: [
        metric({ name: "orders", metric_type: "mean", source: source("order") }),
        metric({ name: "people", metric_type: "mean", source: source("order", { math: "dau" }) }),
      ],
    });
    const flag = made.feature_flag_key;
    const of = (told: Told, company: string): Told => ({
      ...told,
      properties: { ...told.properties, $groups: { company } },
    });
    await service.send([
      of(called(flag, "g-1", "test"), "acme"),
      of(called(flag, "g-2", "test"), "acme"),
      of(called(flag, "g-3", "control"), "bolt"),
      called(flag, "g-4", "control"),
      of({ event: "order", id: "g-1", at: 2 }, "acme"),
      of({ event: "order", id: "g-1", at: 3 }, "acme"),
      of({ event: "order", id: "g-5", at: 3 }, "acme"),
    ]);
    const { json } = await service.api("GET", `/api/projects/1/experiments/${made.id}/results/`);
    expect(json.unit).toBe("company");
    expect(json.exposures.total_exposures).toEqual({ control: 1, test: 1 });
    const sums = json.metrics.map((row: { variants: { sum: number }[] }) => row.variants[0]?.sum);
    expect(sums).toEqual([3, 2]);
    const people = await service.api(
      "GET",
      `/api/projects/1/experiments/${made.id}/results/people/?kind=exposed`,
    );
    expect(people.json.results.map((row: { unit: string }) => row.unit)).toEqual(["acme", "bolt"]);
  });
});

describe("the rows behind figures", () => {
  it("are as many as the figures say, also while one pages", async () => {
    const made = await service.create({
      end_date,
      metrics: [metric({ metric_type: "funnel", series: [source("seen"), source("bought")] })],
    });
    const flag = made.feature_flag_key;
    await service.send([
      ...exposing(flag, { control: 4, test: 7 }),
      called(flag, `${flag} test 6`, "control", 2),
      ...[0, 1, 2, 3].map((i) => ({ event: "seen", id: `${flag} test ${i}`, at: 2 })),
      ...[0, 1].map((i) => ({ event: "bought", id: `${flag} test ${i}`, at: 3 })),
    ]);
    const root = `/api/projects/1/experiments/${made.id}/results/`;
    const { json } = await service.api("GET", root);
    const [row] = json.metrics[0].variants;
    expect([row.number_of_samples, row.step_counts, row.sum]).toEqual([6, [4, 2], 2]);
    const uuid = made.metrics[0].uuid;
    const rows = async (query: string) => (await service.api("GET", `${root}people/?${query}`)).json;
    expect((await rows("kind=exposed&variant=test")).count).toBe(6);
    expect((await rows("kind=multiple")).count).toBe(1);
    expect((await rows(`kind=converted&variant=test&metric_uuid=${uuid}`)).count).toBe(2);
    expect((await rows(`kind=step&step=2&variant=test&metric_uuid=${uuid}`)).count).toBe(2);
    const first = await rows(`kind=step&step=1&variant=test&metric_uuid=${uuid}&limit=3`);
    const second = await rows(`kind=step&step=1&variant=test&metric_uuid=${uuid}&limit=3&offset=3`);
    expect([first.count, first.results.length, second.results.length]).toEqual([4, 3, 1]);
    const names = [...first.results, ...second.results].map((one) => one.person.distinct_ids[0]).sort();
    expect(names).toEqual([0, 1, 2, 3].map((i) => `${flag} test ${i}`));
  });
});

describe("the people behind a sum", () => {
  const amount = source("paid", { math: "sum", math_property: "amount" });
  const mean = (more = {}) => metric({ metric_type: "mean", source: amount, ...more });
  it.each([
    ["a sum", mean(), "sum", [0.1, 0.2, 900, -3, 0]],
    ["one whose largest values are pulled in", mean({ upper_bound_percentile: 0.7 }), "sum", [1, 2, 900, 5]],
    [
      "one whose zeros are pulled in, too",
      mean({ lower_bound_percentile: 0.9 }),
      "sum",
      [4, 7, 9, 11, 1, 2, 3],
    ],
    ["a ratio's numerator", "ratio", "sum", [0.1, 0.7, 5]],
    ["a ratio's denominator", "ratio", "denominator", [0.1, 0.7, 5]],
  ])("add up to it exactly: %s", async (_, asked, kind, amounts) => {
    const ratio = metric({ metric_type: "ratio", numerator: amount, denominator: source("paid") });
    const made = await service.create({ end_date, metrics: [asked === "ratio" ? ratio : asked] });
    const flag = made.feature_flag_key;
    const pay = (id: string, paid: number) => ({ event: "paid", id, at: 2, properties: { amount: paid } });
    await service.send([
      ...exposing(flag, { control: 2, test: amounts.length + 1 }),
      called(flag, `${flag} test 0`, "test", 1.5),
      ...amounts.map((paid, i) => pay(`${flag} test ${i}`, paid)),
      pay(`${flag} test 0`, 0.25),
      pay(`${flag} control 0`, 3.3),
    ]);
    const root = `/api/projects/1/experiments/${made.id}/results/`;
    const [{ uuid, baseline, variants }] = (await service.api("GET", root)).json.metrics;
    for (const row of [baseline, ...variants]) {
      const rows: { value: number; before: number | null }[] = [];
      const page = async () =>
        (
          await service.api(
            "GET",
            `${root}people/?kind=${kind}&variant=${row.key}&metric_uuid=${uuid}&limit=2&offset=${rows.length}`,
          )
        ).json;
      const { sum, count } = await page();
      while (rows.length < count) rows.push(...(await page()).results);
      const figure = kind === "sum" ? row.sum : row.denominator_sum;
      expect(sum).toBe(figure);
      expect(Number(rows.reduce((all, { value }) => all + value, 0).toPrecision(15))).toBe(figure);
      expect(rows.every(({ value }) => value !== 0)).toBe(true);
      expect(rows).toEqual(rows.toSorted((a, b) => b.value - a.value));
    }
  });
});

describe("what cannot be computed is refused with the reason", () => {
  const actions = { kind: "ActionsNode", id: 3 };
  it.each([
    [{ source: actions }, /Actions/],
    [{ source: source("a", { math: "hogql", math_hogql: "sum(1)" }) }, /HogQL/],
    [{ source: source("a", { math: "sum" }) }, /property/],
    [
      {
        source: {
          kind: "ExperimentDataWarehouseNode",
          table_name: "bills",
          timestamp_field: "at",
          events_join_key: "a",
          data_warehouse_join_key: "b",
        },
      },
      /bills/,
    ],
    [
      {
        source: source("a", {
          properties: [{ key: "email", type: "person", value: "x", operator: "exact" }],
        }),
      },
      /person/,
    ],
    [{ source: source("a", { properties: [{ key: "n", value: "(", operator: "regex" }] }) }, /"n"/],
  ])("%j", async (fields, reason) => {
    const made = await service.create({ end_date, metrics: [] });
    const { status, json } = await ask(made, metric({ metric_type: "mean", ...fields }));
    expect(status).toBe(400);
    expect(json.detail).toMatch(reason);
  });

  it.each([
    [{ kind: "TrendsQuery" }, "query__kind"],
    [{ kind: "ExperimentQuery" }, "query__experiment_id"],
    [{ kind: "ExperimentQuery", experiment_id: 1 }, "query__metric"],
    [{ experiment_id: 1 }, "query__kind"],
  ])("%j", async (query, attr) => {
    const { status, json } = await service.api("POST", QUERY, { query });
    expect([status, json.attr]).toEqual([400, attr]);
  });

  it("a draft has no results, and nobody exposed", async () => {
    const made = await service.create({ start_date: null, metrics: [] });
    const asked = await ask(made, metric({ metric_type: "mean", source: source("a") }));
    expect(asked.status).toBe(400);
    const body = { query: { kind: "ExperimentExposureQuery", experiment_id: made.id } };
    expect((await service.api("POST", QUERY, body)).json.timeseries).toEqual([]);
    const overview = await service.api("GET", `/api/projects/1/experiments/${made.id}/results/`);
    expect(overview.json).toMatchObject({ state: "not_started", status: "draft", exposures: null });
  });
});

it("misses nothing of transactions that end in another order than they began", async () => {
  const made = await service.create({ end_date, metrics: [] });
  const { db } = service;
  const total = async () => {
    const { figures } = await service.figures(made.id, 24 * 40);
    return [...figures.units.values()].reduce((a, b) => a + b, 0);
  };
  await service.send([
    called(made.feature_flag_key, "t-late", "test"),
    called(made.feature_flag_key, "t-0", "test"),
  ]);
  await db.execute("delete from events where distinct_id = 't-late'");
  const held = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const slow = db.transaction(async (tx) => {
    await tx.execute(`insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select 1, gen_random_uuid(), event, 't-late', timestamp, properties from events where distinct_id = 't-0'`);
    written.resolve();
    await held.promise;
  });
  await written.promise;
  await service.send([called(made.feature_flag_key, "t-1", "control")]);
  expect(await total()).toBe(2);
  held.resolve();
  await slow;
  expect(await total()).toBe(3);
});

it("finds a few new events among many people, for several experiments at once", async () => {
  const fields = { end_date, metrics: [metric({ metric_type: "mean", source: source("ordered") })] };
  const made = [await service.create(fields), await service.create(fields)];
  for (const { id, feature_flag_key } of made) {
    await service.send(exposing(feature_flag_key, { control: 20, test: 20 }));
    await service.figures(id, 2);
  }
  const [one, other] = made.map(({ feature_flag_key }) => feature_flag_key);
  await service.send([
    { event: "ordered", id: `${one} test 3`, at: 3 },
    { event: "ordered", id: `${other} control 7`, at: 3 },
    called(`${other}`, `${other} new`, "test", 3),
  ]);
  await service.together(
    made.map(({ id }) => id),
    4,
  );
  const seen = await Promise.all(
    made.map(async ({ id }) => {
      const { json } = await service.api("GET", `/api/projects/1/experiments/${id}/results/`);
      const [{ baseline, variants }] = json.metrics;
      return [json.exposures.total_exposures, baseline.sum, variants[0].sum];
    }),
  );
  expect(seen).toEqual([
    [{ control: 20, test: 20 }, 0, 1],
    [{ control: 20, test: 21 }, 1, 0],
  ]);
});

it("counts for a metric that was taken away and put back what happened meanwhile", async () => {
  const asked = ["ordered", "paid"].map((event) => metric({ metric_type: "mean", source: source(event) }));
  const made = await service.create({ end_date, metrics: asked });
  const flag = made.feature_flag_key;
  const order = (at: number) => ({ event: "ordered", id: `${flag} test 0`, at });
  const keep = async (metrics: unknown[]) => {
    const path = `/api/projects/1/experiments/${made.id}/`;
    const { status, text } = await service.api("PATCH", path, { metrics });
    expect(status, text).toBe(200);
  };
  await service.send([...exposing(flag, { control: 1, test: 1 }), order(2)]);
  await service.figures(made.id, 3);
  await keep(made.metrics.slice(1));
  await service.send([order(4)]);
  await service.figures(made.id, 5);
  await keep(made.metrics);
  await service.send([order(6)]);
  await service.figures(made.id, 7);
  const { json } = await service.api("GET", `/api/projects/1/experiments/${made.id}/results/`);
  expect(json.metrics.map((row: { variants: { sum: number }[] }) => row.variants[0]?.sum)).toEqual([3, 0]);
});

it("goes on counting for people who came since a metric was asked to be computed again", async () => {
  const bought = metric({ metric_type: "mean", uuid: "bought", source: source("bought") });
  const { id, feature_flag_key } = await service.create({ metrics: [bought] });
  const buy = (at: number) => service.send([{ event: "bought", id: "late", at }]);
  await service.send([called(feature_flag_key, "early", "control")]);
  await service.figures(id, 2);
  await service.send([called(feature_flag_key, "late", "test", 3)]);
  await buy(3);
  const [series] = await selectSeries(service.db, id);
  const payload = { experiment_id: id, series_id: series?.id ?? null };
  const now = new Date(START + 4 * HOUR);
  await recalculateDays.run(jobContext(service.runtime, { now, payload, key: "again" }));
  await buy(5);
  await service.figures(id, 6);
  const { json } = await service.api("GET", `/api/projects/1/experiments/${id}/results/`);
  const [{ variants }] = json.metrics;
  expect(variants.map((row: { sum: number }) => row.sum)).toEqual([2]);
});

it("finds new people of an experiment with an exposure event of its own, alone and with others", async () => {
  const exposure_config = { kind: "ExperimentEventExposureConfig", event: "plan shown", properties: [] };
  const criteria = { multiple_variant_handling: "first_seen", exposure_config };
  const own = await service.create({ end_date, metrics: [], exposure_criteria: criteria });
  const usual = await service.create({ end_date, metrics: [] });
  const shown = (id: string, variant: string, at: number) => ({
    event: "plan shown",
    id,
    at,
    properties: { [`$feature/${own.feature_flag_key}`]: variant },
  });
  const unitsAt = async (at: number) => {
    const both = [await service.figures(own.id, at), await service.figures(usual.id, at)];
    return both.map(({ figures }) => Object.fromEntries(figures.units));
  };
  await service.send([shown("p-1", "control", 1), called(usual.feature_flag_key, "p-1", "test")]);
  expect(await unitsAt(2)).toEqual([{ control: 1 }, { test: 1 }]);
  await service.send([shown("p-2", "test", 3)]);
  expect(await unitsAt(4)).toEqual([{ control: 1, test: 1 }, { test: 1 }]);
  await service.send([shown("p-3", "test", 5), called(usual.feature_flag_key, "p-4", "control", 5)]);
  await service.together([usual.id, own.id], 6);
  expect(await unitsAt(6)).toEqual([
    { control: 1, test: 2 },
    { control: 1, test: 1 },
  ]);
});

it("is verified against the events; tampered figures are found and repaired", async () => {
  const { runtime, db } = service;
  const none = { units: 0, values: 0, totals: 0 };
  expect(await verifyExperiments(runtime, db)).toEqual(none);
  // One of each experiment: those whose definition has changed since are recomputed before they are compared.
  await db.execute(`update experiment_units set cells[1] = cells[1] + 1
    where ctid in (select min(ctid) from experiment_units where cells[1] <> 0 group by experiment_id)`);
  await db.execute(`delete from experiment_units
    where ctid in (select max(ctid) from experiment_units group by experiment_id)`);
  const found = await verifyExperiments(runtime, db);
  expect(found.units).toBeGreaterThan(0);
  expect(found.values).toBeGreaterThan(0);
  expect(found.totals).toBeGreaterThan(0);
  await repairExperiments(runtime, db);
  expect(await verifyExperiments(runtime, db)).toEqual(none);
});
