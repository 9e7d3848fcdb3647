import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { stillUnreadable } from "#lib/http/stored_schema.ts";
import { checkFields, sentColumns } from "./create.ts";
import { lockFlagById } from "./flag_store.ts";
import { changeFlag, type FlagChange, variantsOf } from "./flags.ts";
import { followFlag } from "./follow_flag.ts";
import { checkDates, checkDistinct, type LinkWish, linksIn, type Variant, variantsIn } from "./rules.ts";
import type { ExperimentUpdate } from "./schema.ts";
import {
  type ExperimentRow,
  lockExperiment,
  lockExperimentsOn,
  replaceLinks,
  selectLinks,
  updateExperiment,
} from "./store.ts";
import { act, changesOf, changing, fingerprinted, holdoutNamed, metricsLinked } from "./writing.ts";

type Json = Record<string, unknown>;

/** Throws the API's error for fields that never change; they are named in alphabetical order. */
function checkUnchangeable(body: ExperimentUpdate, flagKey: string): void {
  const fields = [
    ...(body._create_in_folder === undefined ? [] : ["_create_in_folder"]),
    ...(body.feature_flag_key === undefined || body.feature_flag_key === flagKey
      ? []
      : ["get_feature_flag_key"]),
    ...(body.type === undefined ? [] : ["type"]),
  ];
  if (fields.length > 0)
    throw invalid(`These fields of an experiment cannot be changed: ${fields.join(", ")}.`);
}

function checkOldFilters(filters: Json | undefined): void {
  const properties = filters?.properties;
  const some = Array.isArray(properties) ? properties.length > 0 : Boolean(properties);
  if (some)
    throw invalid("The filters of an experiment cannot hold properties: its feature flag holds them.");
}

const keysOf = (variants: Variant[]) => variants.map(({ key }) => key).sort();

/** Variants of a launched experiment are fixed, all but their shares. */
function checkLaunchedVariants(wanted: Variant[], filters: Json): void {
  if (!sameJson(keysOf(wanted), keysOf(variantsOf(filters))))
    throw invalid("The variants of a launched experiment cannot be changed.");
}

/** What an update means for the flag of a draft. */
function draftChange(body: ExperimentUpdate, holdout: FlagChange["holdout"]): FlagChange {
  const parameters = body.parameters ?? {};
  const index = parameters.aggregation_group_type_index as number | null | undefined;
  return {
    // Parameters that say nothing of variants leave those of the flag as they are.
    variants: variantsIn(parameters) ?? undefined,
    aggregation_group_type_index: index,
    holdout: body.holdout_id === undefined ? undefined : holdout,
    activate: Boolean(body.start_date),
  };
}

/** New shares of a launched experiment's flag, where the request asks for them to be served. */
function launchedChange(wanted: Variant[] | null, filters: Json, body: ExperimentUpdate): FlagChange {
  if (!wanted || body.update_feature_flag_params !== true) return {};
  const shares = new Map(wanted.map(({ key, rollout_percentage }) => [key, rollout_percentage]));
  return {
    variants: variantsOf(filters).map((variant) => ({
      ...variant,
      rollout_percentage: shares.get(variant.key) ?? variant.rollout_percentage,
    })),
  };
}

/** Changes the flag of an experiment; the others on it follow. */
async function changeSplit(tx: Db, context: MemberContext, row: ExperimentRow, change: FlagChange) {
  const flag = await changeFlag(tx, context, row.feature_flag_id, change);
  if (!change.variants && change.aggregation_group_type_index === undefined) return flag;
  const others = await lockExperimentsOn(tx, context.project.id, flag.id);
  await followFlag(
    tx,
    context,
    others.filter(({ id }) => id !== row.id),
    flag.filters,
  );
  return flag;
}

/** Applies an update to the experiment's flag; says which flag was touched. */
async function updateFlagOf(tx: Db, context: MemberContext, row: ExperimentRow, body: ExperimentUpdate) {
  const flag = await lockFlagById(tx, context.project.id, row.feature_flag_id);
  if (!flag) throw new Error(`Flag ${row.feature_flag_id} of an experiment is missing.`);
  checkUnchangeable(body, flag.key);
  checkOldFilters(body.filters);
  if (row.deleted && flag.deleted)
    throw invalid("The experiment cannot be restored: its feature flag was deleted. Restore the flag first.");
  if (!row.start_date) {
    const holdout = await holdoutNamed(tx, context, body.holdout_id ?? null);
    return changeSplit(tx, context, row, draftChange(body, holdout));
  }
  if (body.holdout_id !== undefined && body.holdout_id !== row.holdout_id)
    throw invalid("The holdout of a launched experiment cannot be changed.");
  const wanted = variantsIn(body.parameters);
  const asked = body.parameters?.feature_flag_variants;
  const known = sameJson(asked, row.parameters?.feature_flag_variants);
  if (Array.isArray(asked) && !known) checkLaunchedVariants(wanted ?? [], flag.filters);
  return changeSplit(tx, context, row, launchedChange(wanted, flag.filters, body));
}

const activityOf = (before: ExperimentRow, after: ExperimentRow) =>
  before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";

async function write(tx: Db, context: MemberContext, before: ExperimentRow, body: ExperimentUpdate) {
  checkDates(body, before);
  const wishes = body.saved_metrics_ids === undefined ? null : linksIn(body.saved_metrics_ids);
  const linked: LinkWish[] = await selectLinks(tx, [before.id]);
  const saved = await metricsLinked(tx, context, wishes ?? linked);
  const flag = await updateFlagOf(tx, context, before, body);
  const columns = sentColumns(body);
  const after = fingerprinted({
    ...before,
    ...columns,
    updated_at: context.now,
    unreadable_fields: stillUnreadable(before, columns),
  });
  if (columns.metrics || columns.metrics_secondary || wishes)
    checkDistinct([...after.metrics, ...after.metrics_secondary], saved);
  await updateExperiment(tx, before.id, after);
  if (wishes) await replaceLinks(tx, before.id, wishes);
  const changes = changesOf({ row: before, links: linked }, { row: after, links: wishes ?? linked });
  if (changes.length > 0) await record(tx, { ...act(context, after, activityOf(before, after)), changes });
  return { result: after, flags: [flag.id] };
}

/** Changes an experiment. A deleted one is found only to be restored. */
export async function updateExperimentOf(
  context: MemberContext,
  id: number,
  body: ExperimentUpdate,
): Promise<ExperimentRow> {
  checkFields(body);
  return changing(context, async (tx) => {
    const before = await lockExperiment(tx, context.project.id, id);
    if (!before || (before.deleted && body.deleted !== false)) throw notFound();
    return write(tx, context, before, body);
  });
}
