const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;
const STEP = 1_000;

/** A size as people say it: 1.2 GB. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)), UNITS.length - 1);
  const value = bytes / STEP ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${UNITS[power]}`;
}

/** A number of rows that the database estimates. */
export const aboutText = (rows: number): string =>
  rows < STEP
    ? rows.toLocaleString("en")
    : `about ${rows.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 })}`;

const WORDS: Readonly<Record<string, string>> = {
  activity_log: "Activity",
  cohort_people: "Members of cohorts",
  event_uuids: "Ids of events",
  event_definitions: "Names of events",
  experiment_units: "People in experiments",
  experiment_values: "Values in experiments",
  feature_flag_calls_daily: "Calls of flags by day",
  person_distinct_ids: "Ids of people",
  persons: "People",
  property_definitions: "Names of properties",
  property_values: "Values of properties",
  survey_moments: "Who saw which survey",
};

/** What a table holds, in words; its own name where it has none. */
export const tableText = (name: string): string =>
  WORDS[name] ?? (name[0] ?? "").toUpperCase() + name.slice(1).replaceAll("_", " ");

const WEEK_MS = 7 * 86_400_000;

/** Whether a backup is so old that somebody should be told. */
export const isOld = (date: string, now: number): boolean => now - Date.parse(date) > WEEK_MS;
