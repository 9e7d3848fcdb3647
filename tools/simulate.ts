import { plannedPower, plannedSize } from "#lib/engines/statistics/planning/planning.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import { type RampWorld, simulateRamps } from "#lib/engines/statistics/ramps/simulate.ts";
import {
  COUNT_MEAN,
  counts,
  FUNNEL_RATE,
  funnel,
  REVENUE_MEAN,
  retention,
  revenue,
  revenuePerOrder,
} from "#lib/engines/statistics/simulation/people.ts";
import { type Simulated, simulate, type World } from "#lib/engines/statistics/simulation/simulation.ts";
import { type Frequency, runTrials, storedOf } from "#lib/engines/statistics/simulation/trials.ts";
import { CUPED_ESTIMATORS, type Settings } from "#lib/engines/statistics/types.ts";

/**
 * `npm run simulate [-- --experiments 10000 --seed 1]`: do the methods keep the error rates they state?
 * Prints a table and exits with 1 if a predicted rate lies outside its bounds.
 */

const relative = { difference_type: "relative" } as const;
const absolute = { difference_type: "absolute" } as const;

/** Every way of analysing an experiment, by its name in the table. */
const METHODS: readonly { readonly name: string; readonly settings: Settings }[] = [
  { name: "frequentist 5%", settings: { method: "frequentist", ...absolute, alpha: 0.05 } },
  { name: "frequentist 5%, relative", settings: { method: "frequentist", ...relative, alpha: 0.05 } },
  {
    name: "sequential 5%",
    settings: { method: "frequentist", ...absolute, alpha: 0.05, sequential: { tuning_parameter: 5000 } },
  },
  { name: "Bayesian 95%", settings: { method: "bayesian", ...relative, ci_level: 0.95 } },
  { name: "Bayesian 97.5%", settings: { method: "bayesian", ...absolute, ci_level: 0.975 } },
];

const WORLDS: readonly World[] = [
  { metric: "conversion", lift: 0, days: 14, people_per_day: 150 },
  { metric: "revenue", lift: 0, days: 14, people_per_day: 100 },
  { metric: "revenue_per_order", lift: 0, days: 14, people_per_day: 100 },
  { metric: "conversion", lift: 0.25, days: 14, people_per_day: 150 },
  { metric: "revenue", lift: 0.05, days: 14, people_per_day: 100 },
];

const percent = (share: number | null, digits = 1) =>
  share === null ? "" : `${(100 * share).toFixed(digits)}%`;

/** The formulas are for large samples: their predictions may be off by this much. */
const APPROXIMATION = 0.006;

function judge({ expected, at_the_end, daily }: Simulated, isAlwaysValid: boolean, isNull: boolean): string {
  const outside = (foretold: number | null, [low, high]: readonly [number, number]) =>
    foretold !== null && (foretold < low - APPROXIMATION || foretold > high + APPROXIMATION);
  // Valid at every look means at most the stated rate; a lower rate is fine.
  if (expected.at_the_end === null) return "";
  if (isAlwaysValid && isNull) return daily.bounds[0] <= 0.05 ? "holds" : "BROKEN";
  return outside(expected.at_the_end, at_the_end.bounds) || outside(expected.daily, daily.bounds)
    ? "BROKEN"
    : "as foretold";
}

function rowsOf(world: World, experiments: number, seed: number) {
  const results = simulate(
    world,
    METHODS.map(({ settings }) => settings),
    experiments,
    seed,
  );
  return METHODS.map(({ name, settings }, i) => {
    const result = results[i] as Simulated;
    return {
      experiment: world.lift === 0 ? "A/A" : `A/B +${100 * world.lift}%`,
      metric: world.metric,
      method: name,
      "read once": percent(result.at_the_end.rate),
      foretold: percent(result.expected.at_the_end),
      "read daily": percent(result.daily.rate),
      "foretold daily": percent(result.expected.daily),
      verdict: judge(result, isSequential(settings), world.lift === 0),
    };
  });
}

/** Rows under one another, columns as wide as they need. */
function tableOf(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? "").length)));
  return lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")).join("\n");
}

function numberOf(name: string, fallback: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? fallback : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`--${name} takes a whole number above 0`);
  return value;
}

/** Ways of analysing an experiment once. */
const READINGS: readonly { readonly name: string; readonly settings: Settings; readonly stated: number }[] = [
  { name: "frequentist 5%", settings: { method: "frequentist", ...relative, alpha: 0.05 }, stated: 0.05 },
  { name: "Bayesian 95%", settings: { method: "bayesian", ...relative, ci_level: 0.95 }, stated: 0.05 },
  {
    name: "sequential 5%",
    settings: { method: "frequentist", ...relative, alpha: 0.05, sequential: { tuning_parameter: 5000 } },
    stated: 0.05,
  },
];

