import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRuntime } from "#lib/app/runtime.ts";
import { advance } from "#lib/experiments/results/days/advance.ts";
import { createReporter, readProgress } from "#lib/experiments/results/events/progress.ts";
import { clearProgress, writeProgress } from "#lib/experiments/results/events/progress-store.ts";
import { closeExperimentDays } from "#lib/experiments/results/jobs.ts";
import { recalculateDays } from "#lib/experiments/results/recalculate.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";
import { jobContext } from "#testing/jobs.ts";
import { eventually } from "#testing/processes.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const DAY = 24 * HOUR;
const called = (flag: string, id: string, variant: string, at: number): Told => ({
  event: "$feature_flag_called",
  id: `${flag} ${id}`,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: variant },
});
const root = (id: number) => `/api/projects/1/experiments/${id}/`;
const seriesOf = async (made: { id: number; metrics: { uuid: string; fingerprint: string }[] }) => {
  const [one] = made.metrics;
  const path = `${root(made.id)}timeseries_results/?metric_uuid=${one?.uuid}&fingerprint=${one?.fingerprint}`;
  const { status, json, text } = await service.api("GET", path);
  expect(status, text).toBe(200);
  return json;
};
const closeDays = (now: number, runtime = service.runtime) =>
  closeExperimentDays.execute({
    ...jobContext(runtime, { now: new Date(now) }),
    store: async () => undefined,
  });
const recalculate = (experiment_id: number, series_id: number | null) =>
  recalculateDays.run(
    jobContext(service.runtime, { now: new Date(), payload: { experiment_id, series_id } }),
  );

/** Four days, an order a day in each variant. */
async function fourDays(fields: Record<string, unknown> = {}) {
  const made = await service.create({
    metrics: [metric({ metric_type: "mean", source: source("order") })],
    end_date: new Date(START + 3.5 * DAY).toISOString(),
    ...fields,
  });
  const flag = made.feature_flag_key;
  await service.send(
    [0, 1, 2, 3].flatMap((day) => [
      called(flag, `c${day}`, "control", day * 24 + 1),
      called(flag, `t${day}`, "test", day * 24 + 2),
      { event: "order", id: `${flag} t0`, at: day * 24 + 3 },
    ]),
  );
  return made;
}

const days = ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
type Series = {
  timeseries: Record<
    string,
    { baseline: { number_of_samples: number }; variant_results: { sum: number }[] } | null
  >;
};
const shown = ({ timeseries }: Series) =>
  Object.entries(timeseries).map(([day, result]) => [
    day,
    result?.baseline.number_of_samples ?? null,
    result && (result.variant_results[0]?.sum ?? null),
  ]);

describe("the public shape", () => {
  it("is cumulative by day, complete when every day is there", async () => {
    const made = await fourDays();
    expect(await seriesOf(made)).toMatchObject({
      experiment_id: made.id,
      status: "pending",
      errors: null,
      computed_at: null,
      recalculation_status: "pending",
      timeseries: Object.fromEntries(days.map((day) => [day, null])),
    });
    await recalculate(made.id, null);
    const series = await seriesOf(made);
    expect(shown(series)).toEqual(days.map((day, i) => [day, i + 1, i + 1]));
    expect(series.status).toBe("completed");
    expect(series.computed_at).toMatch(/^\d{4}-.*Z$/);
    const result = series.timeseries["2026-03-04"];
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining([
        "kind",
        "metric",
        "baseline",
        "variant_results",
        "p_value",
        "credible_intervals",
      ]),
    );
    expect(result.p_value).toBeNull();
  });

  it("of an unknown metric or fingerprint is pending without days", async () => {
    const made = await fourDays();
    const series = await seriesOf({ id: made.id, metrics: [{ uuid: "no-such", fingerprint: "f" }] });
    expect(series).toMatchObject({ status: "pending", metric_uuid: "no-such", recalculation_status: null });
    expect(Object.keys(series.timeseries)).toEqual(days);
  });

  it.each([["metric_uuid=a"], ["fingerprint=b"], [""]])("needs both of its parameters: %s", async (query) => {
    const made = await service.create({ metrics: [] });
    const { status, json } = await service.api("GET", `${root(made.id)}timeseries_results/?${query}`);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", null]);
    expect((await service.api("GET", `${root(9_999)}timeseries_results/?${query}`)).status).toBe(404);
  });

  it("is refused for a draft", async () => {
    const made = await service.create({ start_date: null, metrics: [] });
    const path = `${root(made.id)}timeseries_results/?metric_uuid=a&fingerprint=b`;
    expect((await service.api("GET", path)).status).toBe(400);
  });
});

