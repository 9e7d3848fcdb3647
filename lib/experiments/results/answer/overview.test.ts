import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const ROOT = "/api/projects/1/experiments/";
const DAY = 24 * HOUR;

async function get(path: string, status = 200) {
  const got = await service.api("GET", `${ROOT}${path}`);
  expect(got.status, got.text).toBe(status);
  return got.json;
}

/** A moment some days ago, in hours after START. */
const ago = (days: number) => (Date.now() - days * DAY - START) / HOUR;
const startedAgo = (days: number, fields: Record<string, unknown> = {}) =>
  service.create({ start_date: new Date(Date.now() - days * DAY).toISOString(), metrics: [], ...fields });

const called = (flag: string, id: string, variant: string, at: number): Told => ({
  event: "$feature_flag_called",
  id,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: variant },
});
const exposing = (flag: string, variant: string, count: number, at: number): Told[] =>
  Array.from({ length: count }, (_, i) => called(flag, `${flag} ${variant} ${at} ${i}`, variant, at));

describe("what was planned", () => {
  it.each([
    { name: "at the pace of the last seven days", started: 10, early: 3, late: 14, sample: 37, left: 10 },
    { name: "rounded up to whole days", started: 10, early: 3, late: 14, sample: 38, left: 11 },
    {
      name: "at the pace since the start where that is later",
      started: 1,
      early: 0,
      late: 4,
      sample: 10,
      left: 3,
    },
    { name: "not at all where it is there", started: 10, early: 3, late: 14, sample: 17, left: 0 },
    {
      name: "nobody knows how long without anybody new",
      started: 10,
      early: 3,
      late: 0,
      sample: 17,
      left: null,
    },
  ])("takes as long as it takes, $name", async ({ started, early, late, sample, left }) => {
    const made = await startedAgo(started, {
      parameters: { recommended_sample_size: sample, minimum_detectable_effect: 12 },
    });
    const flag = made.feature_flag_key;
    const before = ago(9);
    await service.send([
      ...(early > 0 ? exposing(flag, "control", early, before) : []),
      ...exposing(flag, "test", late, ago(0.1)),
    ]);
    expect((await get(`${made.id}/results/`)).planned).toEqual({
      sample,
      reached: early + late >= sample,
      minimum_detectable_effect: 12,
      days_left: left,
    });
  });

  it("is over with the experiment, and nothing where nothing was planned", async () => {
    const ended = await startedAgo(10, {
      parameters: { recommended_sample_size: 40 },
      end_date: new Date(Date.now() - DAY).toISOString(),
    });
    await service.send(exposing(ended.feature_flag_key, "test", 4, ago(3)));
    expect((await get(`${ended.id}/results/`)).planned).toEqual({
      sample: 40,
      reached: false,
      minimum_detectable_effect: null,
      days_left: null,
    });
    const open = await startedAgo(3, { parameters: { recommended_sample_size: null } });
    expect((await get(`${open.id}/results/`)).planned).toEqual({
      sample: null,
      reached: null,
      minimum_detectable_effect: null,
      days_left: null,
    });
  });

  it("counts nobody who saw several variants", async () => {
    const made = await startedAgo(3, { parameters: { recommended_sample_size: 3 } });
    const flag = made.feature_flag_key;
    await service.send([
      ...exposing(flag, "test", 2, ago(1)),
      called(flag, `${flag} both`, "test", ago(1)),
      called(flag, `${flag} both`, "control", ago(0.9)),
    ]);
    const { planned, health } = await get(`${made.id}/results/`);
    expect(planned.reached).toBe(false);
    expect(health).toMatchObject({ total: 3, multiple: 1, multiple_share: 1 / 3, mismatch: null });
  });
});

