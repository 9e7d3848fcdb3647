import { canonical } from "#lib/platform/canonical.ts";

/** Names of the fields in which two states of the same thing differ. */
export function changedFields<T extends object>(before: T, after: T): (keyof T)[] {
  const fields = Object.keys({ ...before, ...after }) as (keyof T)[];
  return fields.filter((field) => canonical(before[field]) !== canonical(after[field]));
}

/**
 * One's own changes on top of somebody else's version: field by field, one's own win.
 *
 * @param base the version that both began with
 */
export function mergeChanges<T extends object>(base: T, current: T, mine: T): T {
  const own = changedFields(base, mine).map((field) => [field, mine[field]]);
  return { ...current, ...Object.fromEntries(own) };
}
