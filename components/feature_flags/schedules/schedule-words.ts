import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { withSettings } from "#lib/flags/environments/drift.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { ScheduledChange } from "#lib/flags/scheduled_changes/schema.ts";
import { valuesIn } from "#lib/flags/scheduled_changes/words.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The fields that an update or a promotion sets; null for what depends on the flag as it is then in other ways. */
function fieldsSetBy(flag: FlagRecord, payload: ScheduledChange["payload"]): Record<string, unknown> | null {
  const { change, parts, ...values } = valuesIn(payload);
  if (payload.operation === "update") return values;
  if (payload.operation !== "promote" || !isObject(change) || !Array.isArray(parts)) return null;
  const { filters, ...fields } = change;
  return isObject(filters) ? { ...fields, filters: withSettings(flag.filters, filters, parts) } : fields;
}

/** What an update or a promotion changes of the flag as it is now, one by one; empty for other operations. */
export function scheduledDifferences(flag: FlagRecord, payload: ScheduledChange["payload"], names: Names) {
  const set = fieldsSetBy(flag, payload);
  if (!set) return [];
  const { filters, ...values } = set;
  const isReadable = Array.isArray((filters as Record<string, unknown> | undefined)?.groups);
  const after = { ...values, ...(isReadable && { filters: filters as FlagRecord["filters"] }) };
  return listFlagDifferences(flag, after, names);
}

/** What it would save, where that can be said before it runs; null where it depends on the flag as it is then. */
export function proposedBy(flag: FlagRecord, { payload }: ScheduledChange): Proposed | null {
  const { id } = flag;
  if (payload.operation === "update_status") return { id, active: payload.value === true };
  const set = fieldsSetBy(flag, payload) as Partial<Proposed> | null;
  if (!set) return null;
  const { key, active, filters, deleted } = set;
  return { id, key, active, filters, deleted };
}
