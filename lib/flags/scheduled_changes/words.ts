import { z } from "zod";
import { PARTS, type Part } from "#lib/flags/environments/parts-schema.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import type { Field } from "#lib/platform/fields-schema.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";
import type { ScheduledChange } from "./schema.ts";

type Payload = ScheduledChange["payload"];
type Values = Record<string, unknown>;
type Recurrence = Pick<ScheduledChange, "recurrence_interval" | "cron_expression">;

export const valuesIn = ({ value }: Payload): Values =>
  typeof value === "object" && value !== null ? (value as Values) : {};
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function labelOf(field: string): string {
  const { label }: Field = FLAG_FIELDS[field as keyof typeof FLAG_FIELDS] ?? {};
  return (label ?? (field === "filters" ? "targeting" : field)).toLowerCase();
}

const isPart = (name: unknown): name is Part => typeof name === "string" && Object.hasOwn(PARTS, name);

function promotionWords({ from_name, from_project, parts }: Values): string {
  const labels = listIn(parts)
    .filter(isPart)
    .map((part) => PARTS[part].label.toLowerCase());
  return `Promote ${labels.join(", ") || "its state"} from ${from_name ?? `project ${from_project}`}`;
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
    case "promote":
      return promotionWords(values);
    default:
      return `Change ${Object.keys(values).map(labelOf).join(", ")}`;
  }
}

const INTERVALS = { daily: "every day", weekly: "every week", monthly: "every month", yearly: "every year" };

/** How often it runs; null: once. */
export function recurrenceWords({ recurrence_interval, cron_expression }: Recurrence): string | null {
  if (recurrence_interval) return INTERVALS[recurrence_interval];
  if (cron_expression === null) return null;
  return /^\d+ \d+ \* \* 1-5$/.test(cron_expression) ? "on weekdays" : `by cron ${cron_expression}`;
}

/** Whether it recurs, and does not for now. */
export const isPaused = (schedule: Recurrence & Pick<ScheduledChange, "is_recurring">): boolean =>
  !schedule.is_recurring && recurrenceWords(schedule) !== null;

/** What the activity log holds of a schedule. */
export type LoggedSchedule = Pick<
  ScheduledChange,
  "id" | "payload" | "scheduled_at" | "is_recurring" | "end_date" | "timezone" | "guard"
> &
  Recurrence;

const logged = z.object({
  id: z.number(),
  payload: z.object({ operation: z.string(), value: z.unknown() }),
  scheduled_at: z.string(),
  is_recurring: z.boolean(),
  recurrence_interval: z.enum(["daily", "weekly", "monthly", "yearly"]).nullable(),
  cron_expression: z.string().nullable(),
  end_date: z.string().nullable(),
  timezone: z.string(),
  guard: z.boolean(),
});

/** A schedule as the log holds it; null for anything else. */
export const readLogged = (value: unknown): LoggedSchedule | null => logged.safeParse(value).data ?? null;

/** A schedule in one line: "Turn on: Sun, 29 Mar 2026, 09:00 CEST, every day". */
export function scheduleWords(schedule: LoggedSchedule): string {
  const { payload, scheduled_at, end_date, timezone, guard } = schedule;
  const recurrence = recurrenceWords(schedule);
  const facts = [
    formatMomentIn(Date.parse(scheduled_at), timezone),
    recurrence,
    recurrence && end_date && `until ${formatMomentIn(Date.parse(end_date), timezone)}`,
    isPaused(schedule) && "paused",
    guard && "guarded",
  ];
  return `${operationWords(payload)}: ${facts.filter(Boolean).join(", ")}`;
}
