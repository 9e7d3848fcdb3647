import { changesBetween, findConflictingFields } from "#lib/activity/changes.ts";
import type { ActivityChange } from "#lib/activity/schema.ts";
import type { Activity, Author } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { FLAG_FIELDS, type FlagUpdate } from "#lib/flags/feature_flags/schema.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { loggedNames, showValues } from "#lib/platform/fields-schema.ts";

/** How the log names the scheduled changes of a flag. */
export const SCHEDULES_FIELD = "scheduled_changes";

/** How the log names the values that are pinned for single people. */
export const PINS_FIELD = "pins";

/** What is kept beside a flag: entries of the log that name one of these as changed make no version. */
export const KEPT_BESIDE = ["test_cases", SCHEDULES_FIELD, PINS_FIELD];

/** The activity log entry of an action on a flag. */
export const flagEntry = (
  by: Author,
  flag: { id: number; key: string },
  activity: string,
): Omit<Activity, "changes"> => ({
  project_id: by.project_id,
  user_id: by.user_id,
  scope: "FeatureFlag",
  item_id: String(flag.id),
  activity,
  name: flag.key,
});

/** What an update changed, for the activity log; encrypted payloads are logged as changed, never shown. */
export function flagChanges(before: FlagRow, after: FlagRow): ActivityChange[] {
  const changes = changesBetween(
    "FeatureFlag",
    loggedNames(FLAG_FIELDS),
    showValues(FLAG_FIELDS, before),
    showValues(FLAG_FIELDS, after),
  );
  if (!before.has_encrypted_payloads && !after.has_encrypted_payloads) return changes;
  return changes.map((change) =>
    change.field === "filters"
      ? {
          ...change,
          before: change.before && redactFilters(change.before as Json),
          after: change.after && redactFilters(change.after as Json),
        }
      : change,
  );
}

/**
 * Fields that this request changes and somebody else has changed since editing began, to something else.
 * Nothing is checked without `version` and `original_flag`, nor when the version is still the stored one.
 */
export function conflictingFields(stored: FlagRow, update: FlagUpdate): string[] {
  const { version, original_flag: original, ...changes } = update;
  if (version === undefined || version === stored.version || !original) return [];
  return findConflictingFields(stored, original, changes);
}
