import type { Reply, Service } from "./service.ts";

export const ROOT = "/api/projects/1/experiments/";
export const FLAGS = "/api/projects/1/feature_flags/";

let made = 0;

/** A body with a unique name and flag key, and further fields. */
export const experimentBody = (fields: Record<string, unknown> = {}) => {
  made += 1;
  return { name: `Experiment ${made}`, feature_flag_key: `experiment-${made}`, ...fields };
};

/** Returns the JSON of a call that must succeed. */
export async function done(reply: Promise<Reply>) {
  const { status, json, text } = await reply;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return json;
}

export const createExperiment = (service: Service, fields: Record<string, unknown> = {}) =>
  done(service.api("POST", ROOT, experimentBody(fields)));

/** A flag with variants of equal shares. */
export const createFlag = (service: Service, key: string, variants: string[], more = {}) =>
  done(
    service.api("POST", FLAGS, {
      key,
      filters: {
        groups: [{ properties: [], rollout_percentage: 100 }],
        multivariate: {
          variants: variants.map((name) => ({ key: name, rollout_percentage: 100 / variants.length })),
        },
      },
      ...more,
    }),
  );

/** A metric of the mean count of an event. */
export const meanOf = (event: string, more: Record<string, unknown> = {}) => ({
  kind: "ExperimentMetric",
  metric_type: "mean",
  source: { kind: "EventsNode", event },
  ...more,
});