describe("the overview of results", () => {
  it("says what is compared, how, and with what", async () => {
    const made = await startedAgo(2, {
      parameters: {
        feature_flag_variants: [
          { key: "control", name: "As before", rollout_percentage: 50 },
          { key: "blue", rollout_percentage: 30 },
          { key: "green", rollout_percentage: 20 },
        ],
      },
      stats_config: {
        method: "frequentist",
        baseline_variant_key: "blue",
        frequentist: { alpha: 0.1, difference_type: "ABSOLUTE", sequential_testing_enabled: true },
      },
    });
    const flag = made.feature_flag_key;
    await service.send([
      ...exposing(flag, "control", 50, ago(1)),
      ...exposing(flag, "blue", 30, ago(1)),
      ...exposing(flag, "green", 20, ago(1)),
    ]);
    const results = await get(`${made.id}/results/`);
    expect(results).toMatchObject({
      experiment_id: made.id,
      status: "running",
      state: "ready",
      progress: null,
      unit: "person",
      variants: [
        { key: "control", name: "As before", share: 50, is_baseline: false },
        { key: "blue", name: null, share: 30, is_baseline: true },
        { key: "green", name: null, share: 20, is_baseline: false },
      ],
      settings: {
        method: "frequentist",
        level: 0.9,
        difference_type: "absolute",
        sequential: true,
        cuped: false,
        cuped_estimator: null,
        baseline_key: "blue",
      },
    });
    expect(results.health).toMatchObject({
      total: 100,
      multiple: 0,
      multiple_share: 0,
      mismatch: { expected: { control: 50, blue: 30, green: 20 }, p_value: 1, mismatch: false },
      phases: [
        {
          to: null,
          shares: { control: 50, blue: 30, green: 20 },
          exposures: { control: 50, blue: 30, green: 20 },
          expected: { control: 50, blue: 30, green: 20 },
          p_value: 1,
        },
      ],
    });
    expect(Math.abs(Date.parse(results.as_of) - Date.now())).toBeLessThan(10 * 60_000);
  });

  it("of a draft has no figures", async () => {
    const draft = await service.create({
      start_date: null,
      metrics: [metric({ metric_type: "mean", source: source("paid") })],
    });
    expect(await get(`${draft.id}/results/`)).toMatchObject({
      status: "draft",
      state: "not_started",
      progress: null,
      as_of: null,
      exposures: null,
      health: { total: 0, multiple: 0, multiple_share: 0, mismatch: null, findings: [] },
      metrics: [{ baseline: null, variants: [] }],
    });
  });
});

