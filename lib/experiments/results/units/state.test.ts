import { describe, expect, it } from "vitest";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { DAY_MS, HOUR_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import { decimal } from "#lib/experiments/metric_kinds/counting.ts";
import type { Hit, PlannedMetric, UnitHistory } from "#lib/experiments/metric_kinds/kind.ts";
import type { SourceMath } from "#lib/experiments/metric_kinds/metric-schema.ts";
import { comesBack } from "#lib/experiments/metric_kinds/retention.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { hitAt, plannedMetric, plannedSource, planWith, unitValue } from "#testing/experiment-plans.ts";
import { addsNothing, computeState } from "./unit.ts";

const CUT = 1_000;

const exposed = (...moments: number[]) => moments.map((at) => ({ at, variant: "test" }));

/** What one metric makes of a history. */
function madeOf(
  metric: PlannedMetric,
  history: UnitHistory,
  { cut = CUT, ...fields }: Partial<Plan> & { cut?: number } = {},
) {
  const sources = history.hits.map(() => plannedSource());
  return computeState(planWith({ sources, metrics: [metric], ...fields }), history, cut)?.values[0];
}

describe("the number that a source makes of events", () => {
  const numbers = (...values: (number | null)[]): Hit[] =>
    values.map((value, i) => hitAt(100 + i, { value, key: value === null ? null : String(value) }));
  const numberOf = (math: SourceMath, hits: Hit[]) =>
    madeOf(plannedMetric(), { exposures: exposed(100), hits: [hits] }, { sources: [plannedSource({ math })] })
      ?.value ?? 0;

  it.each<{ math: SourceMath; of: (number | null)[]; is: number }>([
    { math: "total", of: [2, null, 5, -1], is: 4 },
    { math: "sum", of: [2, null, 5, -1], is: 6 },
    { math: "avg", of: [2, null, 5, -1], is: 2 },
    { math: "min", of: [2, null, 5, -1], is: -1 },
    { math: "max", of: [2, null, 5, -1], is: 5 },
    { math: "min", of: [2, 3], is: 2 },
    { math: "max", of: [-2, -3], is: -2 },
    { math: "sum", of: [0.1, 0.2], is: 0.3 },
    { math: "avg", of: [0.1, 0.2], is: 0.15 },
    { math: "avg", of: [1, 0, 0], is: 0.333333333333333 },
    { math: "dau", of: [2, 2, null, 5], is: 2 },
    { math: "unique_session", of: [2, 2, null, 5], is: 2 },
    { math: "unique_group", of: [2, 2, null, 5], is: 2 },
    ...(["sum", "avg", "min", "max", "dau", "unique_session", "unique_group"] as const).map((math) => ({
      math,
      of: [null, null],
      is: 0,
    })),
  ])("$math of $of is $is", ({ math, of, is }) => {
    expect(numberOf(math, numbers(...of))).toBe(is);
  });
});

describe("a decimal", () => {
  it.each([
    [0.1 + 0.2, 0.3],
    [1 / 3, 0.333333333333333],
    [12_345_678_901_234_568, 12_345_678_901_234_568],
    [-1.1 - 2.2, -3.3],
  ])("of %d is %d", (value, is) => {
    expect(decimal(value)).toBe(is);
  });
});

describe("a unit", () => {
  const plan = planWith({ sources: [plannedSource()], metrics: [plannedMetric()] });
  const shown = (at: number, variant: string) => ({ at, variant });

  it("is not there without an exposure before the moment that is looked at", () => {
    const hits = [[hitAt(50)]];
    expect(computeState(plan, { exposures: [], hits }, CUT)).toBeNull();
    expect(computeState(plan, { exposures: exposed(CUT), hits }, CUT)).toBeNull();
    expect(computeState(plan, { exposures: exposed(CUT - 1), hits }, CUT)).toEqual({
      variant: "test",
      first_at: CUT - 1,
      values: [null],
    });
  });

  it.each([
    { handling: "exclude", later: shown(200, "control"), variant: MULTIPLE, value: null },
    { handling: "exclude", later: shown(200, "test"), variant: "test", value: unitValue({ value: 1 }) },
    { handling: "exclude", later: shown(CUT, "control"), variant: "test", value: unitValue({ value: 1 }) },
    { handling: "first_seen", later: shown(200, "control"), variant: "test", value: unitValue({ value: 1 }) },
  ] as const)(
    "that later sees $later.variant at $later.at counts for $variant ($handling)",
    ({ handling, later, variant, value }) => {
      const history = { exposures: [shown(100, "test"), later], hits: [[hitAt(150)]] };
      expect(computeState({ ...plan, handling }, history, CUT)).toEqual({
        variant,
        first_at: 100,
        values: [value],
      });
    },
  );

  it("has a value for each metric, and none where it adds nothing", () => {
    const sources = [plannedSource(), plannedSource()];
    const metrics = [
      plannedMetric({ sources: [1] }),
      plannedMetric({ sources: [0] }),
      plannedMetric({ type: "ratio", sources: [1, 0] }),
    ];
    const history = { exposures: exposed(100), hits: [[hitAt(150), hitAt(160)], []] };
    expect(computeState(planWith({ sources, metrics }), history, CUT)?.values).toEqual([
      null,
      unitValue({ value: 2 }),
      unitValue({ other: 2 }),
    ]);
  });

  it.each([
    [unitValue(), true],
    [unitValue({ mark: 5 }), true],
    [unitValue({ value: -1 }), false],
    [unitValue({ other: 1 }), false],
    [unitValue({ covariate: 1 }), false],
  ])("with %j adds nothing: %s", (value, nothing) => {
    expect(addsNothing(value)).toBe(nothing);
  });
});

describe("earlier values", () => {
  const lookback = 50;

  it("of a mean are those of the time before the first exposure, which is not in it", () => {
    const hits = [[49, 50, 99, 100, 200].map((at) => hitAt(at))];
    expect(madeOf(plannedMetric({ lookback }), { exposures: exposed(100, 190), hits })).toEqual(
      unitValue({ value: 2, covariate: 2 }),
    );
    expect(madeOf(plannedMetric(), { exposures: exposed(100), hits })).toEqual(unitValue({ value: 2 }));
  });

  it.each([
    { first: 60, second: 70, covariate: 1 },
    { first: 49, second: 70, covariate: 0 },
    { first: 50, second: 99, covariate: 1 },
    { first: 70, second: 60, covariate: 0 },
    { first: 70, second: 100, covariate: 0 },
  ])(
    "of a funnel say whether all steps were taken then, such as at $first and $second: $covariate",
    ({ first, second, covariate }) => {
      const metric = plannedMetric({ type: "funnel", sources: [0, 1], lookback });
      const history = { exposures: exposed(100), hits: [[hitAt(first)], [hitAt(second)]] };
      expect(madeOf(metric, history)?.covariate ?? 0).toBe(covariate);
    },
  );
});

describe("a funnel", () => {
  const steps = (...moments: number[][]) => moments.map((list) => list.map((at) => hitAt(at)));
  const funnel = (fields: Partial<PlannedMetric> = {}) =>
    plannedMetric({ type: "funnel", sources: [0, 1], ...fields });

  it("converts whoever takes all steps, and says how far others came", () => {
    const exposures = exposed(100);
    expect(madeOf(funnel(), { exposures, hits: steps([150], [160]) })).toEqual(
      unitValue({ value: 1, other: 2 }),
    );
    expect(madeOf(funnel(), { exposures, hits: steps([150], [140]) })).toEqual(unitValue({ other: 1 }));
    expect(madeOf(funnel(), { exposures, hits: steps([], [140]) })).toBeNull();
  });

  it("takes its steps in any order where asked to", () => {
    const history = { exposures: exposed(100), hits: steps([150], [140]) };
    expect(madeOf(funnel({ ordered: false }), history)).toEqual(unitValue({ value: 1, other: 2 }));
  });

  it("with a window counts the best of the windows that exposures open, and marks that there are several", () => {
    const hits = steps([110, 210], [160, 220]);
    const windowed = funnel({ window: 50 });
    expect(madeOf(windowed, { exposures: exposed(100), hits })).toEqual(unitValue({ other: 1 }));
    expect(madeOf(windowed, { exposures: exposed(100, 200), hits })).toEqual(
      unitValue({ value: 1, other: 2, mark: 1 }),
    );
    expect(madeOf(windowed, { exposures: exposed(100, 200), hits }, { cut: 200 })).toEqual(
      unitValue({ other: 1 }),
    );
    expect(madeOf(windowed, { exposures: exposed(100, 900), hits })).toEqual(
      unitValue({ other: 1, mark: 1 }),
    );
    expect(madeOf(windowed, { exposures: exposed(100, 900), hits: steps([], []) })).toEqual(
      unitValue({ mark: 1 }),
    );
  });

  it("without a window counts from the first exposure on", () => {
    const hits = steps([110, 210], [160, 220]);
    expect(madeOf(funnel(), { exposures: exposed(100, 200), hits })).toEqual(
      unitValue({ value: 1, other: 2 }),
    );
  });
});

describe("retention", () => {
  const rule = { from: 1, to: 2, unit: "day" as const, last: false };
  const retention = (fields: Partial<PlannedMetric> = {}) =>
    plannedMetric({ type: "retention", sources: [0, 1], retention: rule, ...fields });
  const day = (number: number) => number * DAY_MS;
  const started = (starts: number[], returns: number[]): UnitHistory => ({
    exposures: exposed(0),
    hits: [starts.map((at) => hitAt(at)), returns.map((at) => hitAt(at, { position: at + 1 }))],
  });
  const cut = day(20);

  it("is of those who start; they come back in time, or not", () => {
    expect(madeOf(retention(), started([], [day(1)]), { cut })).toBeNull();
    expect(madeOf(retention(), started([day(1)], []), { cut })).toEqual(
      unitValue({ other: 1, mark: day(1) }),
    );
    for (const [at, value] of [
      [day(2) - 1, 0],
      [day(2), 1],
      [day(4) - 1, 1],
      [day(4), 0],
    ] as const)
      expect(madeOf(retention(), started([day(1)], [at]), { cut })).toEqual(
        unitValue({ value, other: 1, mark: day(1) }),
      );
  });

  it("counts from the first start, or from the last one where asked to", () => {
    const history = started([day(1), day(5)], [day(6)]);
    expect(madeOf(retention(), history, { cut })).toEqual(unitValue({ other: 1, mark: day(1) }));
    expect(madeOf(retention({ retention: { ...rule, last: true } }), history, { cut })).toEqual(
      unitValue({ value: 1, other: 1, mark: day(5) }),
    );
  });

  it("takes returns up to the experiment's end and a window after it, starts only up to their own end", () => {
    const end = day(2);
    const at = (metric: PlannedMetric, back: number, start = day(1)) =>
      madeOf(metric, started([start], [back]), { cut, end })?.value;
    expect([at(retention(), end), at(retention(), end + 1)]).toEqual([1, 0]);
    const windowed = retention({ window: day(2), retention: { ...rule, to: 9 } });
    expect([at(windowed, day(4)), at(windowed, day(4) + 1)]).toEqual([1, 0]);
    expect(at(windowed, day(4), day(2) - 1)).toBe(1);
    expect(at(windowed, day(4), day(2))).toBeUndefined();
  });

  it("takes returns up to the present", () => {
    expect(madeOf(retention(), started([day(1)], [day(2)]), { cut: day(2) })?.value).toBe(0);
    expect(madeOf(retention(), started([day(1)], [day(2)]), { cut: day(2) + 1 })?.value).toBe(1);
  });

  it("is nothing without a rule", () => {
    expect(madeOf(retention({ retention: null }), started([day(1)], [day(2)]), { cut })).toBeNull();
  });

  it.each([
    { unit: "minute", timezone: "UTC", start: 59_999, back: 60_000 + 59_998, passed: 0 },
    { unit: "minute", timezone: "UTC", start: 59_999, back: 60_000 + 59_999, passed: 1 },
    { unit: "hour", timezone: "UTC", start: HOUR_MS - 1, back: HOUR_MS, passed: 1 },
    { unit: "hour", timezone: "Asia/Kolkata", start: HOUR_MS - 1, back: HOUR_MS, passed: 0 },
    { unit: "hour", timezone: "Asia/Kolkata", start: HOUR_MS / 2 - 1, back: HOUR_MS / 2, passed: 1 },
    { unit: "day", timezone: "UTC", start: DAY_MS - 1, back: DAY_MS, passed: 1 },
    { unit: "day", timezone: "Asia/Kolkata", start: DAY_MS - 1, back: DAY_MS, passed: 0 },
    { unit: "day", timezone: "UTC", start: 0, back: 3 * DAY_MS - 1, passed: 2 },
    { unit: "week", timezone: "UTC", start: DAY_MS - 1, back: 8 * DAY_MS - 2, passed: 0 },
    { unit: "week", timezone: "UTC", start: DAY_MS - 1, back: 8 * DAY_MS - 1, passed: 1 },
  ] as const)(
    "from $start to $back, $passed times a $unit has passed in $timezone",
    ({ unit, timezone, start, back, passed }) => {
      const came = [0, 1, 2, 3].filter((n) =>
        comesBack({ timezone }, { from: n, to: n, unit, last: false }, hitAt(start), hitAt(back)),
      );
      expect(came).toEqual([passed]);
    },
  );
});
