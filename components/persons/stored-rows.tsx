import { formatCount, plural } from "#lib/platform/format.ts";

/** What the tables with data of a person hold, in words; in the order in which it is shown. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  persons: ["Profile with its properties", "Profiles with their properties"],
  person_distinct_ids: ["Distinct id", "Distinct ids"],
  events: ["Event", "Events"],
  survey_responses: ["Survey response", "Survey responses"],
  survey_person_days: ["Day of survey activity", "Days of survey activity"],
  experiment_units: ["Experiment participation", "Experiment participations"],
  cohort_people: ["Static cohort membership", "Static cohort memberships"],
  feature_flag_hash_key_overrides: ["Stored flag assignment", "Stored flag assignments"],
  feature_flag_pins: ["Pinned flag value", "Pinned flag values"],
  feature_flag_test_cases: ["Flag test case", "Flag test cases"],
};

const orderOf = (table: string) => {
  const at = Object.keys(WORDS).indexOf(table);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
};

/** Numbers of rows by table, in words. */
export function StoredRows({ rows, label }: { rows: Readonly<Record<string, number>>; label: string }) {
  const shown = Object.entries(rows)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => orderOf(a) - orderOf(b));
  return (
    <ul aria-label={label} className="divide-y rounded-md border bg-sunken text-sm">
      {shown.map(([table, count]) => {
        const [one, many] = WORDS[table] ?? [table, table];
        return (
          <li key={table} className="flex items-baseline justify-between gap-4 px-3 py-1.5">
            <span>{count === 1 ? one : many}</span>
            <span className="font-medium tabular-nums">{formatCount(count)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** How many rows that are. */
export const totalRows = (rows: Readonly<Record<string, number>>): string =>
  plural(
    Object.values(rows).reduce((sum, count) => sum + count, 0),
    "row",
  );
