import { describe, expect, it } from "vitest";
import { benjaminiHochberg, holm } from "#lib/engines/statistics/corrections.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { levelOf, readSettings } from "#lib/engines/statistics/settings.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import type { Figures } from "#lib/experiments/results/days/series.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import type { Totals } from "#lib/experiments/results/units/sums.ts";
import { plannedMetric, planWith } from "#testing/experiment-plans.ts";
import { buildMetricRows } from "./rows.ts";

const VARIANTS = ["control", "a", "b"];
const UNITS = new Map([...VARIANTS.map((key) => [key, 1_000] as const), [MULTIPLE, 9]]);

type Given = {
  planned?: Partial<PlannedMetric>;
  role?: "primary" | "secondary";
  goal?: "increase" | "decrease";
  /** Units that converted, by variant. */
  converted?: Record<string, number>;
  /** Further sums of each variant. */
  sums?: Partial<Totals>;
  problem?: string;
};

const ZERO = {
  step: 0,
  units: 0,
  value: 0,
  value_squares: 0,
  other: 0,
  other_squares: 0,
  value_other: 0,
  covariate: 0,
  covariate_squares: 0,
  value_covariate: 0,
};

/** What is shown of metrics in an experiment of three variants with 1000 units each. */
function shown(given: Given[], stats_config: unknown = { method: "frequentist" }, hasFigures = true) {
  const metrics = given.map(({ role = "primary", goal, problem = null, planned }, i) => ({
    role,
    uuid: `uuid-${i}`,
    fingerprint: `fingerprint-${i}`,
    name: `metric ${i}`,
    saved_metric_id: null,
    metric: problem === null ? { metric_type: "mean", ...(goal && { goal }) } : null,
    raw: { uuid: `uuid-${i}` },
    problem,
    planned: problem === null ? plannedMetric({ type: "funnel", ...planned }) : null,
  }));
  const plan = planWith({ variants: VARIANTS });
  const prepared = { metrics, plan, settings: readSettings(stats_config), baseline: "control" };
  const storedMetrics = metrics.flatMap((metric, i) =>
    metric.planned === null ? [] : [{ ...metric, series: { id: 100 + i, place: i } }],
  );
  const totals = new Map(
    given.map(({ converted = {}, sums }, i) => [
      100 + i,
      Object.entries(converted).map(([variant, units]) => ({
        ...ZERO,
        variant,
        step: 1,
        units,
        value: units,
        value_squares: units,
        other: units,
        ...sums,
      })),
    ]),
  );
  const figures = { units: UNITS, storedMetrics, totals };
  return buildMetricRows(
    prepared as unknown as Prepared,
    hasFigures ? (figures as unknown as Figures) : null,
  );
}

const clear = { control: 100, a: 150, b: 101 };