describe("a summary", () => {
  const variants = ["control", "a", "b", "c"].map((key) => ({ key, rollout_percentage: 25 }));
  const converting = { control: 30, a: 20, b: 60, c: 45 };

  async function summarised(fields: Record<string, unknown>) {
    const made = await startedAgo(3, { parameters: { feature_flag_variants: variants }, ...fields });
    const flag = made.feature_flag_key;
    const at = ago(2);
    await service.send(
      Object.entries(converting).flatMap(([key, count]) => [
        ...exposing(flag, key, 100, at),
        ...Array.from({ length: count }, (_, i) => ({
          event: "ordered",
          id: `${flag} ${key} ${at} ${i}`,
          at: at + 1,
        })),
      ]),
    );
    const results = await get(`${made.id}/results/`);
    const { results: list } = await get(`results_summaries/?ids=${made.id}`);
    return { made, results, summary: list[0] };
  }

  const orders = (fields: Record<string, unknown> = {}) =>
    metric({ name: "Orders", metric_type: "funnel", series: [source("ordered")], ...fields });

  it.each([
    { goal: "increase", best: "b" },
    { goal: "decrease", best: "a" },
  ])("names the variant that is furthest where the metric should go: $goal", async ({ goal, best }) => {
    const { made, results, summary } = await summarised({ metrics: [orders({ goal })] });
    const { estimate } = results.metrics[0].variants.find(({ key }: { key: string }) => key === best);
    expect(summary).toEqual({
      experiment_id: made.id,
      exposures: { control: 100, a: 100, b: 100, c: 100 },
      as_of: results.as_of,
      metric: { uuid: made.metrics[0].uuid, name: "Orders", goal },
      best: {
        key: best,
        effect: estimate.effect,
        interval: estimate.interval,
        significant: estimate.significant,
        significant_holm: estimate.significant_holm,
        chance_to_win: estimate.chance_to_win,
        p_value: null,
        direction: estimate.direction,
      },
      refusal: null,
      findings: [],
      hidden: false,
    });
  });

  it("has the verdict of the page: corrected for all primary metrics, with what is wrong with the data", async () => {
    const others = Array.from({ length: 3 }, () => orders());
    const { results, summary } = await summarised({ metrics: [orders(), ...others] });
    const { estimate } = results.metrics[0].variants.find(({ key }: { key: string }) => key === "b");
    expect(summary.best).toMatchObject({ key: "b", significant_holm: estimate.significant_holm });
    const made = await startedAgo(3, { metrics: [orders()] });
    const exposed = (variant: string, count: number) =>
      exposing(made.feature_flag_key, variant, count, ago(2));
    await service.send([...exposed("control", 300), ...exposed("test", 100)]);
    const shown = await get(`${made.id}/results/`);
    const { results: list } = await get(`results_summaries/?ids=${made.id}`);
    expect(list[0].findings).toMatchObject([{ code: "sample_ratio_mismatch", severity: "error" }]);
    expect(list[0].findings).toEqual(shown.health.findings);
  });

  it("is a look where it is shown, unless the metrics are to stay hidden", async () => {
    const { made } = await summarised({ metrics: [orders()] });
    const path = `results_summaries/?ids=${made.id}`;
    const looks = async () => (await get(`${made.id}/looks/`)).count;
    const before = await looks();
    const hide = { hide_results_until_planned_sample: true };
    const plan = (parameters: object) =>
      service.api("PATCH", `${ROOT}${made.id}/`, { parameters: { ...made.parameters, ...parameters } });
    await service.send(exposing(made.feature_flag_key, "control", 101, ago(1)));
    await get(`${made.id}/results/?look=false`);

    await plan({ ...hide, recommended_sample_size: 1000 });
    expect((await get(`${path}&look=true`)).results[0]).toMatchObject({ hidden: true });
    expect(await looks()).toBe(before);
    await plan({ ...hide, recommended_sample_size: 100 });
    expect((await get(path)).results[0]).toMatchObject({ hidden: false });
    expect(await looks()).toBe(before);
    await get(`${path}&look=true`);
    await get(`${path}&look=true`);
    expect(await looks()).toBe(before + 1);
  });

  it("says why there is no best one", async () => {
    const refused = await summarised({
      metrics: [orders()],
      stats_config: { method: "frequentist", frequentist: { alpha: 1 } },
    });
    expect(refused.summary).toMatchObject({
      best: null,
      refusal: refused.results.metrics[0].variants[0].refusal.reason,
    });
    const unknown = await summarised({
      metrics: [metric({ metric_type: "mean", source: { kind: "ActionsNode", id: 3 } })],
    });
    expect(unknown.summary).toMatchObject({
      best: null,
      refusal: expect.stringMatching(/Actions are not supported/),
    });
    const none = await summarised({ metrics: [], metrics_secondary: [orders()] });
    expect(none.summary).toMatchObject({
      best: null,
      metric: null,
      refusal: null,
      exposures: { control: 100 },
    });
  });

  it("of a draft, or of exposures that cannot be counted, is empty but for the reason", async () => {
    const draft = await service.create({ start_date: null, metrics: [orders()] });
    const broken = await startedAgo(1, {
      metrics: [orders()],
      exposure_criteria: { exposure_config: { kind: "ActionsNode", id: 3 } },
    });
    const empty = { exposures: null, as_of: null, metric: null, best: null, findings: [], hidden: false };
    expect((await get(`results_summaries/?ids=${broken.id},${draft.id}`)).results).toEqual([
      { experiment_id: draft.id, ...empty, refusal: null },
      { experiment_id: broken.id, ...empty, refusal: expect.stringMatching(/Actions are not supported/) },
    ]);
  });
});

