import type { Json } from "#lib/engines/json.ts";
import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import { unitCount } from "#lib/experiments/results/unit-words.ts";
import { plural } from "#lib/platform/format.ts";

/** Source of a plan's variance, as stored with the experiment. */
export type PlanSource =
  | { kind: "stored_events"; people: number; days: number; standard_deviation: number }
  | { kind: "rule_of_thumb" };

/** Stored parameters may hold anything: null unless it is a source. */
export function readSource(value: unknown): PlanSource | null {
  if (typeof value !== "object" || value === null) return null;
  const source = value as Json;
  if (source.kind === "rule_of_thumb") return { kind: "rule_of_thumb" };
  const { people, days, standard_deviation } = source;
  const areNumbers = [people, days, standard_deviation].every((each) => typeof each === "number");
  return source.kind === "stored_events" && areNumbers ? (value as PlanSource) : null;
}

/** Source of a plan's variance, in words. */
export const sourceText = (source: PlanSource, unit = "person"): string =>
  source.kind === "rule_of_thumb"
    ? "Rule of thumb: no events stored yet"
    : `${unitCount(source.people, unit)} in the last ${plural(source.days, "day")}`;

/** The standard deviation, in words; null if unknown. */
export const spreadText = (source: PlanSource): string | null =>
  source.kind === "rule_of_thumb" ? null : plainNumber(source.standard_deviation);