describe("the rows of a metric", () => {
  it("have the baseline's figures and each variant's, with the lift over the baseline", () => {
    const [metric] = shown([{ converted: clear }]);
    expect(metric).toMatchObject({
      role: "primary",
      uuid: "uuid-0",
      fingerprint: "fingerprint-0",
      name: "metric 0",
      metric_type: "mean",
      goal: "increase",
      metric: { uuid: "uuid-0" },
      problem: null,
      baseline: {
        key: "control",
        number_of_samples: 1_000,
        sum: 100,
        value: 0.1,
        step_counts: [100],
        validation_failures: [],
        failures: [],
        refusal: null,
        estimate: null,
      },
    });
    expect(metric?.variants.map(({ key, value, estimate }) => [key, value, estimate?.effect])).toEqual([
      ["a", 0.15, expect.closeTo(0.5, 10)],
      ["b", 0.101, expect.closeTo(0.01, 10)],
    ]);
  });

  it.each([
    { goal: undefined, up: "better", down: "worse" },
    { goal: "increase", up: "better", down: "worse" },
    { goal: "decrease", up: "worse", down: "better" },
  ] as const)("judge a clear move by the goal: $goal", ({ goal, up, down }) => {
    const directionOf = (a: number) =>
      shown([{ goal, converted: { control: 100, a, b: 101 } }])[0]?.variants.map(
        ({ estimate }) => estimate?.direction,
      );
    expect(directionOf(150)).toEqual([up, "unclear"]);
    expect(directionOf(50)).toEqual([down, "unclear"]);
  });

  it("have a p-value or a chance to win, as the method has it", () => {
    const estimateOf = (method: string) =>
      shown([{ converted: clear }], { method })[0]?.variants[0]?.estimate;
    expect(estimateOf("frequentist")).toMatchObject({
      method: "frequentist",
      p_value: expect.any(Number),
      chance_to_win: null,
      significant: true,
      cuped: null,
    });
    expect(estimateOf("bayesian")).toMatchObject({
      method: "bayesian",
      p_value: null,
      chance_to_win: expect.any(Number),
      significant: true,
    });
  });

  it("have what is divided by what: units, or what is below the line; nothing by nothing", () => {
    const [ratio, empty, started] = shown([
      { planned: { type: "ratio" }, converted: clear, sums: { value: 30, other: 120 } },
      { planned: { type: "ratio" } },
      { planned: { type: "retention" }, converted: clear, sums: { value: 30, other: 60 } },
    ]);
    expect(ratio?.baseline).toMatchObject({ value: 0.25, number_of_samples: 1_000, denominator_sum: 120 });
    expect(empty?.baseline).toMatchObject({ value: null });
    expect(started?.baseline).toMatchObject({ value: 0.5, number_of_samples: 60 });
  });

  it("say why there is no estimate, with few conversions", () => {
    const [metric] = shown([{ converted: { control: 100, a: 2, b: 150 } }]);
    const [few, many] = metric?.variants ?? [];
    expect(few?.validation_failures).toHaveLength(1);
    expect(few?.failures).toHaveLength(1);
    expect(few?.estimate).toBeNull();
    expect(many).toMatchObject({ validation_failures: [], failures: [] });
    expect(many?.estimate).not.toBeNull();
  });

  it("tell the baseline's own failures from those of a variant", () => {
    const [metric] = shown([{ converted: { control: 2, a: 3, b: 150 } }]);
    expect(metric?.baseline?.failures).toEqual([expect.stringMatching(/^The baseline has 2 of /)]);
    expect(metric?.variants[0]?.failures[0]).toMatch(/^This variant has 3 of /);
  });

  it("give the reason where data are there and statistics are refused", () => {
    const [metric] = shown([{ converted: clear }], { method: "frequentist", frequentist: { alpha: 1 } });
    expect(metric?.baseline?.refusal).toBeNull();
    for (const { refusal, estimate } of metric?.variants ?? []) {
      expect(refusal).toEqual({ code: expect.any(String), reason: expect.stringMatching(/./) });
      expect(estimate).toBeNull();
    }
  });

  it("say how CUPED compared, and nothing of it without", () => {
    const given: Given = {
      planned: { type: "mean", lookback: 1 },
      converted: clear,
      sums: { value_squares: 400, covariate: 90, covariate_squares: 300, value_covariate: 120 },
    };
    const cupedOf = (enabled: boolean) =>
      shown([given], { method: "frequentist", cuped: { enabled } })[0]?.variants[0]?.estimate?.cuped;
    expect(cupedOf(true)).toMatchObject({ estimator: "adjusted_means" });
    expect(cupedOf(false)).toBeNull();
  });

  it("are missing where the metric cannot be computed, or nothing is computed yet", () => {
    const [broken] = shown([{ problem: "It counts an action." }]);
    expect(broken).toMatchObject({
      problem: "It counts an action.",
      metric_type: null,
      goal: "increase",
      baseline: null,
      variants: [],
    });
    expect(shown([{ converted: clear }], {}, false)).toMatchObject([{ baseline: null, variants: [] }]);
  });
});

describe("corrections for several comparisons", () => {
  const given: Given[] = [
    { converted: { control: 100, a: 134, b: 101 } },
    { role: "secondary", converted: { control: 100, a: 140, b: 128 } },
    { converted: { control: 100, a: 104, b: 145 } },
  ];
  const of = (role: string) =>
    shown(given)
      .filter((metric) => metric.role === role)
      .flatMap(({ variants }) => variants.flatMap(({ estimate }) => estimate ?? []));

  it.each(["primary", "secondary"])("are over all of the %s metrics together", (role) => {
    const estimates = of(role);
    const p = estimates.map(({ p_value }) => p_value ?? 1);
    expect(p).toHaveLength(role === "primary" ? 4 : 2);
    expect(estimates.map(({ p_two_sided }) => p_two_sided)).toEqual(p);
    expect(estimates.map(({ p_holm }) => p_holm)).toEqual(holm(p));
    expect(estimates.map(({ p_bh }) => p_bh)).toEqual(benjaminiHochberg(p));
    for (const { p_holm, p_bh, significant_holm, significant_bh } of estimates) {
      expect(significant_holm).toBe(p_holm < 0.05);
      expect(significant_bh).toBe(p_bh < 0.05);
    }
  });

  it("may find what one comparison alone would have found, and may not", () => {
    expect(of("primary").map(({ significant, significant_holm }) => [significant, significant_holm])).toEqual(
      [
        [true, false],
        [false, false],
        [false, false],
        [true, true],
      ],
    );
  });

  it("are by role: primary metrics come first", () => {
    expect(shown(given).map(({ role, name }) => [role, name])).toEqual([
      ["primary", "metric 0"],
      ["primary", "metric 2"],
      ["secondary", "metric 1"],
    ]);
  });
});

it.each([
  { config: {}, level: 0.95 },
  { config: { bayesian: { ci_level: 0.9 } }, level: 0.9 },
  { config: { method: "frequentist", frequentist: { alpha: 0.1 } }, level: 0.9 },
])("the level of intervals is $level with $config", ({ config, level }) => {
  expect(levelOf(readSettings(config))).toBeCloseTo(level, 12);
});
