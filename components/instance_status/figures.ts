import { formatCompact, formatCount, formatNumber, plural } from "#lib/platform/format.ts";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;
const STEP = 1_000;

/** A size as people say it: 1.2 GB. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)), UNITS.length - 1);
  const value = bytes / STEP ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return `${formatNumber(Number(value.toFixed(digits)))} ${UNITS[power]}`;
}

/** An estimated number of rows. */
export const aboutText = (rows: number): string =>
  rows < STEP ? formatCount(rows) : `about ${formatCompact(rows)}`;

const WORDS: Readonly<Record<string, string>> = {
  activity_log: "Activity",
  cohort_people: "Cohort members",
  event_uuids: "Event ids",
  event_definitions: "Event names",
  experiment_units: "People in experiments",
  experiment_values: "Experiment values",
  feature_flag_calls_daily: "Daily flag calls",
  person_distinct_ids: "Distinct ids",
  persons: "People",
  property_definitions: "Property names",
  property_values: "Property values",
  survey_moments: "Who saw which survey",
};

/** What a table contains; its name if there is no label. */
export const tableText = (name: string): string =>
  WORDS[name] ?? (name[0] ?? "").toUpperCase() + name.slice(1).replaceAll("_", " ");

const PERIODS = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

/** A period after "every": "day", "6 hours". */
export function periodText(seconds: number): string {
  const [size, name] = PERIODS.find(([size]) => seconds % size === 0) ?? [1, "second"];
  return seconds === size ? name : plural(seconds / size, name);
}

const WEEK_MS = 7 * 86_400_000;

/** Whether a backup is so old that it needs a warning. */
export const isOld = (date: string, now: number): boolean => now - Date.parse(date) > WEEK_MS;
