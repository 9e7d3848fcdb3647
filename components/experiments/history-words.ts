import type { ActivityEntry } from "#lib/activity/schema.ts";
import { entryDifferences } from "#lib/app/activity/differences.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { isWorded, listFieldDifferences } from "./changes.ts";

type Changes = ActivityEntry["detail"]["changes"];

/** The act that a change of a field is, if it became so or no longer is; the first that fits names the entry. */
const ACTS: readonly [field: string, became: string, nolonger: string | null][] = [
  ["deleted", "deleted", "restored"],
  ["start_date", "launched", "reset"],
  ["conclusion", "concluded", "took back the conclusion of"],
  ["shipped_variant", "shipped a variant of", "no longer ships a variant of"],
  ["end_date", "stopped", "resumed"],
  ["archived", "archived", "unarchived"],
];

const isSet = (value: unknown) => value !== null && value !== undefined && value !== false;

function verbIn(changes: Changes): string | null {
  for (const [field, became, nolonger] of ACTS) {
    const change = changes.find((one) => one.field === field);
    // A date that is only corrected is no act.
    if (change && isSet(change.before) !== isSet(change.after))
      return isSet(change.after) ? became : nolonger;
  }
  return null;
}

/** Whether an experiment was launched as it was created. */
const isLaunch = ({ field, after }: Changes[number]) => field === "start_date" && isSet(after);

const side = (changes: Changes, which: "before" | "after") =>
  Object.fromEntries(
    changes.map(({ field, [which]: value }) => [
      field === "saved_metrics" ? "saved_metrics_ids" : field,
      value ?? null,
    ]),
  );

/** What somebody did to an experiment, and what differs, in words; null for entries about other records. */
export function readExperimentEntry(
  entry: ActivityEntry,
): { verb: string | null; differences: Difference[] } | null {
  if (entry.scope !== "Experiment") return null;
  const { changes } = entry.detail;
  const worded = changes.filter(({ field }) => isWorded(field));
  const others = {
    ...entry,
    detail: { ...entry.detail, changes: changes.filter((one) => !worded.includes(one)) },
  };
  return {
    verb:
      entry.activity === "updated" ? verbIn(changes) : changes.some(isLaunch) ? "created and launched" : null,
    differences: [
      ...listFieldDifferences(side(worded, "before"), side(worded, "after")),
      ...entryDifferences(others),
    ],
  };
}