it("records the day before an end at midnight, and the moment of the end as a day of its own", async () => {
  const made = await fourDays({ end_date: "2026-03-04T00:00:00Z" });
  await service.figures(made.id, 18);
  // Still running when the last whole day ends: from here on it is advanced, not recomputed.
  await service.figures(made.id, 2 * 24);
  expect(shown(await seriesOf(made))).toEqual([
    [days[0], 1, 1],
    [days[1], 2, 2],
    [days[2], 2, 2],
  ]);
});

it("has no day after that of the end, while conversions may still come in", async () => {
  const made = await fourDays({
    end_date: "2026-03-03T12:00:00Z",
    metrics: [
      metric({
        metric_type: "mean",
        source: source("order"),
        conversion_window: 72,
        conversion_window_unit: "hour",
      }),
    ],
  });
  for (const day of [0.5, 1.5, 2.5, 3.5]) await service.figures(made.id, day * 24);
  const { rows } =
    await service.db.execute(`select day::text, result -> 'variant_results' -> 0 ->> 'sum' as sum
    from experiment_days join experiment_series on id = series_id where experiment_id = ${made.id} order by day`);
  // Three orders within three days of the exposure, two of them after the end.
  expect(rows).toEqual([
    { day: days[0], sum: "1" },
    { day: days[1], sum: "3" },
  ]);
});

it("closes each day once, also with several processes, and does not change it later", async () => {
  const made = await fourDays({ end_date: null });
  const flag = made.feature_flag_key;
  const midnight = Date.UTC(2026, 2, 4);
  await closeDays(midnight + HOUR);
  const first = await seriesOf(made);
  // The third of March is over, but not for two hours yet.
  expect(shown(first).slice(0, 3)).toEqual([
    [days[0], 1, 1],
    [days[1], null, null],
    [days[2], null, null],
  ]);
  const other = createRuntime(service.db, { encryption_key: Buffer.alloc(32, 7) });
  await Promise.all([closeDays(midnight + 3 * HOUR), closeDays(midnight + 3 * HOUR, other)]);
  await service.send([called(flag, "late", "control", 2)]);
  await closeDays(midnight + DAY + 3 * HOUR);
  const series = await seriesOf(made);
  expect(shown(series).slice(0, 3)).toEqual([
    [days[0], 1, 1],
    [days[1], 2, 2],
    [days[2], 4, 3],
  ]);
  expect(series.status).toBe("partial");
});

it("gives the reason for each day without a result, and catches up", async () => {
  const made = await fourDays({ end_date: null });
  await closeDays(Date.UTC(2026, 2, 3, 3));
  await service.db.execute(
    "alter table experiment_unit_days add constraint broken check (units < 0) not valid",
  );
  try {
    await expect(closeDays(Date.UTC(2026, 2, 4, 3))).rejects.toThrow(/failed/);
  } finally {
    await service.db.execute("alter table experiment_unit_days drop constraint broken");
  }
  const failed = await seriesOf(made);
  expect(Object.keys(failed.errors)).toEqual([days[1]]);
  expect(failed.timeseries["2026-03-03"]).toBeNull();
  await closeDays(Date.UTC(2026, 2, 4, 4));
  const fixed = await seriesOf(made);
  expect([fixed.errors, shown(fixed)[1]]).toEqual([null, [days[1], 2, 2]]);
});

