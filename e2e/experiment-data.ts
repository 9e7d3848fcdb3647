import { type APIRequestContext, expect } from "@playwright/test";
import type { Api } from "./service.ts";

const HOUR = 3_600_000;

/** How people of a variant behave: how many, and every how many-th of them pays. */
export type Behaviour = { people: number; everyNthPays: number };

const event = (name: string, more: Record<string, unknown> = {}) => ({
  kind: "EventsNode",
  event: name,
  ...more,
});

const METRICS = [
  {
    kind: "ExperimentMetric",
    metric_type: "funnel",
    name: "Paid order",
    goal: "increase",
    series: [event("order_paid")],
  },
  {
    kind: "ExperimentMetric",
    metric_type: "mean",
    name: "Waiting time",
    goal: "decrease",
    source: event("order_paid", { math: "sum", math_property: "seconds" }),
  },
];

type Made = { id: number; name: string; feature_flag_key: string; parameters: Record<string, unknown> };

/** An experiment that has run for some days, with people who saw it and what they did. */
export async function runningExperiment(
  api: Api,
  request: APIRequestContext,
  project: { id: number; api_token: string },
  options: { name: string; days: number; sample: number; variants: Record<string, Behaviour> } & Record<
    string,
    unknown
  >,
): Promise<Made> {
  const { name, days, sample, variants, ...more } = options;
  const flag = name.toLowerCase().replaceAll(" ", "-");
  const start = Date.now() - days * 24 * HOUR;
  const made = await api("POST", `/api/projects/${project.id}/experiments/`, {
    name,
    feature_flag_key: flag,
    start_date: new Date(start).toISOString(),
    metrics: METRICS,
    parameters: { recommended_sample_size: sample, minimum_detectable_effect: 20 },
    ...more,
  });
  const at = (hours: number) => new Date(start + hours * HOUR).toISOString();
  const batch = Object.entries(variants).flatMap(([variant, { people, everyNthPays }]) =>
    Array.from({ length: people }, (_, i) => {
      const distinct_id = `${flag}-${variant}-${i}`;
      const seen = (i / people) * (days * 24 - 2);
      const called = { $feature_flag: flag, $feature_flag_response: variant };
      const pays = i % everyNthPays === 0;
      return [
        { event: "$feature_flag_called", distinct_id, timestamp: at(seen), properties: called },
        ...(pays
          ? [
              {
                event: "order_paid",
                distinct_id,
                timestamp: at(seen + 1),
                properties: { seconds: 30 + (i % 40) },
              },
            ]
          : []),
      ];
    }).flat(),
  );
  const sent = await request.post("/batch/", {
    data: { api_key: project.api_token, historical_migration: true, batch },
  });
  expect(sent.ok()).toBe(true);
  return made;
}
