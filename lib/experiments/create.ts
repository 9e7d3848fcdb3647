import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { flagFor, variantsOf } from "./flags.ts";
import {
  checkDates,
  checkDistinct,
  checkExposureCriteria,
  checkParameters,
  isObject,
  type LinkWish,
  linksIn,
  storedMetrics,
  type Variant,
  variantsIn,
  withMethod,
  withoutNulls,
} from "./rules.ts";
import type { ExperimentCreate, ExperimentUpdate } from "./schema.ts";
import { type ExperimentRow, insertExperiment, replaceLinks } from "./store.ts";
import { act, changing, fingerprinted, holdoutNamed, metricsLinked } from "./writing.ts";

type Json = Record<string, unknown>;

/** Throws the API's error for fields whose form says already that they cannot be stored. */
export function checkFields(body: ExperimentUpdate): void {
  checkParameters(body.parameters);
  checkExposureCriteria(body.exposure_criteria);
  checkDates(body);
}

/** The columns that are stored as they were sent. */
export function sentColumns(body: ExperimentUpdate): Partial<ExperimentRow> {
  const { metrics, metrics_secondary, stats_config, exposure_criteria, saved_metrics_ids, ...rest } = body;
  const { feature_flag_key, update_feature_flag_params, _create_in_folder, ...fields } = rest;
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...(sent as Partial<ExperimentRow>),
    ...(metrics !== undefined && { metrics: storedMetrics(metrics, "metrics") }),
    ...(metrics_secondary !== undefined && {
      metrics_secondary: storedMetrics(metrics_secondary, "metrics_secondary"),
    }),
    ...(stats_config !== undefined && { stats_config: withMethod(stats_config) }),
    ...(exposure_criteria !== undefined && { exposure_criteria: withoutNulls(exposure_criteria) }),
  };
}

/** Of a web experiment: the shares, per variant. */
function webVariants(type: string | null | undefined, variants: Variant[]): Json | null {
  if (type !== "web") return null;
  const shares = variants
    .filter(isObject)
    .map(({ key, rollout_percentage }) => [key, { rollout_percentage }]);
  return Object.fromEntries(shares);
}

/** What a new experiment has of every field that is not sent. */
const blank = (context: MemberContext): Omit<ExperimentRow, "id" | "name" | "feature_flag_id"> => ({
  project_id: context.project.id,
  description: "",
  start_date: null,
  end_date: null,
  holdout_id: null,
  exposure_cohort_id: null,
  parameters: {},
  secondary_metrics: [],
  filters: {},
  archived: false,
  deleted: false,
  type: "product",
  variants: null,
  exposure_criteria: {},
  metrics: [],
  metrics_secondary: [],
  stats_config: { method: "bayesian" },
  conclusion: null,
  conclusion_comment: null,
  primary_metrics_ordered_uuids: null,
  secondary_metrics_ordered_uuids: null,
  created_by_id: context.user.id,
  created_at: context.now,
  updated_at: context.now,
});

/** Checks and writes an experiment, with its flag where there is none yet. */
async function write(tx: Db, context: MemberContext, body: ExperimentCreate, wishes: LinkWish[]) {
  const { name, feature_flag_key: key } = body;
  const holdout = await holdoutNamed(tx, context, body.holdout_id ?? null);
  const saved = await metricsLinked(tx, context, wishes);
  const columns = sentColumns(body);
  checkDistinct([...(columns.metrics ?? []), ...(columns.metrics_secondary ?? [])], saved);
  const parameters = body.parameters ?? null;
  const launch = Boolean(body.start_date);
  const flag = await flagFor(tx, context, { key, name, parameters, holdout, launch });
  const variants = variantsIn(parameters) ?? variantsOf(flag.filters);
  const values = { ...blank(context), ...columns, name, feature_flag_id: flag.id };
  const row = await insertExperiment(
    tx,
    fingerprinted({ ...values, variants: webVariants(body.type, variants) }),
  );
  await replaceLinks(tx, row.id, wishes);
  await record(tx, act(context, row, "created"));
  return row;
}

/** Creates an experiment; with a start_date it is launched at once. */
export async function createExperiment(
  context: MemberContext,
  body: ExperimentCreate,
): Promise<ExperimentRow> {
  checkFields(body);
  const wishes = linksIn(body.saved_metrics_ids);
  return changing(context, async (tx) => {
    const row = await write(tx, context, body, wishes);
    return { result: row, flags: [row.feature_flag_id] };
  });
}
