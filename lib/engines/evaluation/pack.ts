import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import type { CompiledFlag, PackedFlags } from "./compiled.ts";
import type { PropertyRow, Row } from "./match.ts";

/**
 * Lays out compiled flags for evaluation.
 *
 * @param flags in the order of the compiled set
 * @param rows those about the person, in the order of their slots
 */
export function packFlags(flags: readonly CompiledFlag[], rows: readonly PropertyRow[]): PackedFlags {
  const conditions = flags.flatMap((flag) => flag.conditions);
  const names = new Map<string, number>();
  for (const { key } of rows) if (!names.has(key)) names.set(key, names.size);
  return {
    settled: flags.map((flag) => flag.settled),
    is_plain: Uint8Array.from(flags, (flag) => (isPlain(flag) ? 1 : 0)),
    first_condition: startsOf(flags, (flag) => flag.conditions.length),
    first_word: startsOf(flags, (flag) => flag.prefix.words.length),
    prefix_length: Int32Array.from(flags, (flag) => flag.prefix.length),
    words: joined(flags.map((flag) => flag.prefix.words)),
    threshold: Float64Array.from(conditions, (condition) => condition.threshold),
    certain: conditions.map((condition) => condition.certain),
    unmatched: conditions.map((condition) => condition.unmatched),
    out_of_rollout: conditions.map((condition) => condition.out_of_rollout),
    first_row: startsOf(conditions, (condition) => condition.rows.length),
    slots: Int32Array.from(conditions.flatMap((condition) => condition.rows.map(slotOf))),
    texts: rows.map((row) => row.comparison.text),
    passes_if_equal: Uint8Array.from(rows, ({ comparison: { text, test } }) =>
      text !== null && test(text, 0) === YES ? 1 : 0,
    ),
    rows,
    property: Int32Array.from(rows, (row) => names.get(row.key) as number),
    names: [...names.keys()],
  };
}

const isPlain = (flag: CompiledFlag): boolean =>
  flag.pins === null &&
  !flag.by_group &&
  flag.enrollment === null &&
  flag.holdouts.length === 0 &&
  !flag.experience_continuity &&
  !flag.early_exit &&
  flag.conditions.every((condition) => condition.shares_source);

const slotOf = (row: Row): number => (row.kind === "property" ? row.slot : -1);

/** Where each part starts when parts of these lengths are laid end to end, and where the last one ends. */
function startsOf<T>(parts: readonly T[], lengthOf: (part: T) => number): Int32Array {
  const starts = new Int32Array(parts.length + 1);
  parts.forEach((part, i) => {
    starts[i + 1] = (starts[i] as number) + lengthOf(part);
  });
  return starts;
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const starts = startsOf(parts, (part) => part.length);
  const all = new Int32Array(starts[parts.length] as number);
  parts.forEach((part, i) => {
    all.set(part, starts[i]);
  });
  return all;
}