it("ends days by the clock of the project, and shows them under UTC's dates", async () => {
  const zoned = await service.api("PATCH", "/api/projects/1/", { timezone: "America/New_York" });
  expect(zoned.status, zoned.text).toBe(200);
  try {
    const made = await fourDays();
    await service.send([called(made.feature_flag_key, "evening", "control", 18)]);
    await recalculate(made.id, null);
    // 03:00 UTC on the third is still the second in New York.
    const series = await seriesOf(made);
    expect(shown(series)[0]).toEqual([days[0], 2, 1]);
    const exposures = await service.api("POST", "/api/projects/1/query/", {
      query: { kind: "ExperimentExposureQuery", experiment_id: made.id },
    });
    expect(exposures.json.timeseries[0].exposure_counts).toEqual([2, 3, 4, 5]);
  } finally {
    await service.api("PATCH", "/api/projects/1/", { timezone: "UTC" });
  }
});

it("can be recomputed, once at a time, including late events", async () => {
  const made = await fourDays();
  const [one] = made.metrics;
  await recalculate(made.id, null);
  await service.send([called(made.feature_flag_key, "late", "control", 2)]);
  const ask = () =>
    service.api("POST", `${root(made.id)}recalculate_timeseries/`, {
      metric: one,
      fingerprint: one.fingerprint,
    });
  const asked = await ask();
  expect([asked.status, asked.json.status]).toEqual([201, "pending"]);
  expect((await ask()).status).toBe(200);
  await recalculate(made.id, Number(asked.json.id));
  expect(shown(await seriesOf(made))).toEqual(days.map((day, i) => [day, i + 2, i + 1]));
  const wrong = await service.api("POST", `${root(made.id)}recalculate_timeseries/`, {
    metric: one,
    fingerprint: "f",
  });
  expect([wrong.status, wrong.json.attr]).toEqual([400, "fingerprint"]);
  const log = await service.api("GET", `${root(made.id)}activity/`);
  const told = log.json.results.map((entry: { activity: string }) => entry.activity);
  expect(told).toEqual(["recalculated", "created"]);
  expect(log.json.results[0].detail.changes[0]).toMatchObject({ field: "metric", after: "order" });
});

describe("the work behind a series", () => {
  const askAgain = (made: { id: number; metrics: { fingerprint: string }[] }) =>
    service.api("POST", `${root(made.id)}recalculate_timeseries/`, {
      metric: made.metrics[0],
      fingerprint: made.metrics[0]?.fingerprint,
    });

  it("begins when the series is first asked for, once", async () => {
    const made = await fourDays();
    await service.db.execute(`update experiments set created_at = '2026-01-01' where id = ${made.id}`);
    const first = await seriesOf(made);
    expect(first).toMatchObject({ recalculation_status: "pending", progress: 0 });
    expect(Date.parse(first.created_at)).toBeGreaterThan(Date.parse("2026-01-01"));
    await service.db.execute(`update jobs set state = 'done' where key like '${made.id}:%'`);
    expect(await seriesOf(made)).toMatchObject({
      recalculation_status: "completed",
      created_at: first.created_at,
      progress: null,
    });
  });

  it("is done by a runner, at first and whenever somebody asks for it", async () => {
    const { runtime, notifications } = service;
    const runner = await startRunner({
      runtime,
      jobs: [recalculateDays],
      subscribe: (topic, handler) => notifications.subscribe(topic, handler),
    });
    try {
      const made = await fourDays();
      const finished = () =>
        eventually(async () => {
          const series = await seriesOf(made);
          return series.recalculation_status === "completed" ? series : undefined;
        });
      const first = await finished();
      expect(shown(first)).toEqual(days.map((day, i) => [day, i + 1, i + 1]));
      expect([first.status, first.progress]).toEqual(["completed", null]);
      await service.send([called(made.feature_flag_key, "late", "control", 2)]);
      expect(shown(await finished())).toEqual(shown(first));
      expect((await askAgain(made)).status).toBe(201);
      expect(shown(await finished())).toEqual(days.map((day, i) => [day, i + 2, i + 1]));
    } finally {
      await runner.stop();
    }
  });

  it.each([
    { state: "waiting", status: "pending", progress: 0.25, asked: [200, "pending", 0.25] },
    { state: "running", status: "in_progress", progress: 0.25, asked: [200, "in_progress", 0.25] },
    { state: "done", status: "completed", progress: null, asked: [201, "pending", 0] },
    { state: "failed", status: "failed", progress: null, asked: [201, "pending", 0] },
  ])("shows how far it is while it is $state", async ({ state, status, progress, asked }) => {
    const made = await fourDays();
    await seriesOf(made);
    await service.db.execute(
      `update jobs set state = '${state}', done = 1, total = 4 where key like '${made.id}:%'`,
    );
    expect(await seriesOf(made)).toMatchObject({ recalculation_status: status, progress });
    const again = await askAgain(made);
    expect([again.status, again.json.status, again.json.progress]).toEqual(asked);
    const log = await service.api("GET", `${root(made.id)}activity/`);
    expect(log.json.results.length).toBe(again.status === 201 ? 2 : 1);
    await writeProgress(service.db, made.id, 0.5);
    expect((await seriesOf(made)).progress).toBe(0.5);
  });

  it("is for nothing before the start: the day of the start is shown, empty", async () => {
    const start_date = new Date(Date.now() + 3 * DAY).toISOString();
    const made = await service.create({
      start_date,
      metrics: [metric({ metric_type: "mean", source: source("order") })],
    });
    const series = await seriesOf(made);
    expect(series.timeseries).toEqual({ [start_date.slice(0, 10)]: null });
    expect(series.status).toBe("pending");
  });
});

