import { z } from "zod";
import { DAY_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import { filtersOf, type SourceFilter } from "#lib/experiments/metric_kinds/metric-schema.ts";
import type { Runtime } from "#lib/flags/context.ts";
import { changeIn } from "#lib/flags/feature_flags/service.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { formatNumber } from "#lib/platform/format.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { readStored } from "./changes.ts";
import { countEvents } from "./rollback-conditions-store.ts";
import { changing, savingFor } from "./run.ts";
import { selectGuardedFlags } from "./store.ts";

const CHECK_MS = 30_000;

/** Days over which the public service averages. */
const DAYS = 7;

/** A series of a trend in either of the public service's forms. */
const series = z.looseObject({
  id: z.string().nullish(),
  event: z.string().nullish(),
  kind: z.literal("EventsNode").nullish(),
  type: z.literal("events").nullish(),
  math: z.literal("total").nullish(),
  properties: z.unknown().optional(),
});

const trend = z.union([
  z.looseObject({ events: z.tuple([series], series) }).transform(({ events }) => events[0]),
  z.looseObject({ series: z.tuple([series], series) }).transform(({ series: list }) => list[0]),
]);

const condition = z.looseObject({
  threshold: z.coerce.number(),
  threshold_type: z.literal("insight"),
  threshold_metric: trend,
  operator: z.string(),
});

const sentProperties = z.union([
  z.array(z.looseObject({ key: z.string() })),
  z.record(z.string(), z.unknown()),
]);

/** A condition that can be computed. */
type Condition = { threshold: number; isBelow: boolean; event: string; filters: SourceFilter[] };

const isEqualTo = ({ type, operator, value }: SourceFilter): boolean =>
  (type ?? "event") === "event" && (operator ?? "exact") === "exact" && value !== undefined;

/** The conditions of a flag that count events; others are stored and not acted upon. */
export function readConditions(stored: unknown): Condition[] {
  return (Array.isArray(stored) ? stored : []).flatMap((each: unknown) => {
    const { data } = condition.safeParse(each);
    const event = data?.threshold_metric.event ?? data?.threshold_metric.id;
    if (!data || !event) return [];
    const { data: properties } = sentProperties.safeParse(data.threshold_metric.properties ?? []);
    const filters = properties ? filtersOf({ properties: properties as SourceFilter[] }) : null;
    if (!filters?.every(isEqualTo)) return [];
    return [{ threshold: data.threshold, isBelow: data.operator === "lt", event, filters }];
  });
}

type Met = { condition: Condition; average: number };

/** The first condition that is met: events per day, on average over the last week, beyond the threshold. */
async function findMet(
  db: Db,
  projectId: number,
  conditions: readonly Condition[],
  now: Date,
): Promise<Met | null> {
  const from = new Date(now.getTime() - DAYS * DAY_MS);
  for (const one of conditions) {
    const average = (await countEvents(db, { project_id: projectId, ...one, from, to: now })) / DAYS;
    if (one.isBelow ? average < one.threshold : average > one.threshold) return { condition: one, average };
  }
  return null;
}

const wordsOf = ({ condition: { event, isBelow, threshold }, average }: Met): string =>
  `${event} happened ${formatNumber(average)} times a day over the last week, ${isBelow ? "less" : "more"} than ${formatNumber(threshold)}.`;

type Job = JobContext<unknown, Runtime>;

/** Turns a flag off where one of its conditions is met, as the public service does. */
async function check(
  job: Job,
  { id: flag_id, project_id }: { id: number; project_id: number },
): Promise<void> {
  const { runtime, db, now } = job;
  const of = { project_id, flag_id };
  const looked = await readStored(db, runtime, of);
  const met = await findMet(db, project_id, readConditions(looked.rollback_conditions), now);
  if (!met) return;
  const { context } = await savingFor(job, { project_id, created_by_id: looked.created_by_id });
  await changing(job, of, async (tx) => {
    const flag = await readStored(tx, runtime, of);
    const isSame = JSON.stringify(flag.rollback_conditions) === JSON.stringify(looked.rollback_conditions);
    if (!isSame || !flag.active || flag.deleted) return { flag_ids: [] };
    const { also } = await changeIn(
      tx,
      context,
      flag_id,
      { active: false, performed_rollback: true },
      {
        version: flag.version,
        trigger: {
          job_type: "rollback_conditions",
          job_id: String(flag_id),
          payload: { detail: wordsOf(met) },
        },
      },
    );
    return { flag_ids: [flag_id, ...also] };
  });
}

/** Looks at the rollback conditions of all flags that are on. */
export const rollbackConditionsCheck = defineJob({
  name: "feature_flags.rollback_conditions",
  every: CHECK_MS,
  run: async (job: Job) =>
    job.each(
      await selectGuardedFlags(job.db),
      ({ id }) => String(id),
      (flag) => check(job, flag),
    ),
});
