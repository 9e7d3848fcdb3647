import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clamp, winsorBounds } from "#lib/engines/statistics/winsorise.ts";
import { computeResult } from "#lib/experiments/results/days/series.ts";
import { selectDays, selectSeries } from "#lib/experiments/results/days/store.ts";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";
import { handlingOf } from "./prepare.ts";

/**
 * Events in any order of arrival, in any batches, with merges between them: what is stored step by step must be what a
 * look at all events gives, and what counting by hand gives, now and as of the end of every day.
 */

type Service = Awaited<ReturnType<typeof startResults>>;
type Happened = {
  id: string;
  event: string;
  at: number;
  variant: string | null;
  amount: number | null;
  order: string;
};
type Sums = { n: number; sum: number; squares: number; other: number; steps: number[]; covariate: number };

let service: Service;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const DAYS = 4;
const WINDOW = 12;
const LOOKBACK = 24;
const metrics = [
  metric({
    name: "count",
    metric_type: "mean",
    source: source("buy"),
    conversion_window: WINDOW,
    conversion_window_unit: "hour",
  }),
  metric({
    name: "sum",
    metric_type: "mean",
    source: source("buy", {
      math: "sum",
      math_property: "amount",
      properties: [{ key: "amount", operator: "gt", value: 2, type: "event" }],
    }),
  }),
  metric({
    name: "max",
    metric_type: "mean",
    source: source("buy", { math: "max", math_property: "amount" }),
  }),
  metric({
    name: "ordered",
    metric_type: "funnel",
    series: [source("view"), source("buy")],
    conversion_window: WINDOW,
    conversion_window_unit: "hour",
  }),
  metric({
    name: "unordered",
    metric_type: "funnel",
    series: [source("buy"), source("view"), source("view")],
    funnel_order_type: "unordered",
  }),
  metric({
    name: "ratio",
    metric_type: "ratio",
    numerator: source("buy", { math: "sum", math_property: "amount" }),
    denominator: source("view"),
  }),
  metric({
    name: "retention",
    metric_type: "retention",
    start_event: source("view"),
    completion_event: source("view"),
    retention_window_start: 1,
    retention_window_end: 2,
    retention_window_unit: "day",
  }),
  metric({ name: "endless", metric_type: "funnel", series: [source("view"), source("buy")] }),
  metric({
    name: "latest",
    metric_type: "retention",
    start_event: source("view"),
    completion_event: source("buy"),
    retention_window_start: 0,
    retention_window_end: 1,
    retention_window_unit: "day",
    start_handling: "last_seen",
  }),
  metric({ name: "winsorised", metric_type: "mean", source: source("buy"), upper_bound_percentile: 0.6 }),
];
const WINSORISED = metrics.length - 1;

const byTime = (a: Happened, b: Happened) => a.at - b.at || (a.order < b.order ? -1 : 1);

/** The most steps in this order, by trying everything. */
function deepest(list: Happened[], steps: string[], from: number): number {
  if (steps.length === 0) return 0;
  let best = 0;
  for (let i = from; i < list.length; i += 1)
    if (list[i]?.event === steps[0]) best = Math.max(best, 1 + deepest(list, steps.slice(1), i + 1));
  return best;
}

/** The most steps that find an event of their own. */
function matched(list: Happened[], steps: string[]): number {
  const [first, ...rest] = steps;
  if (first === undefined) return 0;
  const without = matched(list, rest);
  const withOne = list.flatMap((event, i) =>
    event.event === first ? [1 + matched(list.toSpliced(i, 1), rest)] : [],
  );
  return Math.max(without, ...withOne);
}

const amounts = (list: Happened[]) => list.flatMap(({ amount }) => (amount === null ? [] : [amount]));
const total = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
const dayOf = (at: number) => Math.floor((START / HOUR + at) / 24);

