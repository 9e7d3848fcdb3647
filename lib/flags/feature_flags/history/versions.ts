import type { ActivityEntry } from "#lib/activity/schema.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { type Field, loggedNames } from "#lib/platform/fields-schema.ts";

type Fields = Record<string, unknown>;

/** What a version stores of a flag, with what stands for nothing: a switch is off, other fields are as in a new flag. */
export const EMPTY: Fields = Object.fromEntries(
  loggedNames(FLAG_FIELDS, "restorable").map((name) => {
    const { initial = null }: Field = FLAG_FIELDS[name];
    return [name, typeof initial === "boolean" ? false : initial];
  }),
);

/** A flag as one save left it. */
export type Version<E> = { entry: E; version: number | null; flag: Fields };

type Saved = Pick<ActivityEntry, "activity"> & { detail: Pick<ActivityEntry["detail"], "changes"> };

/**
 * The states of a flag, newest first, found by taking back what the log says that each save changed.
 *
 * @param current the flag as it is stored now, secrets masked as the log masks them
 * @param entries the log of the flag from its newest entry on, without a gap, newest first
 */
export function versionsOf<E extends Saved>(current: Fields, entries: readonly E[]): Version<E>[] {
  let version = typeof current.version === "number" ? current.version : null;
  let flag: Fields = Object.fromEntries(
    Object.entries(EMPTY).map(([field, empty]) => [field, current[field] ?? empty]),
  );
  return entries.map((entry) => {
    const state = { entry, version, flag };
    for (const { field, before } of entry.detail.changes) {
      if (field === "version") version = typeof before === "number" ? before : null;
      if (field in EMPTY) flag = { ...flag, [field]: before ?? EMPTY[field] };
    }
    return state;
  });
}
