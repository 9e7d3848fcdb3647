import type { Runtime } from "#lib/app/runtime.ts";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import {
  list as listSavedMetrics,
  create as saveMetric,
} from "#lib/experiments/experiments/metrics/saved-metrics.ts";
import { experimentCreate, savedMetricCreate } from "#lib/experiments/experiments/schema.ts";
import { create, list } from "#lib/experiments/experiments/service.ts";
import { recordLook, results } from "#lib/experiments/results/service.ts";
import type * as http from "#lib/platform/http/context.ts";

type MemberContext = http.MemberContext<Runtime>;

import type { RawEvent } from "./calls.ts";
import { experimentEvents } from "./experiment-events.ts";
import { DAY_MS, DEMO_EXPERIMENTS, DEMO_SAVED_METRICS, type DemoExperiment } from "./experiments.ts";
import type { DemoPerson } from "./people.ts";

const BATCH = 1_000;
const path = { project_id: "" };

const dateBefore = (now: number, days: number | null): string | null =>
  days === null ? null : new Date(now - days * DAY_MS).toISOString();

/** The saved metrics by name, created if missing. */
async function saveMetrics(context: MemberContext): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const wish of DEMO_SAVED_METRICS) {
    const query = { limit: 100, offset: 0, search: wish.name };
    const there = await listSavedMetrics(context, { params: path, query, body: undefined });
    const found = there.results.find(({ name }) => name === wish.name);
    const call = { params: path, query: {}, body: savedMetricCreate.parse(wish) };
    ids.set(wish.name, (found ?? (await saveMetric(context, call))).id);
  }
  return ids;
}

/** The experiment's id, created if missing. */
async function make(
  context: MemberContext,
  { body, started, ended, saved = [] }: DemoExperiment,
  metrics: Map<string, number>,
  now: number,
) {
  const query = { limit: 100, offset: 0, search: body.name, ...(body.archived && { archived: "true" }) };
  const there = await list(context, { params: path, query, body: undefined });
  const found = there.results.find(({ name }) => name === body.name);
  if (found) return found.id;
  const saved_metrics_ids = saved.map((name) => ({ id: metrics.get(name), metadata: { type: "secondary" } }));
  const dates = { start_date: dateBefore(now, started), end_date: dateBefore(now, ended) };
  const made = await create(context, {
    params: path,
    query: {},
    body: experimentCreate.parse({ ...body, ...dates, saved_metrics_ids }),
  });
  return made.id;
}

/** Which variant the flag gives each person, as SDKs would evaluate it. */
async function assigner(context: MemberContext, key: string) {
  const { live } = await context.runtime.flags.project(context.project.id);
  const compiled = compileFlags({ flags: live as unknown as FlagDefinition[] });
  return (person: DemoPerson, at: number): string | null => {
    const answer = evaluateFlag(compiled, key, {
      distinct_id: person.distinct_id,
      person_properties: person.properties,
      now: at,
    });
    return typeof answer?.value === "string" ? answer.value : null;
  };
}

/** People of each variant who were exposed before a moment. */
function exposedBefore(events: readonly RawEvent[], moment: Date): Map<string, number> {
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  for (const { event, distinct_id, timestamp, properties } of events) {
    if (event !== "$feature_flag_called" || seen.has(distinct_id) || new Date(timestamp) >= moment) continue;
    seen.add(distinct_id);
    const variant = String(properties.$feature_flag_response);
    counts.set(variant, (counts.get(variant) ?? 0) + 1);
  }
  return counts;
}

/** Brings the figures of experiments up to date with what was sent since they were computed. */
export async function updateFigures(context: MemberContext): Promise<void> {
  const query = { limit: 100, offset: 0 };
  const found = await list(context, { params: path, query, body: undefined });
  for (const { id, start_date } of found.results)
    if (start_date !== null) await results(context, { params: { ...path, id }, query: {}, body: undefined });
}

/**
 * Creates experiments in every state with people's events, and computes their figures once.
 *
 * @param now the moment from which the demo's dates count back
 * @param progress called with the share that is done, 0 to 1
 */
export async function loadExperiments(
  context: MemberContext,
  now: number,
  people: DemoPerson[],
  send: (events: RawEvent[]) => Promise<void>,
  progress: (share: number) => Promise<void>,
): Promise<void> {
  const metrics = await saveMetrics(context);
  for (const [n, experiment] of DEMO_EXPERIMENTS.entries()) {
    const id = await make(context, experiment, metrics, now);
    const variantFor = await assigner(context, experiment.body.feature_flag_key);
    const events = [...experimentEvents(n, experiment, people, now, variantFor)];
    for (let at = 0; at < events.length; at += BATCH) await send(events.slice(at, at + BATCH));
    for (const days of experiment.looks ?? []) {
      const at = new Date(now - days * DAY_MS);
      await recordLook({ ...context, now: at }, id, exposedBefore(events, at));
    }
    await results(context, { params: { ...path, id }, query: {}, body: undefined });
    await progress((n + 1) / DEMO_EXPERIMENTS.length);
  }
}
