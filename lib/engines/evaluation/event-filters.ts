import { compileComparison } from "./values/operators.ts";
import { YES } from "./values/verdict.ts";

/** A condition on a property of an event. */
export type EventFilter = {
  key: string;
  type?: string | null | undefined;
  operator?: string | null | undefined;
  value?: unknown;
};

/** What `matches` asks for: the values of `filtered`, in this order; undefined where the property is not there. */
export type CompiledFilters = {
  filtered: string[];
  matches: (values: readonly unknown[], at: number) => boolean;
};

/** Why no figures can be computed, for whoever reads the results. */
export class Unsupported extends Error {
  override name = "Unsupported";
}

const EVENT_FILTERS: ReadonlySet<string> = new Set(["event", "feature"]);

const everything = () => true;

function filterTest(filter: EventFilter): (value: unknown, at: number) => boolean {
  const type = filter.type ?? "event";
  if (!EVENT_FILTERS.has(type))
    throw new Unsupported(
      `The filter on "${filter.key}" looks at the ${type}, not at the event: filters of metrics and exposures can only use event properties.`,
    );
  const { test, absent, problem } = compileComparison(filter.operator ?? "exact", filter.value, "complete");
  if (problem !== null) throw new Unsupported(`The filter on "${filter.key}" cannot be used: ${problem}`);
  return (value, at) => (value === undefined ? absent : test(value, at)) === YES;
}

/** Conditions that must all hold. @throws Unsupported */
export function compileFilters(filters: readonly EventFilter[]): CompiledFilters {
  const tests = filters.map(filterTest);
  if (tests.length === 0) return { filtered: [], matches: everything };
  return {
    filtered: filters.map(({ key }) => key),
    matches: (values, at) => tests.every((test, i) => test(values[i], at)),
  };
}
