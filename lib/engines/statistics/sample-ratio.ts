import { chiSquareUpper } from "./distributions.ts";

/** Exposures under which no split is judged. */
const FEWEST_EXPOSURES = 100;

/** p-value below which a split is called wrong: low, because it is checked every day. */
const MISMATCH_BELOW = 0.001;

/** The pseudo variant of units that saw several. */
export const MULTIPLE = "$multiple";

export interface SampleRatio {
  readonly chi_square: number;
  readonly degrees_of_freedom: number;
  /** Chance of a split at least this uneven if assignment works. */
  readonly p_value: number;
  /** Units that the shares would give to each variant. */
  readonly expected_counts: Readonly<Record<string, number>>;
  readonly mismatch: boolean;
}

interface Share {
  readonly key: string;
  readonly rollout_percentage: number;
}

/** A time in which one split was in force, and the units first exposed in it. */
export interface SplitPhase {
  /** Variants with their shares, percentages. */
  readonly variants: readonly Share[];
  /** Units by variant; a missing one has none. */
  readonly exposures: Readonly<Record<string, number>>;
}

/**
 * Whether units were split as configured: Pearson's chi-square of the counts against the shares. (Fabijan et
 * al., "Diagnosing sample ratio mismatch in online controlled experiments", KDD 2019.)
 *
 * Variants without a share, excluded ones and `$multiple` are left out; the other shares are rescaled, so a
 * holdout, which takes from all alike, changes nothing.
 *
 * @param variants of the flag, percentages
 * @param total_exposures units per variant; a missing one has none
 * @returns null with under 100 exposures or fewer than two variants to compare
 */
export function sampleRatioMismatch(
  variants: readonly Share[],
  total_exposures: Readonly<Record<string, number>>,
  excluded: readonly string[] = [],
): SampleRatio | null {
  const { used, counts, total, expected } = expectedOf(variants, total_exposures, excluded);
  if (used.length < 2 || total < FEWEST_EXPOSURES) return null;
  const chi_square = expected.reduce((sum, e, i) => sum + ((counts[i] ?? 0) - e) ** 2 / e, 0);
  return judged(chi_square, used.length - 1, countsBy(used, expected));
}

/** Units that variants with a share have, and should have. */
function expectedOf(
  variants: readonly Share[],
  exposures: Readonly<Record<string, number>>,
  excluded: readonly string[] = [],
) {
  const used = variants.filter(
    ({ key, rollout_percentage }) => rollout_percentage > 0 && key !== MULTIPLE && !excluded.includes(key),
  );
  const counts = used.map(({ key }) => (Object.hasOwn(exposures, key) ? (exposures[key] ?? 0) : 0));
  const total = counts.reduce((a, b) => a + b, 0);
  const shares = used.reduce((sum, { rollout_percentage }) => sum + rollout_percentage, 0);
  const expected = used.map(({ rollout_percentage }) => (total * rollout_percentage) / shares);
  return { used, counts, total, expected };
}

const countsBy = (variants: readonly Share[], counts: readonly number[]) =>
  Object.fromEntries(variants.map(({ key }, i) => [key, counts[i] ?? 0]));

function judged(
  chi_square: number,
  degrees_of_freedom: number,
  expected_counts: SampleRatio["expected_counts"],
): SampleRatio {
  const p_value = chiSquareUpper(chi_square, degrees_of_freedom);
  return { chi_square, degrees_of_freedom, p_value, expected_counts, mismatch: p_value < MISMATCH_BELOW };
}

/** The check of an experiment whose split may have changed while it ran. */
export interface PhasedSampleRatio {
  /** Null where no phase can be judged. */
  readonly all: SampleRatio | null;
  /** Each phase by itself; null where it has too few exposures, or nothing was split in it. */
  readonly phases: readonly (SampleRatio | null)[];
}

/**
 * Whether units were split as configured, each judged by the split in force when it was first exposed.
 *
 * Given how many units each phase has, its counts are multinomial with its own shares and independent of the other
 * phases. Each phase's Pearson statistic is therefore asymptotically chi-square with (variants - 1) degrees of
 * freedom, and their sum is chi-square with the sum of those (additivity of independent chi-squares). That is the
 * test here. The alternative, one statistic of all counts against the expected counts of all phases together, has no
 * chi-square distribution as soon as shares differ: counts of a mixture of multinomials vary less than those of one
 * multinomial with the average shares (the variance of phases with shares p_i is n Σ p_i(1 - p_i) ≤ N p̄(1 - p̄)), so
 * its p-values would be too large, and opposite errors of two phases would cancel. With one phase, both are the same.
 *
 * A phase is left out of the sum where it cannot be judged by itself: under 100 units, or a single variant. That
 * depends on how many units it has, not on how they were split, so it does not bias the p-value.
 *
 * `all.expected_counts` adds up all phases, those left out included, so that it sums to all units.
 */
export function phasedSampleRatio(phases: readonly SplitPhase[]): PhasedSampleRatio {
  const each = phases.map(({ variants, exposures }) => sampleRatioMismatch(variants, exposures));
  const known = each.filter((found) => found !== null);
  if (known.length === 0) return { all: null, phases: each };
  const expected: Record<string, number> = {};
  for (const { variants, exposures } of phases) {
    const found = expectedOf(variants, exposures);
    for (const [key, count] of Object.entries(countsBy(found.used, found.expected)))
      expected[key] = (expected[key] ?? 0) + count;
  }
  const sumOf = (of: (found: SampleRatio) => number) => known.reduce((sum, found) => sum + of(found), 0);
  const all = judged(
    sumOf(({ chi_square }) => chi_square),
    sumOf(({ degrees_of_freedom }) => degrees_of_freedom),
    expected,
  );
  return { all, phases: each };
}
