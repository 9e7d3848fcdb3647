import { type Simulated, simulate, type World } from "./simulation.ts";
import type { Settings } from "./types.ts";

/**
 * `npm run simulate [-- --experiments 10000 --seed 1]`: do the methods keep the error rates they state?
 * Prints a table and ends with status 1 where a rate that is foretold lies outside its bounds.
 */

const relative = { difference_type: "relative" } as const;
const absolute = { difference_type: "absolute" } as const;

/** Every way of reading an experiment, by what it is called in the table. */
const METHODS: readonly { readonly name: string; readonly settings: Settings }[] = [
  { name: "frequentist 5 %", settings: { method: "frequentist", ...absolute, alpha: 0.05 } },
  { name: "frequentist 5 %, relative", settings: { method: "frequentist", ...relative, alpha: 0.05 } },
  {
    name: "sequential 5 %",
    settings: { method: "frequentist", ...absolute, alpha: 0.05, sequential: { tuning_parameter: 5000 } },
  },
  { name: "Bayesian 95 %", settings: { method: "bayesian", ...relative, ci_level: 0.95 } },
  { name: "Bayesian 97.5 %", settings: { method: "bayesian", ...absolute, ci_level: 0.975 } },
];

const WORLDS: readonly World[] = [
  { metric: "conversion", lift: 0, days: 14, people_per_day: 150 },
  { metric: "revenue", lift: 0, days: 14, people_per_day: 100 },
  { metric: "revenue_per_order", lift: 0, days: 14, people_per_day: 100 },
  { metric: "conversion", lift: 0.25, days: 14, people_per_day: 150 },
  { metric: "revenue", lift: 0.05, days: 14, people_per_day: 100 },
];

const percent = (share: number | null) => (share === null ? "" : `${(100 * share).toFixed(1)} %`);

/** The formulas are of large samples: what they foretell may be off by this much and still be right. */
const APPROXIMATION = 0.006;

function judge({ expected, at_the_end, daily }: Simulated, isSequential: boolean, isNull: boolean): string {
  const outside = (foretold: number | null, [low, high]: readonly [number, number]) =>
    foretold !== null && (foretold < low - APPROXIMATION || foretold > high + APPROXIMATION);
  // Valid at every look means at most the stated rate; that it is less is no fault.
  if (expected.at_the_end === null) return "";
  if (isSequential && isNull) return daily.bounds[0] <= 0.05 ? "holds" : "BROKEN";
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
    const isSequential = settings.method === "frequentist" && Boolean(settings.sequential);
    return {
      experiment: world.lift === 0 ? "A/A" : `A/B +${100 * world.lift} %`,
      metric: world.metric,
      method: name,
      "read once": percent(result.at_the_end.rate),
      foretold: percent(result.expected.at_the_end),
      "read daily": percent(result.daily.rate),
      "foretold daily": percent(result.expected.daily),
      verdict: judge(result, isSequential, world.lift === 0),
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

const experiments = numberOf("experiments", 4000);
const seed = numberOf("seed", 1);
const rows = WORLDS.flatMap((world, i) => rowsOf(world, experiments, seed + i));
console.info(`${experiments} experiments each, seed ${seed}, 14 days; share of them called significant.`);
console.info(tableOf(rows));
console.info(
  "The public rule for a Bayesian result (chance to win above 95 % or below 5 %) is two one-sided tests: without\n" +
    "any effect 10 % of experiments are called significant by definition. A level of 97.5 % gives the usual 5 %.",
);
if (rows.some(({ verdict }) => verdict === "BROKEN")) process.exitCode = 1;
