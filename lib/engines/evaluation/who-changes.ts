import type { Subject } from "#lib/engines/evaluation/values/types.ts";
import type { CompiledFlags } from "./compiled.ts";
import { EvaluationContext } from "./evaluate.ts";

/** A flag's value; null when the flag does not exist. */
export type FlagValue = boolean | string | null;

/** How many subjects go from one value to another (or stay). */
interface ChangeCell {
  readonly before: FlagValue;
  readonly after: FlagValue;
  readonly count: number;
}

/** What a change of definitions does to a set of subjects. */
export interface WhoChanges {
  readonly total: number;
  /** Subjects whose value differs; a flag that does not exist counts as false. */
  readonly changed: number;
  /** One cell for every pair of values that occurs, the most frequent first. */
  readonly cells: readonly ChangeCell[];
}

/** A count under way. */
export interface WhoChangesState {
  readonly before: CompiledFlags | null;
  readonly after: CompiledFlags;
  readonly key: string;
  /** Its key in `before`. */
  readonly key_before: string;
  readonly cells: Map<string, { before: FlagValue; after: FlagValue; count: number }>;
}

/** Begins a count for one flag; `before` is null when the flag is new, `keyBefore` differs when it is renamed. */
export function startWhoChanges(
  before: CompiledFlags | null,
  after: CompiledFlags,
  key: string,
  keyBefore = key,
): WhoChangesState {
  return { before, after, key, key_before: keyBefore, cells: new Map() };
}

/**
 * Adds one subject to several counts. Flags that were compiled together are evaluated together.
 *
 * @returns whether any of the flags changes for the subject; no flag counts as false
 */
export function accumulateAll(states: readonly WhoChangesState[], subject: Subject): boolean {
  const contexts = new Map<CompiledFlags, EvaluationContext>();
  const valueIn = (flags: CompiledFlags | null, key: string): FlagValue => {
    const flag = flags?.by_key.get(key);
    if (!flags || !flag) return null;
    const context = contexts.get(flags) ?? new EvaluationContext(flags, subject);
    contexts.set(flags, context);
    return context.dependency(flag.index).value;
  };
  let changes = false;
  for (const state of states) {
    const before = valueIn(state.before, state.key_before);
    const after = valueIn(state.after, state.key);
    changes ||= (before ?? false) !== (after ?? false);
    const name = JSON.stringify([before, after]);
    const cell = state.cells.get(name);
    if (cell) cell.count += 1;
    else state.cells.set(name, { before, after, count: 1 });
  }
  return changes;
}

/** Adds one subject to a count. */
export const accumulate = (state: WhoChangesState, subject: Subject): boolean =>
  accumulateAll([state], subject);

/** The count so far. */
export function summarise(state: WhoChangesState): WhoChanges {
  const cells = [...state.cells.values()].map((cell) => ({ ...cell })).sort((a, b) => b.count - a.count);
  const sum = (of: readonly ChangeCell[]) => of.reduce((total, cell) => total + cell.count, 0);
  return {
    total: sum(cells),
    changed: sum(cells.filter((cell) => (cell.before ?? false) !== (cell.after ?? false))),
    cells,
  };
}

/** Counts how a change of definitions moves subjects between a flag's values. */
export function whoChanges(
  before: CompiledFlags | null,
  after: CompiledFlags,
  key: string,
  subjects: Iterable<Subject>,
): WhoChanges {
  const state = startWhoChanges(before, after, key);
  for (const subject of subjects) accumulate(state, subject);
  return summarise(state);
}