const isSequential = (settings: Settings) =>
  settings.method === "frequentist" && Boolean(settings.sequential);

/** The delta method of relative differences is for large samples: with 200 people it errs by up to a point. */
const SMALL_SAMPLES = 0.01;

const CUPED_LIFT = 0.2;

/** CUPED with 200 people a variant: false positives without an effect, and coverage of a true one. */
function cupedRows(experiments: number, seed: number) {
  const worlds = [
    { name: "revenue, correlation 0.93", population: revenue(0.93), mean: REVENUE_MEAN },
    { name: "revenue, correlation 0.5", population: revenue(0.5), mean: REVENUE_MEAN },
    { name: "revenue, correlation 0", population: revenue(0), mean: REVENUE_MEAN },
    { name: "counts", population: counts, mean: COUNT_MEAN },
    { name: "funnel", population: funnel, mean: FUNNEL_RATE },
  ];
  const readings = READINGS.flatMap(({ settings, ...rest }) =>
    (["relative", "absolute"] as const).flatMap((difference_type) =>
      CUPED_ESTIMATORS.map((cuped) => ({
        ...rest,
        settings: { ...settings, difference_type, cuped } as Settings,
      })),
    ),
  );
  return worlds.flatMap(({ name, population, mean }) => {
    const run = (lift: number) =>
      runTrials(
        { population, lift, sizes: [200, 200] },
        readings.map(({ settings }) => settings),
        ({ difference_type }) => (difference_type === "relative" ? lift : lift * mean),
        experiments,
        seed,
      );
    const [without, withLift] = [run(0), run(CUPED_LIFT)];
    return readings.map(({ name: method, settings, stated }, i) => {
      const alarms = without[i]?.significant ?? NEVER;
      const covered = withLift[i]?.covered ?? NEVER;
      const isKnownWrong = settings.cuped === "public_service" && settings.difference_type === "relative";
      const isTooMany = alarms.bounds[0] - SMALL_SAMPLES > stated || covered.bounds[1] + SMALL_SAMPLES < 0.95;
      const isTooFew = alarms.bounds[1] + SMALL_SAMPLES < stated || covered.bounds[0] - SMALL_SAMPLES > 0.95;
      const isBroken = isTooMany || (isTooFew && !isSequential(settings));
      return {
        CUPED: name,
        estimator: settings.cuped ?? "",
        difference: settings.difference_type,
        method,
        "false alarms": percent(alarms.rate),
        stated: percent(stated),
        "interval holds the truth": percent(covered.rate),
        verdict: isKnownWrong ? "known to be wrong" : isBroken ? "BROKEN" : "holds",
      };
    });
  });
}

const NEVER: Frequency = { rate: 0, bounds: [0, 0] };

/** By how much the measured power may differ from the planned one. */
const TWO_POINTS = 0.02;
/** A difference is judged where chance alone hardly ever makes so large a one in any of the table's rows. */
const STANDARD_ERRORS = 4;
const PLANNED_LIFT = 0.15;
const capped = { upper_bound_percentile: 0.95 };

/** Plans made from stored values of 300,000 people, and how often experiments of that size find the effect. */
function planRows(experiments: number, seed: number) {
  const worlds = [
    ...[null, capped].flatMap((winsor) =>
      [revenue(0.6), counts].flatMap((population) =>
        [null, CUPED_ESTIMATORS[0]].map((cuped) => ({ population, winsor, cuped })),
      ),
    ),
    ...[null, CUPED_ESTIMATORS[0]].map((cuped) => ({ population: funnel, winsor: null, cuped })),
    { population: revenuePerOrder, winsor: null, cuped: null },
    { population: retention, winsor: null, cuped: null },
  ];
  return worlds.flatMap(({ population, winsor, cuped }) => {
    const stored = storedOf({ population, winsor }, 300_000, seed);
    return (["relative", "absolute"] as const).flatMap((difference_type) =>
      READINGS.map(({ name, settings: method }) => {
        const settings = { ...method, difference_type, cuped } as Settings;
        const input = { ...stored, settings, shares: { control: 0.5, variant: 0.5 } };
        const half = Math.ceil((plannedSize(input, PLANNED_LIFT) ?? 0) / 2);
        const shown = plannedPower(input, PLANNED_LIFT, 2 * half) ?? 0;
        const trial = { population, winsor, lift: PLANNED_LIFT, sizes: [half, half] as const };
        const [got] = runTrials(trial, [settings], () => PLANNED_LIFT, experiments, seed);
        const { rate: found } = got?.significant ?? NEVER;
        const error = Math.sqrt((shown * (1 - shown)) / experiments);
        const isWrong = Math.abs(found - shown) > TWO_POINTS;
        return {
          plan: population.name,
          capped: winsor ? "at 95%" : "",
          CUPED: cuped ? "yes" : "",
          difference: difference_type,
          method: name,
          people: String(2 * half),
          "power shown": percent(shown),
          found: percent(found),
          "standard error": percent(error, 2),
          verdict:
            STANDARD_ERRORS * error > TWO_POINTS ? "too few to say" : isWrong ? "BROKEN" : "as planned",
        };
      }),
    );
  });
}

