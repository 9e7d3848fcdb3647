import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import { FLAG_FIELDS, type FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { ScheduledChange } from "#lib/flags/scheduled_changes/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Field } from "#lib/platform/fields-schema.ts";
import { plural } from "#lib/platform/format.ts";

type Payload = ScheduledChange["payload"];
type Values = Record<string, unknown>;

const valuesIn = ({ value }: Payload): Values =>
  typeof value === "object" && value !== null ? (value as Values) : {};
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function labelOf(field: string): string {
  const { label }: Field = FLAG_FIELDS[field as keyof typeof FLAG_FIELDS] ?? {};
  return (label ?? (field === "filters" ? "targeting" : field)).toLowerCase();
}

/** What a schedule does to the flag. */
export function operationWords(payload: Payload): string {
  const { groups, variants, ...values } = valuesIn(payload);
  switch (payload.operation) {
    case "update_status":
      return payload.value ? "Turn on" : "Turn off";
    case "add_release_condition":
      return `Add ${plural(listIn(groups).length, "condition set")}`;
    case "update_variants":
      return `Change to ${plural(listIn(variants).length, "variant")}`;
    default:
      return `Change ${Object.keys(values).map(labelOf).join(", ")}`;
  }
}

/** What an update changes of the flag as it is now, one by one; empty for other operations. */
export function scheduledDifferences(flag: FlagRecord, payload: Payload, names: Names) {
  if (payload.operation !== "update") return [];
  const { filters, ...values } = valuesIn(payload);
  const isReadable = Array.isArray((filters as Values | undefined)?.groups);
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

const INTERVALS = { daily: "every day", weekly: "every week", monthly: "every month", yearly: "every year" };

/** How often it runs; null: once. */
export function recurrenceWords({
  recurrence_interval,
  cron_expression,
}: Pick<ScheduledChange, "recurrence_interval" | "cron_expression">): string | null {
  if (recurrence_interval) return INTERVALS[recurrence_interval];
  if (cron_expression === null) return null;
  return /^\d+ \d+ \* \* 1-5$/.test(cron_expression) ? "on weekdays" : `by cron ${cron_expression}`;
}

/** Whether it recurs, and does not for now. */
export const isPaused = (schedule: ScheduledChange): boolean =>
  !schedule.is_recurring && recurrenceWords(schedule) !== null;
