import type { ActivityEntry } from "#lib/activity/schema.ts";

/** What a version stores of a flag: what can be restored. */
const VERSION_FIELDS = [
  "key",
  "name",
  "filters",
  "active",
  "ensure_experience_continuity",
  "tags",
  "evaluation_tags",
  "has_enriched_analytics",
  "is_remote_configuration",
  "has_encrypted_payloads",
  "evaluation_runtime",
] as const;

type Fields = Record<string, unknown>;

/** What the log has nothing for, as it is stored. */
const EMPTY: Fields = {
  name: "",
  tags: [],
  evaluation_tags: [],
  active: false,
  ensure_experience_continuity: false,
  has_enriched_analytics: false,
  is_remote_configuration: false,
  has_encrypted_payloads: false,
  evaluation_runtime: "all",
};

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
    VERSION_FIELDS.map((field) => [field, current[field] ?? EMPTY[field]]),
  );
  return entries.map((entry) => {
    const state = { entry, version, flag };
    for (const { field, before } of entry.detail.changes) {
      if (field === "version") version = typeof before === "number" ? before : null;
      if (VERSION_FIELDS.some((known) => known === field))
        flag = { ...flag, [field]: before ?? EMPTY[field] ?? null };
    }
    return state;
  });
}