/** What one person adds to each metric as of a moment, counted by hand. */
function byHand(events: Happened[], first: number, exposures: number[], cut: number) {
  const during = (from: number, hours = Number.POSITIVE_INFINITY) =>
    events.filter(({ at }) => at >= from && at < Math.min(from + hours, cut));
  const named = (list: Happened[], name: string) => list.filter(({ event }) => event === name);
  const before = events.filter(({ at }) => at < first && at >= first - LOOKBACK);
  const buys = named(during(first), "buy");
  const large = (list: Happened[]) => amounts(named(list, "buy")).filter((amount) => amount > 2);
  const most = (numbers: number[]) => (numbers.length === 0 ? 0 : Math.max(...numbers));
  const ordered = most(exposures.map((at) => deepest(during(at, WINDOW), ["view", "buy"], 0)));
  const unordered = matched(during(first), ["buy", "view", "view"]);
  const start = named(during(first), "view")[0];
  const back = named(during(first), "view").some((view) => {
    const passed = start ? dayOf(view.at) - dayOf(start.at) : 0;
    return passed >= 1 && passed <= 2;
  });
  const endless = deepest(during(first), ["view", "buy"], 0);
  const last = named(during(first), "view").at(-1);
  const returned = buys.some(({ at }) => last && at >= last.at && dayOf(at) - dayOf(last.at) <= 1);
  return [
    { value: named(during(first, WINDOW), "buy").length, other: 0, covariate: named(before, "buy").length },
    { value: total(large(during(first))), other: 0, covariate: total(large(before)) },
    { value: most(amounts(buys)), other: 0, covariate: most(amounts(named(before, "buy"))) },
    {
      value: ordered === 2 ? 1 : 0,
      other: ordered,
      covariate: deepest(before, ["view", "buy"], 0) === 2 ? 1 : 0,
    },
    { value: unordered === 3 ? 1 : 0, other: unordered, covariate: 0 },
    { value: total(amounts(buys)), other: named(during(first), "view").length, covariate: 0 },
    start ? { value: back ? 1 : 0, other: 1, covariate: 0 } : { value: 0, other: 0, covariate: 0 },
    {
      value: endless === 2 ? 1 : 0,
      other: endless,
      covariate: deepest(before, ["view", "buy"], 0) === 2 ? 1 : 0,
    },
    last ? { value: returned ? 1 : 0, other: 1, covariate: 0 } : { value: 0, other: 0, covariate: 0 },
    { value: buys.length, other: 0, covariate: named(before, "buy").length },
  ];
}

/** Units by variant, and the sums of each metric and variant. */
function counted(people: Happened[][], handling: "exclude" | "first_seen", cut: number) {
  const units: Record<string, number> = {};
  const sums: Record<string, Sums>[] = metrics.map(() => ({}));
  const found: { variant: string; values: ReturnType<typeof byHand> }[] = [];
  for (const events of people) {
    const exposures = events.filter(({ variant, at }) => variant !== null && at >= 0 && at < cut);
    const [first] = exposures;
    if (!first?.variant) continue;
    const several = handling === "exclude" && exposures.some(({ variant }) => variant !== first.variant);
    const variant = several ? "$multiple" : first.variant;
    units[variant] = (units[variant] ?? 0) + 1;
    if (several) continue;
    const values = byHand(
      events,
      first.at,
      exposures.map(({ at }) => at),
      cut,
    );
    found.push({ variant, values });
  }
  const pooled = found.map(({ values }) => values[WINSORISED]?.value ?? 0);
  const bounds = winsorBounds(pooled, { upper_bound_percentile: 0.6 });
  for (const { variant, values } of found) {
    const capped = values[WINSORISED];
    if (capped && bounds) capped.value = clamp(capped.value, bounds);
    for (const [i, { value, other, covariate }] of values.entries()) {
      const sum = sums[i]?.[variant] ?? {
        n: 0,
        sum: 0,
        squares: 0,
        other: 0,
        steps: [0, 0, 0],
        covariate: 0,
      };
      Object.assign(sums[i] ?? {}, { [variant]: sum });
      sum.n += 1;
      sum.sum += value;
      sum.squares += value * value;
      sum.other += other;
      sum.covariate += covariate;
      sum.steps = sum.steps.map((count, step) => count + (other > step ? 1 : 0));
    }
  }
  return { units, sums };
}

