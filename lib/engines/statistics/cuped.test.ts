import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addPerson,
  COUNT_MEAN,
  counts,
  emptySums,
  FUNNEL_RATE,
  funnel,
  type Person,
  type Population,
  REVENUE_MEAN,
  revenue,
} from "#lib/engines/statistics/simulation/people.ts";
import { runTrials } from "#lib/engines/statistics/simulation/trials.ts";
import { compare } from "./compare.ts";
import type { CupedEstimator, DifferenceType, FrequentistSettings, Sample, Settings } from "./types.ts";

const frequentist = (
  difference_type: DifferenceType,
  cuped: CupedEstimator | null = "adjusted_means",
): FrequentistSettings => ({ method: "frequentist", difference_type, alpha: 0.05, cuped });

function estimateOf(type: "mean" | "funnel", [control, variant]: readonly [Sample, Sample], of: Settings) {
  const outcome = compare(type, control, variant, of);
  if (outcome.status !== "ok") throw new Error(outcome.code);
  return outcome;
}

const sumsOf = (people: readonly Person[]): Sample => {
  const sums = emptySums();
  for (const person of people) addPerson(sums, person);
  return sums;
};

const nearly = (got: number, expected: number, scale: number) =>
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(1e-6 * Math.abs(scale));

/** Units whose value before the exposure has something to do with the one after it. */
const arm = (mean: number) =>
  fc
    .array(
      fc.tuple(fc.double({ min: 0, max: 10, noNaN: true }), fc.double({ min: 0, max: 4, noNaN: true })),
      {
        minLength: 30,
        maxLength: 60,
      },
    )
    .map((people) =>
      people.map(([earlier, own], i): Person => {
        const before = earlier + (i % 4);
        return { value: mean + 0.8 * before + own + (i % 5), before };
      }),
    );
const arms = fc.tuple(arm(5), arm(6));

/** Intervals, effects and variances of two readings agree, up to rounding. */
function sameEstimate(
  got: ReturnType<typeof estimateOf>,
  expected: ReturnType<typeof estimateOf>,
  unit = 1,
): void {
  const width = unit * (expected.interval[1] - expected.interval[0]);
  nearly(got.effect, unit * expected.effect, width);
  nearly(got.interval[0], unit * expected.interval[0], width);
  nearly(got.interval[1], unit * expected.interval[1], width);
}

