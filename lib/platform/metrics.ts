import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What this process counts, for Prometheus; lib/app/server/metrics.ts serves it. */
export const registry = new Registry();

const NAME = "switchyard_";

/** A count that only grows: add to `count`. */
export type Count = { count: number };

/**
 * Counts by labels, which have few different values: never a path, an id or anything else that clients choose. They are
 * plain numbers until somebody asks for them, so that counting costs nothing.
 *
 * @returns the count of some values of the labels, in their order; code that runs for every request keeps it
 */
export function counter<const L extends readonly string[]>(name: string, help: string, labelNames: L) {
  const series = new Map<string, Count & { values: readonly string[] }>();
  new Counter({
    name: NAME + name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { values, count } of series.values()) this.labels(...values).inc(count);
    },
  });
  return (...values: { [Name in keyof L]: string }): Count => {
    const key = values.join("\n");
    const found = series.get(key) ?? { count: 0, values };
    series.set(key, found);
    return found;
  };
}

/** How often something took, or was, so much. */
export const histogram = <L extends string = never>(
  name: string,
  help: string,
  { buckets, labelNames = [] }: { buckets: number[]; labelNames?: readonly L[] },
): Histogram<L> => new Histogram({ name: NAME + name, help, labelNames, buckets, registers: [registry] });

/**
 * A current value, set when somebody asks.
 *
 * @param more.aggregator how one figure is made of those of several processes
 * @param more.of the registry, where it is not this process's
 */
export const gauge = <L extends string = never>(
  name: string,
  help: string,
  {
    labelNames = [],
    aggregator = "sum",
    of = registry,
  }: { labelNames?: readonly L[]; aggregator?: "sum" | "max" | "min"; of?: Registry } = {},
): Gauge<L> => new Gauge({ name: NAME + name, help, labelNames, aggregator, registers: [of] });

/** Seconds that requests, statements and the like take. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