type Wire = Record<string, unknown> & { key: string };

/** An answer's variants in the words of the hand count. */
function wireOf(index: number, wire: { baseline: Wire; variant_results: Wire[] }) {
  return Object.fromEntries(
    [wire.baseline, ...wire.variant_results].map((row) => {
      const { metric_type: type } = metrics[index] as Record<string, unknown>;
      const isRatio = type === "ratio" || type === "retention";
      return [
        row.key,
        {
          n: row.number_of_samples,
          sum: row.sum,
          squares: row.sum_squares,
          ...(isRatio && { other: row.denominator_sum }),
          ...(row.step_counts !== undefined && { steps: row.step_counts }),
          ...(row.covariate_sum !== undefined && { covariate: row.covariate_sum }),
        },
      ];
    }),
  );
}

function expected(index: number, sums: Record<string, Sums>) {
  const none = { n: 0, sum: 0, squares: 0, other: 0, steps: [0, 0, 0], covariate: 0 };
  const { metric_type, series, funnel_order_type } = metrics[index] as Record<string, unknown>;
  return Object.fromEntries(
    ["control", "test"].map((key) => {
      const { n, sum, squares, other, steps, covariate } = sums[key] ?? none;
      const isRatio = metric_type === "ratio" || metric_type === "retention";
      const adjusts = metric_type === "mean" || (metric_type === "funnel" && funnel_order_type === undefined);
      return [
        key,
        {
          n: metric_type === "retention" ? other : n,
          sum,
          squares,
          ...(isRatio && { other }),
          ...(metric_type === "funnel" && { steps: steps.slice(0, (series as unknown[]).length) }),
          ...(adjusts && { covariate }),
        },
      ];
    }),
  );
}

