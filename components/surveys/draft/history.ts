import { isObject } from "#lib/engines/json.ts";

/** States of a form since the last save: what undo goes back to, and redo forward to. */
export type History<T> = {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** The places of the texts that changed last, and when. */
  typed: { places: readonly string[]; at: number };
};

/** A longer pause in typing begins a new step. */
const PAUSE_MS = 1_000;
const STEPS_MAX = 200;

export const historyOf = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  typed: { places: [], at: 0 },
});

type Change = { path: (string | number)[]; isText: boolean };

const isText = (value: unknown) => typeof value === "string" || value === undefined;

/** Where two states differ; members that are undefined do not count. A list of another length is one difference. */
export function changesBetween(before: unknown, after: unknown, path: Change["path"] = []): Change[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((each, place) => changesBetween(each, after[place], [...path, place]));
  if (isObject(before) && isObject(after))
    return Object.keys({ ...before, ...after }).flatMap((name) =>
      changesBetween(before[name], after[name], [...path, name]),
    );
  return [{ path, isText: isText(before) && isText(after) }];
}

/**
 * Records a state; what is typed into one text without a pause is one step.
 *
 * @param at milliseconds
 */
export function record<T>(history: History<T>, next: T, at: number): History<T> {
  const changes = changesBetween(history.present, next);
  if (changes.length === 0) return history;
  const places = changes.filter((change) => change.isText).map(({ path }) => path.join("."));
  const { typed } = history;
  const [place, another] = changes.map(({ path }) => path.join("."));
  const goesOn = another === undefined && typed.places.includes(String(place)) && at - typed.at < PAUSE_MS;
  return {
    past: goesOn ? history.past : [...history.past, history.present].slice(-STEPS_MAX),
    present: next,
    future: [],
    typed: { places, at },
  };
}

const NOTHING_TYPED = { places: [], at: 0 };

/** One step back; null if there is none. */
export function undone<T>({ past, present, future }: History<T>): History<T> | null {
  const last = past.at(-1);
  return last === undefined
    ? null
    : { past: past.slice(0, -1), present: last, future: [present, ...future], typed: NOTHING_TYPED };
}

/** One step forward again; null if there is none. */
export function redone<T>({ past, present, future }: History<T>): History<T> | null {
  const [next, ...later] = future;
  return next === undefined
    ? null
    : { past: [...past, present], present: next, future: later, typed: NOTHING_TYPED };
}