describe("a day that cannot be closed", () => {
  const [first] = days;
  const closing = new Date(`${days[1]}T03:00:00Z`).getTime();
  /** Closes days while a constraint of that name lets no units be stored. */
  async function failToClose(constraint: string, now: number) {
    await service.db.execute(
      `alter table experiment_unit_days add constraint ${constraint} check (units < 0) not valid`,
    );
    try {
      await expect(closeDays(now)).rejects.toThrow(/failed/);
    } finally {
      await service.db.execute(`alter table experiment_unit_days drop constraint ${constraint}`);
    }
  }

  it("has failed, for the reason of the last attempt", async () => {
    const made = await fourDays({ end_date: null });
    await seriesOf(made);
    await failToClose("broken", closing);
    const failed = await seriesOf(made);
    expect([failed.status, failed.computed_at]).toEqual(["failed", null]);
    expect(failed.errors).toEqual({ [`${first}`]: expect.stringContaining('"broken"') });
    await failToClose("worse", closing + HOUR);
    const again = await seriesOf(made);
    expect(again.errors).toEqual({ [`${first}`]: expect.stringContaining('"worse"') });
    await closeDays(closing + 2 * HOUR);
    const closed = await seriesOf(made);
    expect([closed.status, closed.errors, shown(closed)[0]]).toEqual(["partial", null, [first, 1, 1]]);
  });

  it("keeps the result that it had", async () => {
    const made = await fourDays({ end_date: null });
    await closeDays(closing);
    const changed = await service.api("PATCH", root(made.id), {
      exposure_criteria: { multiple_variant_handling: "first_seen" },
    });
    expect(changed.status, changed.text).toBe(200);
    await failToClose("broken", closing + HOUR);
    const series = await seriesOf(made);
    expect([series.errors, shown(series)[0]]).toEqual([null, [first, 1, 1]]);
  });
});

it("records a look with the results, unless nobody is shown them", async () => {
  const made = await fourDays();
  const looks = async () => (await service.api("GET", `${root(made.id)}looks/`)).json;
  await service.api("GET", `${root(made.id)}results/?look=false`);
  expect((await looks()).count).toBe(0);
  const [metric] = made.metrics;
  const query = { kind: "ExperimentQuery", experiment_id: made.id, metric };
  const shown = [
    () => service.api("POST", "/api/projects/1/query/", { query }),
    () => service.api("GET", `${root(made.id)}results/`),
    () => service.api("GET", `${root(made.id)}results/?look=true`),
    () => service.api("GET", `${root(made.id)}report/`),
  ];
  for (const show of shown) expect((await show()).status).toBe(200);
  expect(await looks()).toMatchObject({
    count: 1,
    results: [{ total: 8, exposures: { control: 4, test: 4 }, user: { id: 1 } }],
  });
});

