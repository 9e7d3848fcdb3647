import { record } from "#lib/activity/service.ts";
import { loadExperiment, loadMetrics } from "#lib/experiments/experiments/lookup.ts";
import { activityEntry, SCOPE } from "#lib/experiments/experiments/writing.ts";
import { DAY_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import { readMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import {
  type DayRow,
  insertSeries,
  type SeriesRow,
  selectDays,
  selectOneSeries,
  updateSeries,
} from "#lib/experiments/results/days/store.ts";
import { readProgress } from "#lib/experiments/results/events/progress.ts";
import { deletedProblem, planMetric } from "#lib/experiments/results/prepare.ts";
import { recalculateDays, recalculationKey } from "#lib/experiments/results/recalculate.ts";
import type { Recalculation, Timeseries } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { enqueue, type JobState, readJobState } from "#lib/platform/jobs/queue.ts";
import { loadStartedExperiment, prepareExperiment, requireStarted } from "./current.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

/** Every UTC date from the start to the end or today. */
function utcDays(start: Date, end: Date): string[] {
  const days: string[] = [];
  for (let at = Math.floor(start.getTime() / DAY_MS) * DAY_MS; at <= end.getTime(); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days.length > 0 ? days : [start.toISOString().slice(0, 10)];
}

function statusOf(days: string[], rows: Map<string, DayRow>): Timeseries["status"] {
  const shown = days.flatMap((day) => rows.get(day) ?? []);
  const completed = shown.filter(({ state }) => state === "completed").length;
  if (shown.length === 0) return "pending";
  if (completed === 0) return "failed";
  return completed === days.length ? "completed" : "partial";
}

const STATUSES: Record<JobState["state"], Recalculation["status"]> = {
  waiting: "pending",
  running: "in_progress",
  done: "completed",
  failed: "failed",
};

const errorsOf = (rows: DayRow[]): Record<string, string> | null => {
  const failed = rows.flatMap(({ day, error }) => (error === null ? [] : [[day, error] as const]));
  return failed.length > 0 ? Object.fromEntries(failed) : null;
};

type Key = { experiment_id: number; metric_uuid: string; fingerprint: string };

/** Creates the series of one of the experiment's metrics when it is first requested. */
async function begin(context: MemberContext, key: Key): Promise<SeriesRow | null> {
  const experiment = await loadExperiment(context, key.experiment_id);
  const metrics = await loadMetrics(context.db, experiment);
  const found = metrics.find(
    ({ uuid, fingerprint, metric }) =>
      uuid === key.metric_uuid && fingerprint === key.fingerprint && metric !== null,
  );
  if (!found) return null;
  const prepared = await prepareExperiment(context, experiment);
  if (prepared.sealed_before || planMetric(prepared, found).planned === null) return null;
  await inTransaction(context.db, async (tx) => {
    await insertSeries(tx, [{ ...key, metric: found.raw }]);
    await ask(tx, key, null);
  });
  return selectOneSeries(context.db, key);
}

const ask = (db: MemberContext["db"], key: Key, series_id: number | null) =>
  enqueue(db, recalculateDays, recalculationKey(key.experiment_id, key.fingerprint), {
    experiment_id: key.experiment_id,
    series_id,
  });

async function progressIn(db: Db, state: JobState | null, experimentId: number): Promise<number | null> {
  if (state?.state !== "running" && state?.state !== "waiting") return null;
  return (await readProgress(db, experimentId)) ?? (state.total > 0 ? state.done / state.total : 0);
}

export async function timeseries_results(
  context: MemberContext,
  { params, query }: Of<"timeseries_results">,
): Promise<Timeseries> {
  const { metric_uuid, fingerprint } = query;
  const found = await loadExperiment(context, params.id);
  if (!metric_uuid) throw invalid("The query parameter metric_uuid is required.");
  if (!fingerprint) throw invalid("The query parameter fingerprint is required.");
  const experiment = requireStarted(found);
  const key = { experiment_id: experiment.id, metric_uuid, fingerprint };
  const series = (await selectOneSeries(context.db, key)) ?? (await begin(context, key));
  // The state first: days read after a "completed" are those of the recalculation that completed.
  const job = await readJobState(
    context.db,
    recalculateDays.name,
    recalculationKey(experiment.id, fingerprint),
  );
  const stored = series ? await selectDays(context.db, series.id) : [];
  const rows = new Map(stored.map((row) => [row.day, row]));
  const days = utcDays(experiment.start_date, experiment.end_date ?? context.now);
  const newest = stored.reduce<Date | null>(
    (latest, row) =>
      row.state === "completed" && (!latest || row.completed_at > latest) ? row.completed_at : latest,
    null,
  );
  return {
    experiment_id: experiment.id,
    metric_uuid,
    status: statusOf(days, rows),
    timeseries: Object.fromEntries(days.map((day) => [day, rows.get(day)?.result ?? null])),
    errors: errorsOf(stored),
    computed_at: instantOrNull(newest),
    created_at: instant(series?.created_at ?? experiment.created_at),
    updated_at: instant(newest ?? series?.updated_at ?? experiment.updated_at),
    recalculation_status: job ? STATUSES[job.state] : null,
    recalculation_created_at: instantOrNull(series?.recalculated_at ?? null),
    progress: await progressIn(context.db, job, experiment.id),
  };
}

const answerOf = (series: SeriesRow, status: Recalculation["status"], progress: number): Recalculation => ({
  id: String(series.id),
  experiment_id: series.experiment_id,
  metric_uuid: series.metric_uuid,
  fingerprint: series.fingerprint,
  status,
  created_at: instant(series.recalculated_at ?? series.created_at),
  progress,
});

/** The series of a metric as it was sent; it must be one that figures can be had of. */
async function seriesFor(
  context: MemberContext,
  id: number,
  { metric, fingerprint }: Of<"recalculate_timeseries">["body"],
) {
  const experiment = await loadStartedExperiment(context, id);
  const { uuid } = metric;
  if (typeof uuid !== "string" || uuid === "")
    throw invalid("The metric has no uuid.", "metric__uuid", "required");
  const prepared = await prepareExperiment(context, experiment);
  if (prepared.sealed_before) throw invalid(deletedProblem(prepared.sealed_before), "metric");
  const { problem } = planMetric(prepared, readMetric(metric));
  if (problem !== null) throw invalid(problem, "metric");
  const found = prepared.metrics.find((one) => one.uuid === uuid && one.fingerprint === fingerprint);
  if (!found)
    throw invalid(
      "The experiment has no metric with this uuid and fingerprint.",
      "fingerprint",
      "does_not_exist",
    );
  const key = { experiment_id: experiment.id, metric_uuid: uuid, fingerprint };
  await insertSeries(context.db, [{ ...key, metric }]);
  const series = await selectOneSeries(context.db, key);
  if (!series) throw new Error("A series was not stored.");
  return { experiment, key, series, name: found.name };
}

export async function recalculate_timeseries(
  context: MemberContext,
  { params, body }: Of<"recalculate_timeseries">,
): Promise<Recalculation | Response> {
  const { experiment, key, series, name } = await seriesFor(context, params.id, body);
  const job = await readJobState(
    context.db,
    recalculateDays.name,
    recalculationKey(key.experiment_id, key.fingerprint),
  );
  if (job?.state === "waiting" || job?.state === "running") {
    const answer = answerOf(
      series,
      STATUSES[job.state],
      (await progressIn(context.db, job, key.experiment_id)) ?? 0,
    );
    return Response.json(answer, { status: 200 });
  }
  await inTransaction(context.db, async (tx) => {
    await updateSeries(tx, [series.id], { recalculated_at: context.now });
    await ask(tx, key, series.id);
    await record(tx, {
      ...activityEntry(context, experiment, "recalculated"),
      changes: [{ type: SCOPE, action: "changed", field: "metric", before: null, after: name }],
    });
  });
  return answerOf({ ...series, recalculated_at: context.now }, "pending", 0);
}