describe("the units behind a figure", () => {
  it("are those that it counts, the ones that add most first", async () => {
    const spent = (fields: Record<string, unknown>) =>
      metric({
        metric_type: "mean",
        source: source("bought", { math: "sum", math_property: "amount" }),
        ...fields,
      });
    const made = await startedAgo(3, {
      metrics: [
        spent({ name: "spent" }),
        spent({ name: "capped", upper_bound_percentile: 0.75 }),
        metric({ name: "steps", metric_type: "funnel", series: [source("bought"), source("paid")] }),
        metric({
          name: "ratio",
          metric_type: "ratio",
          numerator: source("paid"),
          denominator: source("bought"),
        }),
      ],
    });
    const flag = made.feature_flag_key;
    const at = ago(2);
    const bought = (id: string, amount: number): Told => ({
      event: "bought",
      id: `${flag} ${id}`,
      at: at + 1,
      properties: { amount },
    });
    await service.send([
      ...["u1", "u2", "u3"].map((id) => called(flag, `${flag} ${id}`, "test", at)),
      ...["u4", "u5"].map((id) => called(flag, `${flag} ${id}`, "control", at)),
      called(flag, `${flag} u5`, "test", at + 0.5),
      bought("u1", 2),
      bought("u2", 9),
      bought("u4", 5),
      bought("u5", 100),
      { event: "paid", id: `${flag} u2`, at: at + 2 },
    ]);
    const uuidOf = (name: string) => made.metrics.find((one: { name: string }) => one.name === name).uuid;
    const people = (query: string, name?: string, status = 200) =>
      get(`${made.id}/results/people/?${query}${name ? `&metric_uuid=${uuidOf(name)}` : ""}`, status);
    const shown = async (query: string, name?: string) => {
      const { count, sum, results } = await people(query, name);
      type Row = { variant: string; value: number | null; before: number | null };
      return { count, sum, rows: results.map(({ variant, value, before }: Row) => [variant, value, before]) };
    };

    expect((await shown("kind=exposed")).count).toBe(5);
    expect(await shown("kind=exposed&variant=control")).toEqual({
      count: 1,
      sum: null,
      rows: [["control", null, null]],
    });
    expect(await shown("kind=multiple")).toEqual({ count: 1, sum: null, rows: [["$multiple", null, null]] });
    expect(await shown("kind=sum", "spent")).toEqual({
      count: 3,
      sum: 16,
      rows: [
        ["test", 9, null],
        ["control", 5, null],
        ["test", 2, null],
      ],
    });
    // Of 0, 2, 5 and 9 the bound is 5.
    expect(await shown("kind=sum", "capped")).toMatchObject({ count: 3, sum: 12 });
    expect((await shown("kind=sum&variant=test", "capped")).rows).toEqual([
      ["test", 5, 9],
      ["test", 2, null],
    ]);
    expect(await shown("kind=converted", "steps")).toEqual({
      count: 1,
      sum: null,
      rows: [["test", 1, null]],
    });
    expect((await shown("kind=step", "steps")).count).toBe(3);
    expect((await shown("kind=step&step=2", "steps")).count).toBe(1);
    expect(await shown("kind=denominator", "ratio")).toMatchObject({ count: 3, sum: 3 });
    const page = await people("kind=sum&limit=1&offset=1", "spent");
    expect(page.results.map(({ value }: { value: number }) => value)).toEqual([5]);
    expect(page.results[0].person.distinct_ids).toEqual([`${flag} u4`]);
    expect([page.count, page.sum]).toEqual([3, 16]);

    expect((await people("kind=sum", undefined, 400)).attr).toBe("metric_uuid");
    expect((await get(`${made.id}/results/people/?kind=sum&metric_uuid=gone`, 400)).attr).toBe("metric_uuid");
    await people("kind=exposed&variant=gone", undefined, 404);
  });
});