const person = fc.integer({ min: 0, max: 3 });
const doing = fc.record({
  kind: fc.constant("event" as const),
  id: fc.tuple(fc.constantFrom("a", "b"), person).map(([kind, n]) => `${kind}${n}`),
  event: fc.constantFrom("called", "called", "view", "view", "buy", "buy"),
  // Few moments, so that some are equal; some before the start, some on the edges of days.
  at: fc.integer({ min: -8, max: DAYS * 8 - 1 }).map((n) => n * 3),
  variant: fc.constantFrom("control", "test", "test", "gone"),
  amount: fc.constantFrom(1, 2.25, 3, 10),
});
const merging = fc.record({
  kind: fc.constant("merge" as const),
  of: person,
  at: fc.integer({ min: 0, max: 90 }),
});
const scenario = fc.record({
  batches: fc.array(
    fc.array(fc.oneof({ weight: 9, arbitrary: doing }, { weight: 1, arbitrary: merging }), { maxLength: 12 }),
    { minLength: 1, maxLength: 5 },
  ),
  nows: fc.array(fc.integer({ min: 1, max: DAYS * 24 }), { minLength: 5, maxLength: 5 }),
  handling: fc.constantFrom("exclude", "first_seen"),
  // Groups instead of persons: each id is a group's only member.
  grouped: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

let runs = 0;
let before: number | null = null;

/** The same of every run, its ids being its own. */
function eventsOf(
  run: number,
  flag: string,
  ops: (typeof scenario extends fc.Arbitrary<infer S> ? S : never)["batches"][number],
  grouped: boolean,
) {
  return ops.map((op, i): Told => {
    if (op.kind === "merge")
      return {
        event: "$identify",
        id: `${run}a${op.of}`,
        at: op.at,
        properties: { $anon_distinct_id: `${run}b${op.of}` },
      };
    const id = `${run}${op.id}`;
    const groups = grouped && { $groups: { company: id } };
    if (op.event !== "called")
      return { event: op.event, id, at: op.at, properties: { amount: op.amount, i, ...groups } };
    const properties = { ...groups, $feature_flag: flag, $feature_flag_response: op.variant };
    return { event: "$feature_flag_called", id, at: op.at, properties };
  });
}

/** Everything stored of the run's units, one after the other. */
async function storedPeople(run: number, grouped: boolean): Promise<Happened[][]> {
  const { rows } = await service.db.execute<Happened & { person: string }>(sql`
    select ${grouped ? sql`e.distinct_id` : sql`d.person_id::text`} as person, e.distinct_id as id, e.event, e.uuid::text as order,
      (date_part('epoch', e.timestamp) * 1000 - ${START}) / ${HOUR} as at,
      nullif(e.properties ->> '$feature_flag_response', 'gone') as variant,
      (e.properties ->> 'amount')::float8 as amount
    from events e join person_distinct_ids d using (project_id, distinct_id)
    where e.distinct_id like ${`${run}_%`}`);
  return [...Map.groupBy(rows, (row) => row.person).values()].map((list) => list.sort(byTime));
}

type Figured = Awaited<ReturnType<Service["figures"]>>;

function answers({ prepared, figures }: Figured) {
  return figures.storedMetrics.map((storedMetric) =>
    wireOf(
      prepared.metrics.findIndex(({ uuid }) => uuid === storedMetric.uuid),
      computeResult(prepared, storedMetric, figures.units, figures.totals.get(storedMetric.series.id) ?? [])
        .wire as never,
    ),
  );
}

it("stores incrementally the same as a full recomputation and as counting by hand", async () => {
  const properties = { $group_type: "company", $group_key: "any", $group_set: {} };
  await service.send([{ event: "$groupidentify", id: "admin", at: 0, properties }]);
  await fc.assert(
    fc.asyncProperty(scenario, async ({ batches, nows, handling, grouped }) => {
      runs += 1;
      const criteria = { multiple_variant_handling: handling };
      const made = await service.create({
        name: `Run ${runs}`,
        metrics,
        exposure_criteria: criteria,
        ...(grouped && { parameters: { aggregation_group_type_index: 0 } }),
        stats_config: { method: "bayesian", cuped: { enabled: true, lookback_days: 1 } },
      });
      let now = 0;
      for (const [i, ops] of batches.entries()) {
        await service.send(eventsOf(1_000 + runs, made.feature_flag_key, ops, grouped));
        now = Math.max(now, nows[i] ?? 0);
        // Alone, or with another experiment, by one reading of what is new.
        if (i % 2 === 0) await service.figures(made.id, now);
        else await service.together(before === null || grouped ? [made.id] : [before, made.id], now);
      }
      before = grouped ? before : made.id;
      const stored = await service.figures(made.id, now);
      const people = await storedPeople(1_000 + runs, grouped);
      const cut = now + 1 / HOUR;
      const hand = counted(people, handlingOf(criteria), cut);
      expect(Object.fromEntries(stored.figures.units)).toEqual(hand.units);
      expect(answers(stored)).toEqual(hand.sums.map((sums, i) => expected(i, sums)));

      await service.db.execute(sql`delete from experiment_days`);
      const rebuilt = await service.figures(made.id, now, { rebuild: true });
      expect(rebuilt.figures.units).toEqual(stored.figures.units);
      expect(rebuilt.figures.unit_days.sort(byDay)).toEqual(stored.figures.unit_days.sort(byDay));
      expect(rebuilt.figures.totals).toEqual(stored.figures.totals);
      for (const [i, series] of (await selectSeries(service.db, made.id)).entries())
        for (const { day, result } of await selectDays(service.db, series.id)) {
          const end = (Date.parse(`${day}T00:00:00Z`) - START) / HOUR + 24;
          expect([day, wireOf(i, result as never)]).toEqual([
            day,
            expected(i, counted(people, handlingOf(criteria), end).sums[i] ?? {}),
          ]);
        }
    }),
    { numRuns: 25 },
  );
});

const byDay = (a: { day: string; variant: string }, b: { day: string; variant: string }) =>
  `${a.day}${a.variant}` < `${b.day}${b.variant}` ? -1 : 1;
