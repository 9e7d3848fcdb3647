import { compileFilters, Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import {
  filtersOf,
  type MetricSource,
  type SourceMath,
} from "#lib/experiments/metric_kinds/metric-schema.ts";

/** Which events count, and for what. */
export type Source = {
  /** Null: every event. */
  event: string | null;
  math: SourceMath;
  /** Property whose value is read: a number for sum, avg, min and max, else what is counted distinct. */
  property: string | null;
  /** Group type that unique_group counts. */
  group_type: string | null;
  /** Properties that `matches` is handed, in this order. */
  filtered: string[];
  /** Whether an event with these values of `filtered` counts; undefined where the property is not there. */
  matches: (values: readonly unknown[], at: number) => boolean;
};

/** Kinds of groups by index. */
export type GroupTypes = ReadonlyMap<number, string>;

const NUMERIC: ReadonlySet<string> = new Set(["sum", "avg", "min", "max"]);
/**
 * Compiles a metric's source into a matcher of events.
 *
 * @throws Unsupported with the reason, where its figures cannot be had here
 */
export function compileSource(source: MetricSource, groupTypes: GroupTypes): Source {
  if (source.kind === "ActionsNode")
    throw new Unsupported("Actions are not supported. Choose an event for the metric instead.");
  if (source.kind === "ExperimentDataWarehouseNode")
    throw new Unsupported(
      `Warehouse tables such as "${source.table_name}" are not supported. Choose an event for the metric instead.`,
    );
  const math = source.math ?? "total";
  if (math === "hogql")
    throw new Unsupported(
      "HogQL expressions are not supported. Choose a count, or sum, avg, min or max of a property.",
    );
  const property = source.math_property ?? null;
  if (NUMERIC.has(math) && !property) throw new Unsupported(`The metric needs a math_property for ${math}.`);
  const index = source.math_group_type_index ?? 0;
  const group_type = math === "unique_group" ? (groupTypes.get(index) ?? null) : null;
  if (math === "unique_group" && group_type === null)
    throw new Unsupported(
      `The metric counts groups of type ${index}, but the project has no such group type.`,
    );
  return {
    event: source.event ?? null,
    math,
    property: math === "unique_session" ? "$session_id" : NUMERIC.has(math) ? property : null,
    group_type,
    ...compileFilters(filtersOf(source)),
  };
}

/** Larger numbers are no measurements, and their squares would leave the range of numbers. */
const LARGEST = 1e100;

/** A property as a number: texts that are one count too. @returns null for anything else */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Math.abs(value) <= LARGEST ? value : null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.trim() === "") return null;
  return numberOf(Number(value));
}
