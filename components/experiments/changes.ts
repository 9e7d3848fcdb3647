import { exposureText } from "#components/experiments/metrics/exposure-words.ts";
import { metricName, metricText } from "#components/experiments/metrics/metric-words.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { plainNumber } from "#lib/engines/statistics/words.ts";
import type { ExperimentChange, ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { HIDE_PARAMETER } from "./hide-parameter.ts";
import { writeUses } from "./saved-uses.ts";
import { statsFacts } from "./stats-draft.ts";
import { conclusionWord } from "./status.ts";

/** A change with the version it was made from, so that it cannot overwrite another one unseen. */
export const withVersion = (base: ExperimentRecord, body: ExperimentChange): ExperimentChange => ({
  ...body,
  version: base.version,
  original_experiment: base,
});

const PARAMETER = "parameters.";

/** The parts of an experiment that can be changed one by one: its fields, and each of its parameters. */
type Parts = Readonly<Record<string, unknown>>;

const withoutPrints = (metrics: unknown) =>
  Array.isArray(metrics) ? metrics.filter(isObject).map(({ fingerprint: _, ...metric }) => metric) : metrics;

const SINGLE = [
  "name",
  "description",
  "start_date",
  "end_date",
  "holdout_id",
  "exposure_criteria",
  "stats_config",
  "conclusion",
  "conclusion_comment",
  "shipped_variant",
  "archived",
  "deleted",
] as const;

const parametersIn = (parameters: unknown): Parts =>
  Object.fromEntries(
    Object.entries(isObject(parameters) ? parameters : {}).map(([name, value]) => [
      `${PARAMETER}${name}`,
      value,
    ]),
  );

/** The parts of a record. */
const partsOf = (record: ExperimentRecord): Parts => ({
  ...Object.fromEntries(SINGLE.map((field) => [field, record[field]])),
  metrics: withoutPrints(record.metrics),
  metrics_secondary: withoutPrints(record.metrics_secondary),
  saved_metrics_ids: writeUses(
    record.saved_metrics.map(({ saved_metric, metadata, name, query }) => ({
      id: saved_metric,
      metadata,
      name,
      query,
    })),
  ),
  ...parametersIn(record.parameters),
});

/** The parts that a change sends. */
function sentParts(body: ExperimentChange): Parts {
  const { parameters, version: _, original_experiment: __, metrics, metrics_secondary, ...rest } = body;
  return {
    ...rest,
    ...(metrics !== undefined && { metrics: withoutPrints(metrics) }),
    ...(metrics_secondary !== undefined && { metrics_secondary: withoutPrints(metrics_secondary) }),
    ...parametersIn(parameters),
  };
}

const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);

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
const WORDS: Readonly<
  Record<string, { what: string; text: (value: unknown, of: ExperimentRecord) => string }>
> = {
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
  metrics: { what: "Primary metrics", text: metricLines },
  metrics_secondary: { what: "Secondary metrics", text: metricLines },
  saved_metrics_ids: {
    what: "Saved metrics",
    text: (value, { saved_metrics }) =>
      Array.isArray(value) && value.length > 0
        ? value
            .map(({ id, metadata }) => {
              const name = saved_metrics.find((one) => one.saved_metric === id)?.name ?? `Saved metric ${id}`;
              return `${name} (${metadata?.type ?? "primary"})`;
            })
            .join("\n")
        : "None",
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

const nameOf = (part: string) =>
  WORDS[part]?.what ??
  part
    .replace(PARAMETER, "")
    .replaceAll("_", " ")
    .replace(/^./, (c) => c.toUpperCase());

const textOf = (part: string, value: unknown, of: ExperimentRecord) =>
  WORDS[part]?.text(value ?? null, of) ?? JSON.stringify(value ?? null);

const ORDER = Object.keys(WORDS);
const inOrder = (parts: Iterable<string>) =>
  [...new Set(parts)].sort((a, b) => (ORDER.indexOf(a) + 1 || 99) - (ORDER.indexOf(b) + 1 || 99));

/** What differs between two versions of an experiment, part by part, in words. */
export function listDifferences(before: ExperimentRecord, after: ExperimentRecord): Difference[] {
  const [old, next] = [partsOf(before), partsOf(after)];
  return inOrder([...Object.keys(old), ...Object.keys(next)])
    .filter((part) => !same(old[part], next[part]))
    .map((part) => ({
      what: nameOf(part),
      before: textOf(part, old[part], before),
      after: textOf(part, next[part], after),
    }));
}

/** A part that two editors changed to different values. */
export type FieldConflict = { part: string; what: string; base: string; theirs: string; mine: string };

export type Conflict = {
  /** The experiment as it was when editing began. */
  base: ExperimentRecord;
  /** As it is now. */
  current: ExperimentRecord;
  /** What was to be saved. */
  body: ExperimentChange;
};

const minePartsOf = ({ base, body }: Pick<Conflict, "base" | "body">): [string, unknown][] => {
  const before = partsOf(base);
  return Object.entries(sentParts(body)).filter(([part, value]) => !same(value, before[part]));
};

/** Parts that both changed to different values. */
export function findFieldConflicts(conflict: Conflict): FieldConflict[] {
  const { base, current } = conflict;
  const [before, now] = [partsOf(base), partsOf(current)];
  const mine = new Map(minePartsOf(conflict));
  return inOrder(mine.keys())
    .filter((part) => !same(now[part], before[part]) && !same(now[part], mine.get(part)))
    .map((part) => ({
      part,
      what: nameOf(part),
      base: textOf(part, before[part], base),
      theirs: textOf(part, now[part], current),
      mine: textOf(part, mine.get(part), current),
    }));
}

/** The differences a change makes to the current version, without fields that somebody else changed too. */
export function listOwnDifferences(conflict: Conflict): Difference[] {
  const { current } = conflict;
  const now = partsOf(current);
  const conflicting = new Set(findFieldConflicts(conflict).map(({ part }) => part));
  const mine = new Map(
    minePartsOf(conflict).filter(([part, value]) => !conflicting.has(part) && !same(value, now[part])),
  );
  return inOrder(mine.keys()).map((part) => ({
    what: nameOf(part),
    before: textOf(part, now[part], current),
    after: textOf(part, mine.get(part), current),
  }));
}

/**
 * A change on top of the current version: this editor's changes, except for the parts where the other value was
 * chosen.
 */
export function mergeChange(conflict: Conflict, theirs: ReadonlySet<string>): ExperimentChange {
  const { current, body } = conflict;
  const chosen = minePartsOf(conflict).filter(([part]) => !theirs.has(part));
  const isParameter = ([part]: [string, unknown]) => part.startsWith(PARAMETER);
  const parameters = chosen.filter(isParameter);
  const fields = new Set(chosen.filter((one) => !isParameter(one)).map(([part]) => part));
  return {
    ...Object.fromEntries(Object.entries(body).filter(([field]) => fields.has(field))),
    ...(parameters.length > 0 && {
      parameters: {
        ...current.parameters,
        ...Object.fromEntries(parameters.map(([part, value]) => [part.slice(PARAMETER.length), value])),
      },
    }),
  };
}
