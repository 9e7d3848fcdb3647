import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { DAY_MS, HOUR_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { UnitHistory, UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import type { Totals } from "#lib/experiments/results/units/sums.ts";
import { computeState } from "#lib/experiments/results/units/unit.ts";
import { hitAt, plannedMetric, plannedSource, planWith, unitValue } from "#testing/experiment-plans.ts";
import { createDayCounts, createDaySums } from "./day-sums.ts";
import { countedUnits, createTimeline, daysUntil } from "./timeline.ts";

const START = Date.UTC(2026, 2, 27, 9);
const DAYS = 5;

const plan = planWith({
  start: START,
  timezone: "Europe/Berlin",
  sources: [plannedSource({ math: "sum" }), plannedSource()],
  metrics: [
    plannedMetric({ lookback: 30 * HOUR_MS }),
    plannedMetric({ type: "funnel", sources: [1, 0] }),
    plannedMetric({ type: "ratio", sources: [0, 1] }),
    plannedMetric({ winsor: { lower: 0.1, upper: 0.7, ignore_zeros: false }, lookback: 30 * HOUR_MS }),
    plannedMetric({
      type: "retention",
      sources: [1, 0],
      retention: { from: 1, to: 2, unit: "day", last: true },
    }),
  ],
});

const history: fc.Arbitrary<UnitHistory> = fc
  .array(
    fc.record({
      at: fc.integer({ min: -30, max: 24 * (DAYS - 1) + 10 }).map((hours) => START + hours * HOUR_MS),
      kind: fc.constantFrom("control", "test", "test", 0, 1),
      value: fc.constantFrom(1, 2, 0.5, -3, 0),
    }),
    { maxLength: 8 },
  )
  .map((list) => {
    const events = list.toSorted((a, b) => a.at - b.at);
    return {
      exposures: events.flatMap(({ at, kind }) =>
        typeof kind === "string" && at >= START ? [{ at, variant: kind }] : [],
      ),
      hits: [0, 1].map((source) =>
        events.flatMap(({ at, kind, value }, position) =>
          kind === source ? [hitAt(at, { position, value })] : [],
        ),
      ),
    };
  });

const FIELDS = [
  "units",
  "value",
  "value_squares",
  "other",
  "other_squares",
  "value_other",
  "covariate",
  "covariate_squares",
  "value_covariate",
] as const;

const termsOf = ({ value, other, covariate }: UnitValue) => [
  1,
  value,
  value ** 2,
  other,
  other ** 2,
  value * other,
  covariate,
  covariate ** 2,
  value * covariate,
];

/** Sums by step and variant that are not all 0, as text. */
const shown = (totals: readonly Totals[]) =>
  Object.fromEntries(
    totals
      .map((row) => [`${row.variant} ${row.step}`, FIELDS.map((name) => row[name] + 0)] as const)
      .filter(([, numbers]) => numbers.some((number) => number !== 0))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The same, of states. */
function addedUp(states: { variant: string; value: UnitValue | null }[], hasSteps: boolean) {
  const sums = new Map<string, number[]>();
  for (const { variant, value } of states) {
    if (!value || (value.value === 0 && value.other === 0 && value.covariate === 0)) continue;
    const key = `${variant} ${hasSteps ? value.other : 0}`;
    const before = sums.get(key) ?? [];
    sums.set(
      key,
      termsOf(value).map((term, i) => (before[i] ?? 0) + term),
    );
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const WINSORISED = 3;

describe("a timeline", () => {
  it("has the figures as of the end of each day, whatever happened later", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { maxLength: 6 }), async (histories) => {
        const cut = START + 24 * (DAYS - 1) * HOUR_MS + 11 * HOUR_MS;
        const days = daysUntil(plan, cut);
        const timeline = createTimeline(plan, days);
        const last = histories.map((one) => timeline.add(one));
        expect(last).toEqual(histories.map((one) => computeState(plan, one, cut)));
        const byDay = await timeline.byDay();
        expect(byDay).toHaveLength(days.ends.length);
        for (const [day, figures] of byDay.entries()) {
          const states = histories.flatMap((one) => computeState(plan, one, days.ends[day] ?? 0) ?? []);
          const units = Object.groupBy(states, ({ variant }) => variant);
          expect(Object.fromEntries([...figures.units].filter(([, count]) => count > 0))).toEqual(
            Object.fromEntries(Object.entries(units).map(([key, list]) => [key, list?.length])),
          );
          for (const [i, { type }] of plan.metrics.entries()) {
            if (i === WINSORISED) continue;
            const values = states.map((state) => ({
              variant: state.variant,
              value: state.values[i] ?? null,
            }));
            expect(shown(figures.totals[i] ?? [])).toEqual(addedUp(values, type === "funnel"));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("pulls outliers in to the bounds of each day", async () => {
    const metric = plannedMetric({ winsor: { lower: null, upper: 0.5, ignore_zeros: false } });
    const capped = planWith({ sources: [plannedSource({ math: "sum" })], metrics: [metric] });
    const days = daysUntil(capped, 2 * DAY_MS);
    const timeline = createTimeline(capped, days);
    const unit = (variant: string, ...values: [day: number, value: number][]) => ({
      exposures: [{ at: 0, variant }],
      hits: [values.map(([day, value]) => hitAt(day * DAY_MS + 5, { value }))],
    });
    timeline.add(unit("control", [0, 10], [1, 90]));
    timeline.add(unit("test", [0, 1]));
    timeline.add(unit("test", [0, 4], [1, 2]));
    // Saw both variants on the second day: counts on the first one only.
    const moved = unit("control", [0, 3]);
    moved.exposures.push({ at: DAY_MS + 7, variant: "test" });
    timeline.add(moved);
    const [first, second] = await timeline.byDay();
    // Of 1, 3, 4 and 10 the median is 3.
    expect(first?.totals[0]?.map(({ variant, units, value }) => [variant, units, value])).toEqual([
      ["control", 2, 6],
      ["test", 2, 4],
    ]);
    // Of 1, 6 and 100 it is 6.
    expect(second?.totals[0]?.map(({ variant, units, value }) => [variant, units, value])).toEqual([
      ["control", 1, 6],
      ["test", 2, 7],
    ]);
    expect(Object.fromEntries(second?.units ?? [])).toEqual({ control: 1, test: 2, [MULTIPLE]: 1 });
  });

  it("counts events before the start on the first day", async () => {
    const early = planWith({
      start: 2 * DAY_MS,
      sources: [plannedSource()],
      metrics: [plannedMetric({ lookback: DAY_MS })],
    });
    const timeline = createTimeline(early, daysUntil(early, 4 * DAY_MS));
    const at = 2 * DAY_MS;
    timeline.add({ exposures: [{ at, variant: "test" }], hits: [[hitAt(at - 5), hitAt(at - 4)]] });
    const found = (await timeline.byDay()).map(({ totals }) => totals[0]?.[0]?.covariate);
    expect(found).toEqual([2, 2]);
  });

  it("takes nobody in who was not exposed", async () => {
    const timeline = createTimeline(plan, daysUntil(plan, START + DAY_MS));
    expect(timeline.add({ exposures: [], hits: [[hitAt(START + 5, { value: 4 })], []] })).toBeNull();
    for (const { units, totals } of await timeline.byDay()) {
      expect(units.size).toBe(0);
      expect(totals).toEqual([[], [], [], [], []]);
    }
  });
});

describe("the days until a moment", () => {
  const berlin = (month: number, day: number, hour: number) => Date.UTC(2026, month - 1, day, hour);

  it.each([
    {
      name: "end at midnight, and the last one at the moment",
      timezone: "UTC",
      start: berlin(3, 27, 9),
      cut: berlin(3, 29, 10),
      ends: [berlin(3, 28, 0), berlin(3, 29, 0), berlin(3, 29, 10)],
    },
    {
      name: "end with the moment where that is midnight",
      timezone: "UTC",
      start: berlin(3, 27, 9),
      cut: berlin(3, 29, 0),
      ends: [berlin(3, 28, 0), berlin(3, 29, 0)],
    },
    {
      name: "may have 23 hours",
      timezone: "Europe/Berlin",
      start: berlin(3, 28, 9),
      cut: berlin(3, 30, 10),
      ends: [berlin(3, 28, 23), berlin(3, 29, 22), berlin(3, 30, 10)],
    },
    {
      name: "are one at the least, even before the start",
      timezone: "UTC",
      start: berlin(3, 27, 9),
      cut: berlin(3, 20, 0),
      ends: [berlin(3, 27, 9)],
    },
  ])("$name", ({ timezone, start, cut, ends }) => {
    expect(daysUntil({ timezone, start }, cut)).toEqual({ first: Math.floor(start / DAY_MS), ends });
  });
});

it("units with several variants do not count in metrics", () => {
  expect(
    countedUnits(
      new Map([
        ["control", 3],
        [MULTIPLE, 2],
      ]),
    ),
  ).toEqual(new Map([["control", 3]]));
  expect(countedUnits(undefined)).toEqual(new Map());
});

describe("a daySums", () => {
  it("says what there is at the end of each day", () => {
    const daySums = createDaySums(3);
    const [small, large] = [unitValue({ value: 2, covariate: 3 }), unitValue({ value: 5, other: 7 })];
    daySums.add(0, "test", 0, small, 1);
    daySums.add(1, "test", 0, small, -1);
    daySums.add(1, "test", 0, large, 1);
    daySums.add(1, "test", 1, large, 1);
    daySums.add(2, "control", 0, small, 1);
    const [first, second, third] = daySums.byDay().map(shown);
    expect(first).toEqual({ "test 0": termsOf(small) });
    expect(second).toEqual({ "test 0": termsOf(large), "test 1": termsOf(large) });
    expect(third).toEqual({ ...second, "control 0": termsOf(small) });
  });

  it("loses nothing between large numbers and small ones", () => {
    const daySums = createDaySums(2);
    for (const value of [1e17, 1, 0.25]) daySums.add(0, "test", 0, unitValue({ value }), 1);
    daySums.add(1, "test", 0, unitValue({ value: 1e17 }), -1);
    expect(daySums.byDay()[1]?.[0]?.value).toBe(1.25);
  });

  it("counts by variant at the end of each day", () => {
    const counts = createDayCounts(3);
    counts.add(0, "test", 2);
    counts.add(0, "test", 1);
    counts.add(2, "test", -1);
    counts.add(1, "control", 4);
    expect(counts.byDay().map((day) => Object.fromEntries(day))).toEqual([
      { test: 3, control: 0 },
      { test: 3, control: 4 },
      { test: 2, control: 4 },
    ]);
  });
});
