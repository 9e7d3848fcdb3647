import { record } from "#lib/activity/service.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { checkPins, lockOrCreateFlag, variantsOf } from "#lib/experiments/experiments/lifecycle/flags.ts";
import { updateLaunchPlan } from "#lib/experiments/experiments/lifecycle/launch-plan.ts";
import { recordLaunch } from "#lib/experiments/experiments/lifecycle/phases.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { initialValues } from "#lib/platform/fields-schema.ts";
import { instant } from "#lib/platform/http/instant.ts";

import {
  checkDates,
  checkDistinct,
  checkExposureCriteria,
  checkParameters,
  type LinkInput,
  normalizeMetrics,
  parseLinks,
  parseVariants,
  type Variant,
  withMethod,
  withoutNulls,
} from "./rules.ts";
import { EXPERIMENT_FIELDS, type ExperimentCreate, type ExperimentUpdate } from "./schema.ts";
import { type ExperimentRow, insertExperiment, replaceLinks, selectLinks, setLaunchPlan } from "./store.ts";
import {
  activityEntry,
  changeExperiments,
  conclusionFields,
  findHoldout,
  findLinkedMetrics,
  SCOPE,
  withFingerprints,
} from "./writing.ts";

/** Throws the API's error for malformed fields. */
export function checkFields(body: ExperimentUpdate): void {
  checkParameters(body.parameters);
  checkExposureCriteria(body.exposure_criteria);
  checkDates(body);
}

/** The columns that are stored as sent. */
export function pickColumns(body: ExperimentUpdate): Partial<ExperimentRow> {
  const { metrics, metrics_secondary, stats_config, exposure_criteria, saved_metrics_ids, ...rest } = body;
  const { feature_flag_key, update_feature_flag_params, _create_in_folder, ...plain } = rest;
  const { version, original_experiment, ...fields } = plain;
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...(sent as Partial<ExperimentRow>),
    ...(metrics !== undefined && { metrics: normalizeMetrics(metrics, "metrics") }),
    ...(metrics_secondary !== undefined && {
      metrics_secondary: normalizeMetrics(metrics_secondary, "metrics_secondary"),
    }),
    ...(stats_config !== undefined && { stats_config: withMethod(stats_config) }),
    ...(exposure_criteria !== undefined && { exposure_criteria: withoutNulls(exposure_criteria) }),
  };
}

/** The shares by variant of a web experiment. */
function webVariants(type: string | null | undefined, variants: Variant[]): Json | null {
  if (type !== "web") return null;
  const shares = variants
    .filter(isObject)
    .map(({ key, rollout_percentage }) => [key, { rollout_percentage }]);
  return Object.fromEntries(shares);
}

/** Defaults of a new experiment. */
const blank = (context: MemberContext): Omit<ExperimentRow, "id" | "name" | "feature_flag_id"> => ({
  project_id: context.project.id,
  ...initialValues(EXPERIMENT_FIELDS),
  exposure_cohort_id: null,
  variants: null,
  concluded_by_id: null,
  last_modified_by_id: context.user.id,
  created_by_id: context.user.id,
  created_at: context.now,
  updated_at: context.now,
});

/** Freezes the plan of an experiment that is launched on creation, and records its split. */
async function freezeLaunch(tx: Db, context: MemberContext, row: ExperimentRow, flag: FlagRow) {
  await recordLaunch(tx, row, flag, context.now);
  const links = await selectLinks(tx, [row.id]);
  const plan = updateLaunchPlan({ row: { ...row, start_date: null }, links: [] }, { row, links }, context);
  return plan ? setLaunchPlan(tx, row.id, plan) : row;
}

/** Checks and writes an experiment, creating its flag if needed. */
async function write(tx: Db, context: MemberContext, body: ExperimentCreate, inputs: LinkInput[]) {
  const { name, feature_flag_key: key } = body;
  const holdout = await findHoldout(tx, context, body.holdout_id ?? null);
  const saved = await findLinkedMetrics(tx, context, inputs);
  const columns = pickColumns(body);
  checkDistinct([...(columns.metrics ?? []), ...(columns.metrics_secondary ?? [])], saved);
  const parameters = body.parameters ?? null;
  const launch = Boolean(body.start_date);
  const flag = await lockOrCreateFlag(tx, context, { key, name, parameters, holdout, launch });
  const variants = parseVariants(parameters) ?? variantsOf(flag.filters);
  const values = { ...blank(context), ...columns, name, feature_flag_id: flag.id };
  const row = await insertExperiment(
    tx,
    withFingerprints({
      ...values,
      ...conclusionFields(context, { conclusion: null }, values),
      variants: webVariants(body.type, variants),
    }),
  );
  checkPins(flag, { before: null, after: row }, context.now);
  await replaceLinks(tx, row.id, inputs);
  const launched = { type: SCOPE, action: "created" as const, field: "start_date", before: null };
  await record(tx, {
    ...activityEntry(context, row, "created"),
    ...(row.start_date && { changes: [{ ...launched, after: instant(row.start_date) }] }),
  });
  return launch ? freezeLaunch(tx, context, row, flag) : row;
}

/** Creates an experiment; with a start_date it is launched at once. */
export async function createExperiment(
  context: MemberContext,
  body: ExperimentCreate,
): Promise<ExperimentRow> {
  checkFields(body);
  const inputs = parseLinks(body.saved_metrics_ids);
  return changeExperiments(context, async (tx) => {
    const row = await write(tx, context, body, inputs);
    return { result: row, flags: [row.feature_flag_id] };
  });
}
