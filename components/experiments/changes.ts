import { exposureText } from "#components/experiments/metrics/exposure-words.ts";
import { metricName, metricText } from "#components/metrics/metric-words.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import { HIDE_PARAMETER } from "#lib/experiments/experiments/hiding.ts";
import {
  compareParts,
  differingParts,
  fieldsOf,
  METRIC,
  type MetricPart,
  PARAMETER,
  type Parts,
  partsOf,
  requestFields,
  SAVED_METRIC,
  withParts,
} from "#lib/experiments/experiments/lifecycle/parts.ts";
import type { ExperimentChange, ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { statsFacts } from "./stats-draft.ts";
import { conclusionWord } from "./status.ts";

/** How the experiment's record is read. */
export const callOf = (projectId: string, id: number) => ({
  params: { project_id: projectId, id: String(id) },
});

/** A change with the version it was made from, so that it cannot overwrite another one unseen. */
export const withVersion = (base: ExperimentRecord, body: ExperimentChange): ExperimentChange => ({
  ...body,
  version: base.version,
  original_experiment: base,
});

export const metricLines = (value: unknown) =>
  Array.isArray(value) && value.length > 0
    ? value
        .filter(isObject)
        .map((metric) => `${metricName(metric)}: ${metricText(metric)}`)
        .join("\n")
    : "None";

const statisticsLines = (config: Json | null): string[] =>
  statsFacts(config).map(({ term, value }) => `${term}: ${value}`);

const statisticsText = (config: Json | null): string => statisticsLines(config).join("\n");

/** The settings in which two statistics settings differ, of each. */
export function differingStatistics(before: Json | null, after: Json | null): [string, string] {
  const [old, next] = [statisticsLines(before), statisticsLines(after)];
  const only = (lines: string[], other: string[]) => lines.filter((line) => !other.includes(line)).join("\n");
  const [left, right] = [only(old, next), only(next, old)];
  // Settings without a text of their own are shown as stored.
  if (left === "" && right === "") return [JSON.stringify(before), JSON.stringify(after)];
  return [left || "Not set", right || "Not set"];
}

const dateText = (value: unknown) =>
  typeof value === "string" ? `${value.slice(0, 16).replace("T", " ")} UTC` : "None";
const yesNo = (value: unknown) => (value ? "Yes" : "No");
const plainText = (value: unknown) => (value ? String(value) : "None");
const numberText = (unit: string) => (value: unknown) =>
  typeof value === "number" ? `${plainNumber(value)}${unit}` : "Not planned";

/** Labels and texts of parts, in display order; other parts show their name and JSON. */
const WORDS: Readonly<Record<string, { what: string; text: (value: unknown, of: Named) => string }>> = {
  name: { what: "Name", text: plainText },
  description: { what: "Hypothesis", text: plainText },
  start_date: { what: "Start", text: dateText },
  end_date: { what: "End", text: dateText },
  [`${PARAMETER}feature_flag_variants`]: {
    what: "Split",
    text: (value) =>
      Array.isArray(value)
        ? value.map((one) => `${one.key} ${plainNumber(Number(one.rollout_percentage))}%`).join(", ")
        : "None",
  },
  holdout_id: {
    what: "Holdout",
    text: (id, { holdout }) =>
      id === null ? "None" : holdout && holdout.id === id ? holdout.name : `Holdout ${id}`,
  },
  exposure_criteria: {
    what: "Exposure",
    text: (value, { feature_flag_key }) => exposureText(isObject(value) ? value : null, feature_flag_key),
  },
  stats_config: { what: "Statistics", text: (value) => statisticsText(isObject(value) ? value : null) },
  [`${PARAMETER}minimum_detectable_effect`]: {
    what: "Minimum detectable effect",
    text: numberText("%"),
  },
  [`${PARAMETER}recommended_sample_size`]: { what: "People needed", text: numberText("") },
  [`${PARAMETER}recommended_running_time`]: { what: "Days needed", text: numberText("") },
  [`${PARAMETER}${HIDE_PARAMETER}`]: { what: "Metrics hidden until the planned sample", text: yesNo },
  conclusion: {
    what: "Conclusion",
    text: (value) => (value ? conclusionWord(value as NonNullable<ExperimentRecord["conclusion"]>) : "None"),
  },
  conclusion_comment: { what: "Comment", text: plainText },
  shipped_variant: { what: "Shipped variant", text: plainText },
  archived: { what: "Archived", text: yesNo },
  deleted: { what: "Deleted", text: yesNo },
};

/** The fields that people change; those of the flag and what follows from other fields are none. */
const FIELDS = new Set([
  ...Object.keys(WORDS),
  "parameters",
  "metrics",
  "metrics_secondary",
  "saved_metrics_ids",
]);

const partsIn = (fields: object): Parts =>
  partsOf(Object.fromEntries(Object.entries(fields).filter(([field]) => FIELDS.has(field))));

/** The parts of a record that name what others refer to. */
type Named = Pick<ExperimentRecord, "saved_metrics" | "holdout" | "feature_flag_key">;

/** One version of the experiment: its parts, and the record that names what they refer to. */
type Version = { parts: Parts; record: Named };

const versionOf = (record: ExperimentRecord): Version => ({ parts: partsIn(requestFields(record)), record });

const metricAt = (parts: Parts, part: string) => parts[part] as MetricPart | undefined;

const savedName = (part: string, { record }: Version) =>
  record.saved_metrics.find(({ saved_metric }) => `${SAVED_METRIC}${saved_metric}` === part)?.name;

function nameOf(part: string, before: Version, after: Version): string {
  if (part.startsWith(METRIC)) {
    const found = metricAt(after.parts, part) ?? metricAt(before.parts, part);
    return `Metric: ${metricName(found?.metric ?? {})}`;
  }
  if (part.startsWith(SAVED_METRIC))
    return `Saved metric: ${savedName(part, before) ?? savedName(part, after) ?? part.slice(SAVED_METRIC.length)}`;
  const plain = part.replace(PARAMETER, "").replaceAll("_", " ");
  return WORDS[part]?.what ?? plain.replace(/^./, (c) => c.toUpperCase());
}

const listText = (isSecondary: boolean) => (isSecondary ? "Secondary metric" : "Primary metric");

/** A part in words; null where a version has no such metric. */
function textOf(part: string, { parts, record }: Version): string | null {
  const value = parts[part];
  if (part.startsWith(METRIC)) {
    const found = metricAt(parts, part);
    return found
      ? `${listText(found.list === "metrics_secondary")}. ${metricLines([found.metric])}${found.metric.goal === "decrease" ? " Lower is better." : ""}`
      : null;
  }
  if (part.startsWith(SAVED_METRIC))
    return isObject(value) ? listText(isObject(value.metadata) && value.metadata.type === "secondary") : null;
  return WORDS[part]?.text(value ?? null, record) ?? JSON.stringify(value ?? null);
}

const ORDER = Object.keys(WORDS);
const inOrder = (parts: readonly string[]) =>
  [...parts].sort((a, b) => (ORDER.indexOf(a) + 1 || 99) - (ORDER.indexOf(b) + 1 || 99));

const inWords = (parts: readonly string[], before: Version, after: Version): Difference[] =>
  inOrder(parts).map((part) => ({
    what: nameOf(part, before, after),
    before: textOf(part, before),
    after: textOf(part, after),
  }));

/** What differs between two versions of an experiment, part by part, in words. */
export function listDifferences(before: ExperimentRecord, after: ExperimentRecord): Difference[] {
  const [old, next] = [versionOf(before), versionOf(after)];
  return inWords(differingParts(old.parts, next.parts), old, next);
}

/** Whether the changes of a logged field are described part by part. */
export const isWorded = (field: string): boolean => field === "saved_metrics" || FIELDS.has(field);

/** The same of some fields alone, as requests name them, where the record that they are of is not at hand. */
export function listFieldDifferences(before: Json, after: Json): Difference[] {
  const record = { saved_metrics: [], holdout: null, feature_flag_key: "the flag" };
  const [old, next] = [before, after].map((fields): Version => ({ parts: partsIn(fields), record }));
  return old && next ? inWords(differingParts(old.parts, next.parts), old, next) : [];
}

export type Conflict = {
  /** The experiment as it was when editing began. */
  base: ExperimentRecord;
  /** As it is now. */
  current: ExperimentRecord;
  /** What was to be saved. */
  body: ExperimentChange;
};

/** The three versions of a conflict, and which parts two people changed. */
function compare({ base, current, body }: Conflict) {
  const [before, now] = [versionOf(base), versionOf(current)];
  const mine: Version = { parts: partsIn({ ...requestFields(base), ...body }), record: base };
  return { now, mine, changes: compareParts(before.parts, now.parts, mine.parts) };
}

/** A part that two editors changed to different values. */
export type PartConflict = { part: string; what: string; theirs: string; mine: string };

const REMOVED = "Removed";

/** Parts that both changed to different values. */
export function findPartConflicts(conflict: Conflict): PartConflict[] {
  const { now, mine, changes } = compare(conflict);
  return inOrder(changes.conflicts).map((part) => ({
    part,
    what: nameOf(part, mine, now),
    theirs: textOf(part, now) ?? REMOVED,
    mine: textOf(part, mine) ?? REMOVED,
  }));
}

/** The differences a change makes to the current version, without parts that somebody else changed too. */
export function listOwnDifferences(conflict: Conflict): Difference[] {
  const { now, mine, changes } = compare(conflict);
  const differing = new Set(differingParts(now.parts, mine.parts));
  const own = changes.mine.filter((part) => !changes.conflicts.includes(part) && differing.has(part));
  return inWords(own, now, mine);
}

/**
 * A change on top of the current version: this editor's changes, except for the parts where the other value was
 * chosen.
 */
export function mergeChange(conflict: Conflict, theirs: ReadonlySet<string> = new Set()): ExperimentChange {
  const { now, mine, changes } = compare(conflict);
  const chosen = changes.mine.filter((part) => !theirs.has(part));
  const [before, after] = [fieldsOf(now.parts), fieldsOf(withParts(now.parts, mine.parts, chosen))];
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => canonical(value) !== canonical(before[field])),
  );
}
