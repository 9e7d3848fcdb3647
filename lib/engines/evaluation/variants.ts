import { asList, asRecord, asText, percentOf } from "#lib/engines/evaluation/values/json.ts";

/** The arms of a flag laid end to end on the unit interval, in list order. */
export interface VariantTable {
  readonly keys: readonly string[];
  /** Where each arm starts (included) and ends (excluded): running sums of percent / 100, as doubles. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The arm that takes everyone, so that no hash is needed; -1 when there is none. */
  readonly certain: number;
}

/** Lays out a flag's variants; entries without a key are left out. */
export function variantTable(multivariate: unknown): VariantTable {
  const keys: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const entry of asList(asRecord(multivariate)?.variants)) {
    const variant = asRecord(entry);
    const key = asText(variant?.key);
    if (!variant || key === null) continue;
    keys.push(key);
    starts.push(end);
    end += percentOf(variant.rollout_percentage, 0) / 100;
    ends.push(end);
  }
  const certain = starts.findIndex((start, i) => start <= 0 && (ends[i] as number) > 1);
  return { keys, starts, ends, certain: certain === -1 ? soleVariant(starts, ends) : certain };
}

/** The place of the arm a hash falls in, -1 when the arms do not reach that far. */
export function variantAt(table: VariantTable, hash: number): number {
  for (let i = 0; i < table.keys.length; i++) {
    if (hash >= (table.starts[i] as number) && hash < (table.ends[i] as number)) return i;
  }
  return -1;
}

/** An arm of exactly 100%: only a hash of exactly 1, one in 2^54, would fall past its end. */
function soleVariant(starts: readonly number[], ends: readonly number[]): number {
  return starts.findIndex((start, i) => start === 0 && ends[i] === 1);
}
