import { chiSquareUpper } from "./distributions.ts";

/** Exposures under which no split is judged. */
const FEWEST_EXPOSURES = 100;

/** Chance under which a split is called wrong: low, because it is asked every day. */
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
  variants: readonly { readonly key: string; readonly rollout_percentage: number }[],
  total_exposures: Readonly<Record<string, number>>,
  excluded: readonly string[] = [],
): SampleRatio | null {
  const used = variants.filter(
    ({ key, rollout_percentage }) => rollout_percentage > 0 && key !== MULTIPLE && !excluded.includes(key),
  );
  const counts = used.map(({ key }) =>
    Object.hasOwn(total_exposures, key) ? (total_exposures[key] ?? 0) : 0,
  );
  const total = counts.reduce((a, b) => a + b, 0);
  if (used.length < 2 || total < FEWEST_EXPOSURES) return null;
  const shares = used.reduce((sum, { rollout_percentage }) => sum + rollout_percentage, 0);
  const expected = used.map(({ rollout_percentage }) => (total * rollout_percentage) / shares);
  const chi_square = expected.reduce((sum, e, i) => sum + ((counts[i] ?? 0) - e) ** 2 / e, 0);
  const p_value = chiSquareUpper(chi_square, used.length - 1);
  return {
    chi_square,
    degrees_of_freedom: used.length - 1,
    p_value,
    expected_counts: Object.fromEntries(used.map(({ key }, i) => [key, expected[i] ?? 0])),
    mismatch: p_value < MISMATCH_BELOW,
  };
}
