import { compileComparison } from "#lib/evaluation/operators.ts";
import { YES } from "#lib/evaluation/verdict.ts";
import { filtersOf, type MetricSource, type SourceFilter } from "#lib/experiments/metric_schema.ts";

/** How the events of one unit become a number. */
export type SourceMath = "total" | "sum" | "avg" | "min" | "max" | "dau" | "unique_session" | "unique_group";

/** Which events count, and for what. */
export type Source = {
  /** Null: every event. */
  event: string | null;
  math: SourceMath;
  /** Property whose value is read: a number for sum, avg, min and max, else what is told apart. */
  property: string | null;
  /** Kind of group that unique_group tells apart. */
  group_type: string | null;
  /** Properties that `matches` is handed, in this order. */
  filtered: string[];
  /** Whether an event with these values of `filtered` counts; undefined where the property is not there. */
  matches: (values: readonly unknown[], at: number) => boolean;
};

/** Why no figures can be computed, for whoever reads the results. */
export class Unsupported extends Error {
  override name = "Unsupported";
}

/** Kinds of groups by index. */
export type GroupTypes = ReadonlyMap<number, string>;

const NUMERIC: ReadonlySet<string> = new Set(["sum", "avg", "min", "max"]);
const EVENT_FILTERS: ReadonlySet<string> = new Set(["event", "feature"]);

const everything = () => true;

function filterTest(filter: SourceFilter): (value: unknown, at: number) => boolean {
  const type = filter.type ?? "event";
  if (!EVENT_FILTERS.has(type))
    throw new Unsupported(
      `The filter on "${filter.key}" looks at the ${type}, not at the event: filters of metrics and exposures read what the event itself carries.`,
    );
  const { test, absent, problem } = compileComparison(filter.operator ?? "exact", filter.value, "complete");
  if (problem !== null) throw new Unsupported(`The filter on "${filter.key}" cannot be used: ${problem}`);
  return (value, at) => (value === undefined ? absent : test(value, at)) === YES;
}

/** Conditions that must all hold. @throws Unsupported */
export function compileFilters(filters: readonly SourceFilter[]): Pick<Source, "filtered" | "matches"> {
  const tests = filters.map(filterTest);
  if (tests.length === 0) return { filtered: [], matches: everything };
  return {
    filtered: filters.map(({ key }) => key),
    matches: (values, at) => tests.every((test, i) => test(values[i], at)),
  };
}

/**
 * What a metric's source says, ready to be asked about events.
 *
 * @throws Unsupported with the reason, where its figures cannot be had here
 */
export function compileSource(source: MetricSource, groupTypes: GroupTypes): Source {
  if (source.kind === "ActionsNode")
    throw new Unsupported("The metric counts an action; there are no actions here. Choose an event instead.");
  if (source.kind === "ExperimentDataWarehouseNode")
    throw new Unsupported(
      `The metric reads the warehouse table "${source.table_name}"; only captured events can be counted here.`,
    );
  const math = source.math ?? "total";
  if (math === "hogql")
    throw new Unsupported(
      "The metric is a HogQL expression; choose a count, or sum, avg, min or max of a property.",
    );
  const property = source.math_property ?? null;
  if (NUMERIC.has(math) && !property)
    throw new Unsupported(`The metric takes the ${math} of a property but does not name one.`);
  const index = source.math_group_type_index ?? 0;
  const group_type = math === "unique_group" ? (groupTypes.get(index) ?? null) : null;
  if (math === "unique_group" && group_type === null)
    throw new Unsupported(`The metric counts groups of type ${index}, and the project has no such type.`);
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
