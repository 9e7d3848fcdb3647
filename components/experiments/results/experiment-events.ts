/** The parts of a log entry that matter here. */
type Entry = {
  readonly activity: string;
  readonly created_at: string;
  readonly detail: { readonly changes: readonly { readonly field: string }[] };
};

/** Fields whose changes can affect a result. */
const TELLING: Readonly<Record<string, string>> = {
  metrics: "Metrics changed",
  metrics_secondary: "Secondary metrics changed",
  saved_metrics: "Saved metrics changed",
  saved_metrics_ids: "Saved metrics changed",
  stats_config: "Statistics changed",
  exposure_criteria: "Exposure changed",
  parameters: "Parameters changed",
  holdout_id: "Holdout changed",
};

/** More marks than these would hide the lines. */
const MOST_EDITS = 6;

/**
 * Launch, edits and end of an experiment, oldest first, for the time charts.
 *
 * @param entries of its activity log, in any order; empty where the key may not read that
 */
export function listExperimentEvents(
  experiment: { readonly start_date: string | null; readonly end_date: string | null },
  entries: readonly Entry[],
): { at: string; label: string }[] {
  const { start_date: start, end_date: end } = experiment;
  if (start === null) return [];
  const edits = new Map<string, { at: string; label: string }>();
  for (const { activity, created_at, detail } of entries) {
    if (activity !== "updated" || created_at < start) continue;
    for (const { field } of detail.changes) {
      const label = TELLING[field];
      const day = created_at.slice(0, 10);
      if (label) edits.set(`${day} ${label}`, { at: day, label });
    }
  }
  const latest = [...edits.values()].sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-MOST_EDITS);
  return [
    { at: start.slice(0, 10), label: "Launched" },
    ...latest,
    ...(end === null ? [] : [{ at: end.slice(0, 10), label: "Stopped" }]),
  ];
}
