import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { ScheduledChange } from "#lib/flags/scheduled_changes/schema.ts";
import { valuesIn } from "#lib/flags/scheduled_changes/words.ts";
import type { Names } from "#lib/people/conditions/words.ts";

/** What an update changes of the flag as it is now, one by one; empty for other operations. */
export function scheduledDifferences(flag: FlagRecord, payload: ScheduledChange["payload"], names: Names) {
  if (payload.operation !== "update") return [];
  const { filters, ...values } = valuesIn(payload);
  const isReadable = Array.isArray((filters as Record<string, unknown> | undefined)?.groups);
  const after = { ...values, ...(isReadable && { filters: filters as FlagRecord["filters"] }) };
  return listFlagDifferences(flag, after, names);
}

/** What it would save, where that can be said before it runs; null where it depends on the flag as it is then. */
export function proposedBy({ record_id, payload }: ScheduledChange): Proposed | null {
  const id = Number(record_id);
  if (payload.operation === "update_status") return { id, active: payload.value === true };
  if (payload.operation !== "update") return null;
  const { key, active, filters, deleted } = valuesIn(payload) as Partial<Proposed>;
  return { id, key, active, filters, deleted };
}
