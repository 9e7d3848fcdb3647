import { loadExperiment } from "#lib/experiments/experiments/lookup.ts";
import { computeFingerprint } from "#lib/experiments/experiments/metrics/fingerprint.ts";
import { readMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { scan } from "#lib/experiments/results/days/scan.ts";
import { computeResult } from "#lib/experiments/results/days/series.ts";
import { pickMetrics } from "#lib/experiments/results/events/scope.ts";
import { latestOf } from "#lib/experiments/results/plan/plan.ts";
import {
  deletedProblem,
  type ExperimentRow,
  type Prepared,
  planMetric,
} from "#lib/experiments/results/prepare.ts";
import type { ExposureResult, MetricResult } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { loadStartedExperiment, prepareExperiment, updateFigures } from "./current.ts";
import { buildExposures } from "./exposures.ts";
import { recordLook } from "./looks.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;
type Query = Of<"project_query">["body"]["query"];

const KINDS = ["ExperimentQuery", "ExperimentExposureQuery"];

/** The metric of a query that the experiment does not have: computed from the events, and stored nowhere. */
async function computeUnstored(context: MemberContext, prepared: Prepared, raw: Record<string, unknown>) {
  if (prepared.sealed_before) throw invalid(deletedProblem(prepared.sealed_before), "query__metric");
  const { planned, problem } = planMetric(prepared, readMetric(raw));
  if (planned === null) throw invalid(problem ?? "The metric cannot be computed.", "query__metric");
  const part = pickMetrics(prepared.plan, [planned]);
  const cut = Math.max(part.start, Math.min(context.now.getTime() + 1, latestOf(part)));
  const { byDay } = await inTransaction(context.db, (tx) => scan(tx, context.project.id, part, cut), {
    isolationLevel: "repeatable read",
    accessMode: "read only",
  });
  const last = byDay.at(-1);
  return { planned, units: last?.units ?? new Map(), totals: last?.totals[0] ?? [] };
}

async function metricQuery(
  context: MemberContext,
  experiment: ExperimentRow,
  query: Query,
): Promise<MetricResult> {
  const { metric: raw } = query;
  if (!raw) throw invalid("This field is required.", "query__metric", "required");
  const prepared = await prepareExperiment(context, experiment);
  const fingerprint = computeFingerprint(raw, experiment);
  const stored = prepared.metrics.find((one) => one.fingerprint === fingerprint && one.uuid !== "");
  if (stored && stored.planned === null)
    throw invalid(stored.problem ?? "The metric cannot be computed.", "query__metric");
  if (!stored) {
    const { planned, units, totals } = await computeUnstored(context, prepared, raw);
    await recordLook(context, experiment.id, units);
    return computeResult(prepared, { planned, raw }, units, totals).wire;
  }
  const figures = await updateFigures(context, prepared);
  const storedMetric = figures.storedMetrics.find((one) => one.fingerprint === fingerprint);
  if (!storedMetric) throw new Error("A metric of the experiment has no series.");
  await recordLook(context, experiment.id, figures.units);
  const totals = figures.totals.get(storedMetric.series.id) ?? [];
  return { ...computeResult(prepared, storedMetric, figures.units, totals).wire, metric: raw };
}

/** Exposures of a draft. */
const emptyExposures = {
  kind: "ExperimentExposureQuery" as const,
  timeseries: [],
  total_exposures: {},
  sample_ratio_mismatch: null,
};

async function exposureQuery(context: MemberContext, experiment: ExperimentRow): Promise<ExposureResult> {
  if (!experiment.start_date)
    return { ...emptyExposures, date_range: { date_from: instant(context.now), date_to: null } };
  const prepared = await prepareExperiment(context, experiment);
  return buildExposures(prepared, await updateFigures(context, prepared), context.now.getTime());
}

/** Answers a query. @throws ApiError 400 with what is wrong, 404 where there is no such experiment */
export async function project_query(
  context: MemberContext,
  { body }: Of<"project_query">,
): Promise<MetricResult | ExposureResult> {
  const { query } = body;
  if (!KINDS.includes(query.kind))
    throw invalid(
      `Queries of kind "${query.kind.slice(0, 60)}" are not supported; use ${KINDS.join(" or ")}.`,
      "query__kind",
      "invalid_choice",
    );
  const { experiment_id } = query;
  if (experiment_id == null) throw invalid("This field is required.", "query__experiment_id", "required");
  if (Math.abs(experiment_id) > DATABASE_INTEGER_MAX) throw notFound();
  if (query.kind === "ExperimentExposureQuery")
    return exposureQuery(context, await loadExperiment(context, experiment_id));
  return metricQuery(context, await loadStartedExperiment(context, experiment_id), query);
}

/** The same by its older name. */
export const environment_query = (context: MemberContext, input: Of<"environment_query">) =>
  project_query(context, input);
