import { SAMPLE_TYPES } from "#lib/engines/statistics/types.ts";
import { armsOf, boundAt } from "./judge.ts";
import type { Cost, Guardrail, GuardrailObservation } from "./types.ts";

/** Each side's error of the interval: both together 5%. */
const SIDE = 0.025;

/**
 * What a guardrail's change has cost over a ramp: of each step, the difference of both arms times the treated people
 * (or their denominators). The interval is that of the always-valid bounds, since the moment at which the ramp ended
 * was chosen by the same numbers.
 *
 * @param steps the last sums of every step that was compared
 */
export function costOf({ harm }: Pick<Guardrail, "harm">, steps: readonly GuardrailObservation[]): Cost {
  const sign = harm === "increase" ? 1 : -1;
  let [people, total, margin] = [0, 0, 0];
  for (const step of steps) {
    const arms = armsOf(step);
    if (!arms) continue;
    const isRatio = SAMPLE_TYPES[step.type].value === "ratio";
    const size = step.strata.reduce(
      (sum, { treatment }) => sum + (isRatio ? (treatment.denominator_sum ?? 0) : treatment.n),
      0,
    );
    const variance = arms.control_variance + arms.treatment_variance;
    people += step.strata.reduce((sum, { treatment }) => sum + treatment.n, 0);
    total += sign * size * (arms.treatment - arms.control);
    if (variance > 0) margin += size * Math.sqrt(variance) * boundAt(arms.both ** 2 / variance, SIDE);
  }
  return { people, total, interval: [total - margin, total + margin] };
}