describe("adjusted means", () => {
  it("have the variance of the full joint delta method", () => {
    // The same by another way: both adjusted means' variances and their covariance, put into the quotient's formula.
    fc.assert(
      fc.property(arms, ([control, variant]) => {
        const samples = [sumsOf(control), sumsOf(variant)] as const;
        const got = estimateOf("mean", samples, frequentist("relative"));
        const theta = got.cuped?.theta ?? 0;
        const moments = [control, variant].map((people) => {
          const n = people.length;
          const [y, x] = [people.map(({ value }) => value), people.map(({ before }) => before ?? 0)];
          const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / n;
          const co = (a: number[], b: number[]) =>
            a.reduce((sum, value, i) => sum + (value - mean(a)) * ((b[i] ?? 0) - mean(b)), 0) / (n - 1) / n;
          return { n, y: mean(y), x: mean(x), yy: co(y, y), xx: co(x, x), xy: co(x, y) };
        });
        const [c, t] = moments as [(typeof moments)[number], (typeof moments)[number]];
        const [wc, wt] = [c.n / (c.n + t.n), t.n / (c.n + t.n)];
        const pooled = wc * c.x + wt * t.x;
        const [mc, mt] = [c.y - theta * (c.x - pooled), t.y - theta * (t.x - pooled)];
        const vc = c.yy - 2 * theta * wt * c.xy + (theta * wt) ** 2 * (c.xx + t.xx);
        const vt = t.yy - 2 * theta * wc * t.xy + (theta * wc) ** 2 * (c.xx + t.xx);
        const cov = theta * (wc * c.xy + wt * t.xy) - theta ** 2 * wc * wt * (c.xx + t.xx);
        const ratio = mt / mc;
        nearly(got.effect, ratio - 1, 1);
        const expected = (vt + ratio ** 2 * vc - 2 * ratio * cov) / mc ** 2;
        nearly(got.variance, expected, expected);
      }),
    );
  });

  it("give the same relative result in any unit of the outcome", () => {
    fc.assert(
      fc.property(arms, fc.double({ min: 1e-4, max: 1e4, noNaN: true }), (people, unit) => {
        const scaled = people.map((of) => of.map((each) => ({ ...each, value: each.value * unit })));
        for (const difference of ["relative", "absolute"] as const) {
          const [plain, other] = [people, scaled].map(([c, t]) =>
            estimateOf("mean", [sumsOf(c ?? []), sumsOf(t ?? [])], frequentist(difference)),
          ) as [ReturnType<typeof estimateOf>, ReturnType<typeof estimateOf>];
          sameEstimate(other, plain, difference === "relative" ? 1 : unit);
        }
      }),
    );
  });

  it("do not change when the covariate is shifted or measured in another unit", () => {
    const shift = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(arms, shift, fc.double({ min: 0.01, max: 100, noNaN: true }), (people, by, unit) => {
        const moved = people.map((of) =>
          of.map((each) => ({ ...each, before: ((each.before ?? 0) + by) * unit })),
        );
        for (const difference of ["relative", "absolute"] as const) {
          const [plain, other] = [people, moved].map(([c, t]) =>
            estimateOf("mean", [sumsOf(c ?? []), sumsOf(t ?? [])], frequentist(difference)),
          ) as [ReturnType<typeof estimateOf>, ReturnType<typeof estimateOf>];
          sameEstimate(other, plain);
          nearly(other.variance, plain.variance, plain.variance);
        }
      }),
    );
  });

  it("are the plain ones where the covariate explains nothing", () => {
    // Everyone once with each of two earlier values: theta is exactly 0.
    const balanced = (values: readonly number[]) =>
      values.flatMap((value) => [0, 2].map((before): Person => ({ value, before })));
    const values = (max: number) => fc.array(fc.integer({ min: 0, max }), { minLength: 10, maxLength: 40 });
    const settings = fc.constantFrom<Settings[]>(
      frequentist("relative"),
      frequentist("absolute"),
      { ...frequentist("relative"), sequential: { tuning_parameter: 500 } },
      { method: "bayesian", difference_type: "relative", ci_level: 0.95, cuped: "adjusted_means" },
    );
    const types = fc.constantFrom("mean" as const, "funnel" as const);
    fc.assert(
      fc.property(types, values(9), values(9), settings, (type, a, b, setting) => {
        const of = (list: number[]) =>
          sumsOf(balanced([...list.map((v) => (type === "mean" ? v + 1 : v % 2)), 0, 1]));
        const samples = [of(a), of(b)] as const;
        const [adjusted, plain] = [setting, { ...setting, cuped: null }].map((each) =>
          compare(type, samples[0], samples[1], each),
        );
        if (adjusted?.status !== "ok" || plain?.status !== "ok") expect(adjusted?.status).toBe(plain?.status);
        else {
          expect(adjusted.cuped?.theta).toBeCloseTo(0, 12);
          sameEstimate(adjusted, plain);
          expect(adjusted.cuped?.variance_reduction).toBeCloseTo(0, 9);
        }
      }),
    );
  });

  it("differ absolutely as the public service's do", () => {
    fc.assert(
      fc.property(arms, ([control, variant]) => {
        const samples = [sumsOf(control), sumsOf(variant)] as const;
        sameEstimate(
          estimateOf("mean", samples, frequentist("absolute")),
          estimateOf("mean", samples, frequentist("absolute", "public_service")),
        );
      }),
    );
  });

  it("say how much of the estimate's variance went away", () => {
    const people = (shift: number) =>
      Array.from(
        { length: 200 },
        (_, i): Person => ({ value: 10 + shift + (i % 7) + (i % 3), before: i % 7 }),
      );
    const samples = [sumsOf(people(0)), sumsOf(people(0.4))] as const;
    for (const difference of ["relative", "absolute"] as const) {
      const adjusted = estimateOf("mean", samples, frequentist(difference));
      const plain = estimateOf("mean", samples, frequentist(difference, null));
      const stated = adjusted.cuped?.variance_reduction ?? Number.NaN;
      expect(stated).toBeGreaterThan(0.8);
      expect(stated).toBeCloseTo(1 - adjusted.variance / plain.variance, 12);
    }
  });

  it("keep a sliver of the variance where the past foretells everything", () => {
    const people = (lift: number) =>
      Array.from({ length: 100 }, (_, i): Person => ({ value: 5 + (i % 9) + lift, before: i % 9 }));
    const samples = [sumsOf(people(0)), sumsOf(people(1))] as const;
    const got = estimateOf("mean", samples, frequentist("absolute"));
    expect(got.effect).toBeCloseTo(1, 6);
    expect(got.variance).toBeGreaterThan(0);
    expect(got.cuped?.variance_reduction).toBeCloseTo(1, 2);
  });

  it("refuse a lift over an adjusted baseline that is not positive", () => {
    // The plain control mean is 0.5; at the common earlier value it would be below 0.
    const control = Array.from(
      { length: 100 },
      (_, i): Person => ({ value: (i % 2) * 1, before: 10 + (i % 2) }),
    );
    const variant = Array.from({ length: 100 }, (_, i): Person => ({ value: 1 + (i % 2), before: i % 2 }));
    const settings: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
    const raised = [...control, ...variant].map((each) => ({ ...each, value: each.value * 10 }));
    const [c, t] = [
      sumsOf(raised.slice(0, 100)),
      sumsOf(raised.slice(100).map((each) => ({ ...each, value: -each.value }))),
    ];
    expect(compare("mean", c, t, settings).status).toBe("ok");
    expect(compare("mean", c, t, { ...settings, cuped: "adjusted_means" })).toMatchObject({
      code: "control-mean-not-positive",
    });
  });
});

