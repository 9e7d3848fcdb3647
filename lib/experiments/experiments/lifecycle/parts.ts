import { sameJson } from "#lib/activity/changes.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

/**
 * What two people can change independently of each other, by name: each field, and one by one each of the parameters
 * (`parameters.note`), metrics (`metric.<uuid>`) and saved metrics (`saved_metric.<id>`).
 */
export type Parts = Readonly<Record<string, unknown>>;

export const PARAMETER = "parameters.";
export const METRIC = "metric.";
export const SAVED_METRIC = "saved_metric.";

const LISTS = ["metrics", "metrics_secondary"] as const;

/** A metric and the list that it is in. */
export type MetricPart = { list: (typeof LISTS)[number]; metric: Json };

const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The fields of a record, as requests name them. */
export function requestFields(record: Json): Json {
  const { saved_metrics, ...rest } = record;
  if (!Array.isArray(saved_metrics)) return rest;
  const links = objectsIn(saved_metrics).map(({ saved_metric, metadata }) => ({
    id: saved_metric,
    metadata,
  }));
  return { ...rest, saved_metrics_ids: links };
}

/** Fields, taken apart. */
export function partsOf(fields: Json): Parts {
  const { parameters, metrics, metrics_secondary, saved_metrics_ids, ...rest } = fields;
  const own = LISTS.flatMap((list) =>
    objectsIn(fields[list]).map(({ fingerprint: _, ...metric }, i) => [
      `${METRIC}${metric.uuid ?? `${list}.${i}`}`,
      { list, metric },
    ]),
  );
  return {
    ...rest,
    ...Object.fromEntries(
      Object.entries(isObject(parameters) ? parameters : {}).map(([name, value]) => [
        `${PARAMETER}${name}`,
        value,
      ]),
    ),
    ...Object.fromEntries(own),
    ...Object.fromEntries(objectsIn(saved_metrics_ids).map((use) => [`${SAVED_METRIC}${use.id}`, use])),
  };
}

/** The reverse of `partsOf`; parts without a value are left out. */
export function fieldsOf(parts: Parts): Json {
  const present = Object.entries(parts).filter(([, value]) => value !== undefined);
  const under = (prefix: string) => present.filter(([name]) => name.startsWith(prefix));
  const metricsOf = (wanted: string) =>
    under(METRIC).flatMap(([, part]) => {
      const { list, metric } = part as MetricPart;
      return list === wanted ? [metric] : [];
    });
  const isPlain = (name: string) =>
    ![PARAMETER, METRIC, SAVED_METRIC].some((prefix) => name.startsWith(prefix));
  return {
    ...Object.fromEntries(present.filter(([name]) => isPlain(name))),
    parameters: Object.fromEntries(
      under(PARAMETER).map(([name, value]) => [name.slice(PARAMETER.length), value]),
    ),
    metrics: metricsOf("metrics"),
    metrics_secondary: metricsOf("metrics_secondary"),
    saved_metrics_ids: under(SAVED_METRIC).map(([, use]) => use),
  };
}

/** Names of the parts that differ. */
export const differingParts = (before: Parts, after: Parts): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameJson(before[name] ?? null, after[name] ?? null),
  );

/**
 * What one editor changed of a version, and which of that somebody else changed too, to something else.
 *
 * @param base the version that both began with
 */
export function compareParts(base: Parts, current: Parts, wanted: Parts) {
  const theirs = new Set(differingParts(base, current));
  const mine = differingParts(base, wanted);
  const differs = new Set(differingParts(current, wanted));
  return { mine, conflicts: mine.filter((name) => theirs.has(name) && differs.has(name)) };
}

/** A version with some parts of another one. */
export const withParts = (current: Parts, from: Parts, names: Iterable<string>): Parts => ({
  ...current,
  ...Object.fromEntries([...names].map((name) => [name, from[name]])),
});

/** The field of a request that holds a part. */
export function fieldOfPart(name: string): string {
  if (name.startsWith(METRIC)) return "metrics";
  return name.startsWith(SAVED_METRIC) ? "saved_metrics_ids" : name;
}
