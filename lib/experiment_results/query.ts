import { inTransaction } from "#lib/db/connect.ts";
import { fingerprintOf } from "#lib/experiments/fingerprint.ts";
import { experimentOf } from "#lib/experiments/lookup.ts";
import { readMetric } from "#lib/experiments/metrics.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { DATABASE_INTEGER_MAX } from "#lib/http/params.ts";
import type { experimentResultContract } from "./contract.ts";
import { figuresOf, preparedOf, startedExperiment } from "./current.ts";
import { exposuresOf } from "./exposures.ts";
import { latestOf } from "./plan.ts";
import { type ExperimentRow, type Prepared, planMetric } from "./prepare.ts";
import type { ExposureResult, MetricResult } from "./result_schema.ts";
import { scan } from "./scan.ts";
import { partOf } from "./scope.ts";
import { resultOf } from "./series.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;
type Query = Of<"project_query">["body"]["query"];

const KINDS = ["ExperimentQuery", "ExperimentExposureQuery"];

/** The metric of a query that the experiment does not have: computed from the events, and kept nowhere. */
async function unkept(context: MemberContext, prepared: Prepared, raw: Record<string, unknown>) {
  const { planned, problem } = planMetric(prepared, readMetric(raw));
  if (planned === null) throw invalid(problem ?? "The metric cannot be computed.", "query__metric");
  const part = partOf(prepared.plan, [planned]);
  const cut = Math.max(part.start, Math.min(context.now.getTime() + 1, latestOf(part)));
  const { byDay } = await inTransaction(context.db, (tx) => scan(tx, context.project.id, part, cut), {
    isolationLevel: "repeatable read",
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
  const prepared = await preparedOf(context, experiment);
  const fingerprint = fingerprintOf(raw, experiment);
  const kept = prepared.metrics.find((one) => one.fingerprint === fingerprint && one.uuid !== "");
  if (kept && kept.planned === null)
    throw invalid(kept.problem ?? "The metric cannot be computed.", "query__metric");
  if (!kept) {
    const { planned, units, totals } = await unkept(context, prepared, raw);
    const metric = { ...readMetric(raw), raw } as Prepared["metrics"][number];
    return resultOf(prepared, { metric, planned }, units, totals).wire;
  }
  const figures = await figuresOf(context, prepared);
  const slot = figures.slots.find(({ metric }) => metric.fingerprint === fingerprint);
  if (!slot) throw new Error("A metric of the experiment has no series.");
  const totals = figures.totals.get(slot.series.id) ?? [];
  return { ...resultOf(prepared, slot, figures.units, totals).wire, metric: raw };
}

/** A draft has nobody exposed. */
const emptyExposures = {
  kind: "ExperimentExposureQuery" as const,
  timeseries: [],
  total_exposures: {},
  sample_ratio_mismatch: null,
};

async function exposureQuery(context: MemberContext, experiment: ExperimentRow): Promise<ExposureResult> {
  if (!experiment.start_date)
    return { ...emptyExposures, date_range: { date_from: instant(context.now), date_to: null } };
  const prepared = await preparedOf(context, experiment);
  return exposuresOf(prepared, await figuresOf(context, prepared), context.now.getTime());
}

/** Answers a query. @throws ApiError 400 with what is wrong, 404 where there is no such experiment */
export async function project_query(
  context: MemberContext,
  { body }: Of<"project_query">,
): Promise<MetricResult | ExposureResult> {
  const { query } = body;
  if (!KINDS.includes(query.kind))
    throw invalid(
      `Queries of kind "${query.kind.slice(0, 60)}" are not answered here; ${KINDS.join(" and ")} are.`,
      "query__kind",
      "invalid_choice",
    );
  const { experiment_id } = query;
  if (experiment_id == null) throw invalid("This field is required.", "query__experiment_id", "required");
  if (Math.abs(experiment_id) > DATABASE_INTEGER_MAX) throw notFound();
  if (query.kind === "ExperimentExposureQuery")
    return exposureQuery(context, await experimentOf(context, experiment_id));
  return metricQuery(context, await startedExperiment(context, experiment_id), query);
}

/** The same by its older name. */
export const environment_query = (context: MemberContext, input: Of<"environment_query">) =>
  project_query(context, input);