describe("the public service's estimator", () => {
  it("never leaves less variance than its floor", () => {
    const people = Array.from({ length: 100 }, (_, i): Person => ({ value: i % 9, before: i % 9 }));
    const samples = [sumsOf(people), sumsOf(people)] as const;
    const got = estimateOf("mean", samples, frequentist("absolute", "public_service"));
    expect(got.cuped?.adjusted_control_variance).toBe(1e-10);
    expect(got.variance).toBeCloseTo(2e-12, 20);
  });
});

/** Read once with 200 people in each variant, 2,000 times: where 5% are wrong, 3.4 to 6.6% are seen (99.9%). */
const EXPERIMENTS = 2000;
const PEOPLE = [200, 200] as const;

const readings = (["relative", "absolute"] as const).flatMap((difference_type): Settings[] => {
  const cuped = "adjusted_means";
  const fixed = { method: "frequentist", difference_type, alpha: 0.05, cuped } as const;
  return [
    fixed,
    { method: "bayesian", difference_type, ci_level: 0.95, cuped },
    { ...fixed, sequential: { tuning_parameter: 400 } },
  ];
});

const nameOf = (settings: Settings) =>
  `${settings.method === "frequentist" && settings.sequential ? "sequential" : settings.method}, ${settings.difference_type}`;

describe.each<[string, Population, number]>([
  ["revenue, correlation 0.93", revenue(0.93), REVENUE_MEAN],
  ["revenue, correlation 0.5", revenue(0.5), REVENUE_MEAN],
  ["revenue, correlation 0", revenue(0), REVENUE_MEAN],
  ["counts", counts, COUNT_MEAN],
  ["a funnel", funnel, FUNNEL_RATE],
])("CUPED of %s", (_, population, mean) => {
  const run = (lift: number, settings: readonly Settings[]) => {
    const truth = ({ difference_type }: Settings) => (difference_type === "relative" ? lift : lift * mean);
    return runTrials({ population, lift, sizes: PEOPLE }, settings, truth, EXPERIMENTS, 5);
  };

  it("raises false alarms as often as stated", () => {
    run(0, readings).forEach(({ significant: { bounds } }, i) => {
      const settings = readings[i] as Settings;
      const isSequential = settings.method === "frequentist" && settings.sequential;
      expect(bounds[0], nameOf(settings)).toBeLessThan(0.05);
      if (!isSequential) expect(bounds[1], nameOf(settings)).toBeGreaterThan(0.05);
    });
  });

  it("has intervals that contain a true lift as often as stated", () => {
    run(0.2, readings).forEach(({ covered: { bounds } }, i) => {
      const settings = readings[i] as Settings;
      expect(bounds[1], nameOf(settings)).toBeGreaterThan(0.95);
      if (settings.method === "bayesian" || !settings.sequential)
        expect(bounds[0], nameOf(settings)).toBeLessThan(0.95);
    });
  });
});

it("the public service's relative differences raise more than twice as many false alarms", () => {
  const settings = frequentist("relative", "public_service");
  const trial = { population: revenue(0.93), lift: 0, sizes: PEOPLE };
  const [got] = runTrials(trial, [settings], () => 0, EXPERIMENTS, 5);
  expect(got?.significant.bounds[0]).toBeGreaterThan(0.1);
});
