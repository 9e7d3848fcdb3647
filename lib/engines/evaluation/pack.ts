import type { Evaluation } from "#lib/engines/evaluation/values/types.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import type { CompiledFlag, PackedFlags, PackedRows } from "./compiled.ts";
import type { PropertyRow, Row } from "./match.ts";

type Writable = {
  -readonly [K in keyof PackedFlags]: PackedFlags[K] extends readonly (infer E)[] ? E[] : PackedFlags[K];
};

/** Lays out compiled flags, in their order, for evaluation. */
export function packFlags(flags: readonly CompiledFlag[]): PackedFlags {
  const conditions = flags.flatMap((flag) => flag.conditions);
  const first_condition = startsOf(flags, (flag) => flag.conditions.length);
  const first_word = startsOf(flags, (flag) => flag.prefix.words.length);
  const first_row = startsOf(conditions, (condition) => condition.rows.length);
  const packed: Writable = {
    settled: new Array<Evaluation | null>(flags.length),
    is_plain: new Uint8Array(flags.length),
    first_condition,
    first_word,
    prefix_length: Int32Array.from(flags, (flag) => flag.prefix.length),
    words: new Int32Array(first_word.at(-1) ?? 0),
    threshold: new Float64Array(conditions.length),
    certain: new Array<Evaluation | null>(conditions.length),
    unmatched: new Array<Evaluation>(conditions.length),
    out_of_rollout: new Array<Evaluation>(conditions.length),
    first_row,
    slots: new Int32Array(first_row.at(-1) ?? 0),
  };
  for (const [index, flag] of flags.entries()) {
    packed.words.set(flag.prefix.words, first_word[index]);
    put(packed, flag, index);
  }
  return packed;
}

/**
 * As `packFlags`, when some flags were replaced.
 *
 * @param before the layout of the same flags but those at `places`, whose keys are what they were
 */
export function repackFlags(
  before: PackedFlags,
  flags: readonly CompiledFlag[],
  places: readonly number[],
): PackedFlags {
  if (!places.every((index) => fits(before, flags[index] as CompiledFlag, index))) return packFlags(flags);
  const packed: Writable = {
    ...before,
    settled: before.settled.slice(),
    is_plain: before.is_plain.slice(),
    threshold: before.threshold.slice(),
    certain: before.certain.slice(),
    unmatched: before.unmatched.slice(),
    out_of_rollout: before.out_of_rollout.slice(),
    slots: before.slots.slice(),
  };
  for (const index of places) put(packed, flags[index] as CompiledFlag, index);
  return packed;
}

/** Whether a flag has as many conditions and rows as the one that was laid out at its place. */
function fits(
  { first_condition, first_row }: PackedFlags,
  { conditions }: CompiledFlag,
  index: number,
): boolean {
  const first = first_condition[index] as number;
  return (
    first_condition[index + 1] === first + conditions.length &&
    conditions.every(
      ({ rows }, n) => first_row[first + n + 1] === (first_row[first + n] as number) + rows.length,
    )
  );
}

function put(packed: Writable, flag: CompiledFlag, index: number): void {
  packed.settled[index] = flag.settled;
  packed.is_plain[index] = isPlain(flag) ? 1 : 0;
  for (const [n, condition] of flag.conditions.entries()) {
    const place = (packed.first_condition[index] as number) + n;
    packed.threshold[place] = condition.threshold;
    packed.certain[place] = condition.certain;
    packed.unmatched[place] = condition.unmatched;
    packed.out_of_rollout[place] = condition.out_of_rollout;
    packed.slots.set(condition.rows.map(slotOf), packed.first_row[place]);
  }
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
  for (const [i, part] of parts.entries()) starts[i + 1] = (starts[i] as number) + lengthOf(part);
  return starts;
}

/**
 * Lays out the rows about the person, in the order of their slots.
 *
 * @param before the layout of the first of them; null: of none
 */
export function packRows(all: ReadonlyMap<string, PropertyRow>, before: PackedRows | null): PackedRows {
  const known = before?.rows.length ?? 0;
  if (before && known === all.size) return before;
  const rows = [...all.values()];
  const added = rows.slice(known);
  const names = [...new Set([...(before?.names ?? []), ...added.map((row) => row.key)])];
  const places = new Map(names.map((name, place) => [name, place]));
  const passes_if_equal = new Uint8Array(rows.length);
  const property = new Int32Array(rows.length);
  if (before) {
    passes_if_equal.set(before.passes_if_equal);
    property.set(before.property);
  }
  for (const [i, { key, comparison }] of added.entries()) {
    const { text, test } = comparison;
    passes_if_equal[known + i] = text !== null && test(text, 0) === YES ? 1 : 0;
    property[known + i] = places.get(key) as number;
  }
  const texts = [...(before?.texts ?? []), ...added.map((row) => row.comparison.text)];
  return { rows, texts, passes_if_equal, property, names };
}
