import { MULTIPLE, type PhasedSampleRatio, phasedSampleRatio } from "#lib/engines/statistics/sample-ratio.ts";
import { isSameSplit, type Phase } from "#lib/experiments/experiments/lifecycle/phases.ts";
import type { Figures } from "#lib/experiments/results/days/series.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";

/** A phase of the split with the units first exposed in it, by variant. */
type ExposedPhase = Phase & { exposures: Map<string, number> };

export type Split = { phases: ExposedPhase[]; check: PhasedSampleRatio };

const added = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) => {
  const sums = new Map(a);
  for (const [key, units] of b) sums.set(key, (sums.get(key) ?? 0) + units);
  return sums;
};

/**
 * How units were split, and whether that agrees with the shares in force when each was first exposed. A phase in
 * which nobody was exposed is left out, unless it is the only one or still lasts; so a change that
 * was undone at once leaves one phase, not three.
 *
 * Units that saw several variants are left out of the check, as they are of all comparisons.
 */
export function checkSplit(
  { phases, plan }: Pick<Prepared, "phases" | "plan">,
  { phase_units }: Pick<Figures, "phase_units">,
): Split {
  const shown: ExposedPhase[] = [];
  for (const [i, phase] of phases.entries()) {
    const exposures = phase_units[i] ?? new Map<string, number>();
    const lasts = i === phases.length - 1 && phase.to === null;
    if (exposures.size === 0 && phases.length > 1 && !lasts) continue;
    const open = shown.at(-1);
    if (open && isSameSplit(open.variants, phase.variants))
      Object.assign(open, { ...phase, from: open.from, exposures: added(open.exposures, exposures) });
    else shown.push({ ...phase, exposures });
  }
  const used =
    shown.length > 0 ? shown : phases.slice(-1).map((phase) => ({ ...phase, exposures: new Map() }));
  const check = phasedSampleRatio(
    used.map(({ variants, exposures }) => ({
      // Variants that were removed later do not count.
      variants: variants.filter(({ key }) => plan.variants.includes(key)),
      exposures: Object.fromEntries([...exposures].filter(([key]) => key !== MULTIPLE)),
    })),
  );
  return { phases: used, check };
}