it("records looks: the same figures seen twice are one look", async () => {
  const made = await fourDays();
  const path = `${root(made.id)}looks/`;
  const first = await service.api("POST", path, {});
  expect([first.status, first.json.total]).toEqual([201, 8]);
  expect((await service.api("POST", path, {})).json.id).toBe(first.json.id);
  await service.send([called(made.feature_flag_key, "more", "test", 5)]);
  await service.api("POST", path, {});
  const { json } = await service.api("GET", path);
  expect(json.results.map((look: { exposures: object }) => look.exposures)).toEqual([
    { control: 4, test: 4 },
    { control: 4, test: 5 },
  ]);
});

it("summarises as last computed, and computes nothing for it", async () => {
  const made = await fourDays();
  const path = `/api/projects/1/experiments/results_summaries/?ids=${made.id},999999`;
  const before = await service.api("GET", path);
  expect(before.json.results).toMatchObject([{ experiment_id: made.id, exposures: null, best: null }]);
  await service.api("GET", `${root(made.id)}results/`);
  const after = await service.api("GET", path);
  expect(after.json.results[0].exposures).toEqual({ control: 4, test: 4 });
  expect(after.json.results[0].refusal).toMatch(/too little/);
});

it("reports the progress of a long computation to all processes, until the computing one is gone", async () => {
  const made = await service.create({ metrics: [] });
  const { db } = service;
  await writeProgress(db, made.id, 0.25);
  expect(await readProgress(db, made.id)).toBe(0.25);
  await db.execute(
    `update experiment_progress set updated_at = now() - interval '2 minutes' where experiment_id = ${made.id}`,
  );
  expect(await readProgress(db, made.id)).toBeNull();
  await writeProgress(db, made.id, 0.5);
  await clearProgress(db, made.id);
  expect(await readProgress(db, made.id)).toBeNull();
});

describe("a computation of more than a second", () => {
  /** Runs with a clock that stands still but for `pass`. */
  async function withClock(work: (pass: (ms: number) => void) => Promise<void>) {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      await work((ms) => vi.advanceTimersByTime(ms));
    } finally {
      vi.useRealTimers();
    }
  }

  it("reports once a second how much it has read, never all of it, and nothing when it has ended", async () => {
    const { db } = service;
    const made = await fourDays();
    const { prepared } = await service.figures(made.id, 1);
    await withClock(async (pass) => {
      const reporter = await createReporter(db, prepared);
      pass(999);
      reporter.read(1);
      await reporter.end();
      expect(await readProgress(db, made.id)).toBeNull();
      pass(1);
      reporter.read(1);
      const share = await eventually(async () => (await readProgress(db, made.id)) ?? undefined);
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(0.95);
      await eventually(async () => {
        pass(1_000);
        reporter.read(1_000_000);
        return (await readProgress(db, made.id)) === 0.95 || undefined;
      });
      await reporter.end();
      expect(await readProgress(db, made.id)).toBeNull();
    });
  });

  it("clears its progress, and does not need it", async () => {
    const { db } = service;
    const made = await fourDays();
    const { prepared } = await service.figures(made.id, 1);
    const slowly = () =>
      withClock(async (pass) => {
        const now = new Date(START + 96 * HOUR);
        const figures = await advance(db, prepared, { now, rebuild: true, read: () => pass(1_000) });
        expect(Object.fromEntries(figures.units)).toEqual({ control: 4, test: 4 });
      });
    await slowly();
    expect(await readProgress(db, made.id)).toBeNull();
    await db.execute("alter table experiment_progress rename to progress_elsewhere");
    try {
      await slowly();
    } finally {
      await db.execute("alter table progress_elsewhere rename to experiment_progress");
    }
  });
});