const RAMP_ALPHA = 0.05;

/** Whole ramps, looked at after every event: how often each kind is stopped, and after how many hours. */
function rampRows(ramps: number, seed: number) {
  const plan = (shares: readonly number[]): RampWorld["plan"] => ({
    steps: shares.map((share) => ({ shares: { "0": share }, hold: { hours: 12 } })),
    guardrails: [
      { id: "errors", harm: "increase", margin: 0, action: "roll_back" },
      { id: "orders", harm: "decrease", margin: 0, action: "pause" },
    ],
    alpha: RAMP_ALPHA,
  });
  const common = { before: { shares: { "0": 0 } }, people_per_hour: 100, errors: 0.1, orders: 0.1 };
  const none = { errors: 0, orders: 0 };
  const worlds: readonly { readonly name: string; readonly world: RampWorld }[] = [
    { name: "5, 25, 50, 100%", world: { ...common, plan: plan([5, 25, 50, 100]), lifts: none } },
    { name: "50, 100%", world: { ...common, plan: plan([50, 100]), lifts: none } },
    { name: "10, 90%, rare errors", world: { ...common, errors: 0.01, plan: plan([10, 90]), lifts: none } },
    { name: "50, 100%, busy people", world: { ...common, orders: 1, plan: plan([50, 100]), lifts: none } },
    ...[0.5, 1, 3].map((errors) => ({
      name: `5, 25, 50, 100%, ${100 * errors}% more errors`,
      world: { ...common, plan: plan([5, 25, 50, 100]), lifts: { errors, orders: 0 } },
    })),
  ];
  return worlds.map(({ name, world }) => {
    const isNull = world.lifts.errors === 0;
    const stops = simulateRamps(world, isNull ? ramps : Math.ceil(ramps / 10), seed);
    const stopped = stops.filter(({ stopped_by }) => stopped_by !== null);
    const hours = stopped.map((stop) => stop.hours).sort((a, b) => a - b);
    const [low, high] = wilsonInterval(stopped.length, stops.length, 0.999);
    return {
      ramp: name,
      ramps: String(stops.length),
      stopped: percent(stopped.length / stops.length, 2),
      bounds: `${percent(low, 2)} to ${percent(high, 2)}`,
      stated: isNull ? percent(RAMP_ALPHA) : "",
      "hours until stopped": (hours[Math.floor(hours.length / 2)] ?? 0).toFixed(1),
      verdict: isNull ? (low <= RAMP_ALPHA ? "holds" : "BROKEN") : "",
    };
  });
}

const experiments = numberOf("experiments", 4000);
const seed = numberOf("seed", 1);
const rows = WORLDS.flatMap((world, i) => rowsOf(world, experiments, seed + i));
console.info(
  `${experiments} experiments each, seed ${seed}, 14 days; share of them whose interval excludes zero.`,
);
console.info(tableOf(rows));
const cuped = cupedRows(experiments, seed);
console.info(
  `\nCUPED, 200 people a variant, read once; intervals with a true effect of ${100 * CUPED_LIFT}%.`,
);
console.info(tableOf(cuped));
const planned = 2 * experiments;
const plans = planRows(planned, seed);
console.info(
  `\nPlans for an effect of ${100 * PLANNED_LIFT}% with a chance of 80%, read once; ${planned} experiments each. ` +
    `They may be off by ${100 * TWO_POINTS} points.`,
);
console.info(tableOf(plans));
const ramps = rampRows(experiments, seed);
console.info("\nRamps, 100 people an hour, two guardrails, looked at after every event.");
console.info(tableOf(ramps));
if ([...rows, ...cuped, ...plans, ...ramps].some(({ verdict }) => verdict === "BROKEN")) process.exitCode = 1;