describe("a query", () => {
  const ask = async (query: Record<string, unknown>) => {
    const { status, json } = await service.api("POST", "/api/projects/1/query/", { query });
    return { status, json };
  };

  it("is refused with what is wrong", async () => {
    const made = await startedAgo(1);
    const kind = "ExperimentQuery";
    for (const [query, status, attr] of [
      [{ kind: "TrendsQuery" }, 400, "query__kind"],
      [{ kind }, 400, "query__experiment_id"],
      [{ kind, experiment_id: made.id }, 400, "query__metric"],
      [
        {
          kind,
          experiment_id: made.id,
          metric: { metric_type: "mean", source: { kind: "ActionsNode", id: 1 } },
        },
        400,
        "query__metric",
      ],
      [{ kind, experiment_id: 2_147_483_648, metric: {} }, 404, null],
      [{ kind, experiment_id: -2_147_483_649, metric: {} }, 404, null],
    ] as const) {
      const answer = await ask(query);
      expect([query, answer.status, answer.json.attr ?? null]).toEqual([query, status, attr]);
    }
  });

  it("for the exposures of a draft has nobody", async () => {
    const draft = await service.create({ start_date: null, metrics: [] });
    expect(await ask({ kind: "ExperimentExposureQuery", experiment_id: draft.id })).toMatchObject({
      status: 200,
      json: {
        timeseries: [],
        total_exposures: {},
        sample_ratio_mismatch: null,
        date_range: { date_to: null },
      },
    });
  });
});

describe("a preview", () => {
  const preview = async (asked: unknown, more: Record<string, unknown> = {}) => {
    const body = { metric: asked, ...more };
    const { status, json } = await service.api("POST", `${ROOT}preview_metric/`, body);
    expect(status, JSON.stringify(json)).toBe(200);
    return json;
  };
  const empty = { units: 0, events: 0, mean: null, variance: null, conversion: null, steps: [], one_in: 1 };

  it("says why there is nothing", async () => {
    const actions = { kind: "ActionsNode", id: 3 };
    expect(await preview({ metric_type: "mean", source: actions }, { days: 9 })).toMatchObject({
      ...empty,
      days: 9,
      problem: expect.stringMatching(/Actions are not supported/),
    });
    const unreadable = await preview({ metric_type: "median" });
    expect(unreadable).toMatchObject({ ...empty, days: 30, problem: expect.stringMatching(/./) });
  });

  it("of events that nobody did has no mean", async () => {
    const asked = { metric_type: "funnel", series: [source("a"), source("b")] };
    expect(await preview(asked, { exposure_event: "nothing happens" })).toMatchObject({
      ...empty,
      exposed: 0,
      standard_deviation: null,
      steps: [0, 0],
      problem: null,
    });
  });

  it("counts from the flag's calls on where it has variants, else from a page view", async () => {
    const made = await startedAgo(3);
    const flag = made.feature_flag_key;
    const at = ago(2);
    await service.send([
      called(flag, `${flag} 1`, "test", at),
      called(flag, `${flag} 2`, "control", at),
      called(flag, `${flag} 3`, "unknown", at),
      called("another", `${flag} 4`, "test", at),
      { event: "$pageview", id: `${flag} 5`, at },
      ...[1, 2, 3, 4, 5].map((i) => ({ event: "previewed", id: `${flag} ${i}`, at: at + 1 })),
      { event: "went on", id: `${flag} 1`, at: at + 2 },
    ]);
    const asked = { metric_type: "funnel", series: [source("previewed"), source("went on")] };
    expect(await preview(asked, { feature_flag_key: flag, days: 10 })).toMatchObject({
      exposed: 2,
      units: 2,
      events: 1,
      conversion: 0.5,
      steps: [2, 1],
      daily_units: 0.2,
      uncapped_share: 1,
    });
    expect(await preview(asked, { days: 10 })).toMatchObject({ exposed: 1, steps: [1, 0], conversion: 0 });
    expect(await preview(asked, { feature_flag_key: flag, days: 1 })).toMatchObject({ exposed: 0 });
  });
});
