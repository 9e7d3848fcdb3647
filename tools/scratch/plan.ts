import { plannedPower, plannedSize } from "#lib/engines/statistics/planning/planning.ts";
import { counts, revenue } from "#lib/engines/statistics/simulation/people.ts";
import { runTrials, storedOf } from "#lib/engines/statistics/simulation/trials.ts";
import { CUPED_ESTIMATORS, type Settings } from "#lib/engines/statistics/types.ts";
const [n, stored_n, seed, seed2] = process.argv.slice(2).map(Number) as [number, number, number, number];
const methods = [
  { name: "freq", settings: { method: "frequentist", alpha: 0.05 } },
  { name: "bayes", settings: { method: "bayesian", ci_level: 0.95 } },
];
const winsor = process.argv[6] === "capped" ? { upper_bound_percentile: 0.95 } : null;
for (const cuped of [null, CUPED_ESTIMATORS[0]])
  for (const difference_type of ["relative", "absolute"])
    for (const { name, settings: m } of methods.slice(1)) {
      const population = revenue(0.6);
      const stored = storedOf({ population, winsor }, stored_n, seed);
      const settings = { ...m, difference_type, cuped } as Settings;
      const input = { ...stored, settings, shares: { control: 0.5, variant: 0.5 } };
      const half = Math.ceil((plannedSize(input, 0.15) ?? 0) / 2);
      const shown = plannedPower(input, 0.15, 2 * half) ?? 0;
      const [got] = runTrials({ population, winsor, lift: 0.15, sizes: [half, half] }, [settings], () => 0.15, n, seed2);
      const rate = got?.significant.rate ?? 0;
      const b = stored.baseline; const mean = b.sum / b.n;
      console.info(name, cuped, difference_type, 2 * half, "shown", (100 * shown).toFixed(2), "found", (100 * rate).toFixed(2), "se", (100 * Math.sqrt(rate * (1 - rate) / n)).toFixed(2), "diff", (100 * (rate - shown)).toFixed(2), "var", (b.sum_squares / b.n - mean ** 2).toFixed(1), "mean", mean.toFixed(3));
    }
