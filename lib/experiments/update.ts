import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { stillUnreadable } from "#lib/http/stored_schema.ts";
import { checkFields, sentColumns } from "./create.ts";
import { type FlagRow, lockFlagById } from "./flag_store.ts";
import { changeFlag, type FlagChange, variantsOf } from "./flags.ts";
import { followFlag, following } from "./follow_flag.ts";
import { planAfter } from "./launch_plan.ts";
import { recordLaunch, recordPhases } from "./phases.ts";
import { checkDates, checkDistinct, linksIn, type Variant, variantsIn } from "./rules.ts";
import type { ExperimentUpdate } from "./schema.ts";
import {
  type ExperimentRow,
  lockExperiment,
  lockExperimentsOn,
  replaceLinks,
  selectLinks,
  updateExperiment,
} from "./store.ts";
import { checkUnseenFlag, rebased } from "./versions.ts";
import {
  act,
  changesOf,
  changing,
  concludedBy,
  fingerprinted,
  holdoutNamed,
  metricsLinked,
} from "./writing.ts";

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

/** A flag that gives everybody the variant that the request ships. */
function shippingChange(
  row: ExperimentRow,
  variant: string,
  filters: Json,
  body: ExperimentUpdate,
): FlagChange {
  const refuse = (detail: string) => invalid(detail, "shipped_variant");
  const end = body.end_date === undefined ? row.end_date : body.end_date;
  if (!row.start_date || body.start_date === null || !end)
    throw refuse("A variant is shipped at the end: stop the experiment with an end_date.");
  if (!variantsOf(filters).some(({ key }) => key === variant))
    throw refuse(`The experiment has no variant with the key ${variant}.`);
  return { ship: variant, activate: true };
}

/** Changes the flag of an experiment; the others on it follow. */
async function changeSplit(tx: Db, context: MemberContext, row: ExperimentRow, change: FlagChange) {
  const flag = await changeFlag(tx, context, row.feature_flag_id, change);
  if (!change.variants && !change.ship && change.aggregation_group_type_index === undefined) return flag;
  const others = await lockExperimentsOn(tx, context.project.id, flag.id);
  await followFlag(
    tx,
    context,
    others.filter(({ id }) => id !== row.id),
    flag,
  );
  return flag;
}

/** Applies an update to the experiment's flag; says which flag was touched. */
async function updateFlagOf(
  tx: Db,
  context: MemberContext,
  row: ExperimentRow,
  update: ExperimentUpdate,
  body: ExperimentUpdate,
) {
  const flag = await lockFlagById(tx, context.project.id, row.feature_flag_id);
  if (!flag) throw new Error(`Flag ${row.feature_flag_id} of an experiment is missing.`);
  checkUnchangeable(body, flag.key);
  checkOldFilters(body.filters);
  if (row.deleted && flag.deleted)
    throw invalid("The experiment cannot be restored: its feature flag was deleted. Restore the flag first.");
  if (!row.start_date) {
    if (body.shipped_variant) shippingChange(row, body.shipped_variant, flag.filters, body);
    const holdout = await holdoutNamed(tx, context, body.holdout_id ?? null);
    return changeSplit(tx, context, row, draftChange(body, holdout));
  }
  if (body.holdout_id !== undefined && body.holdout_id !== row.holdout_id)
    throw invalid("The holdout of a launched experiment cannot be changed.");
  const wanted = variantsIn(body.parameters);
  const asked = body.parameters?.feature_flag_variants;
  const known = sameJson(asked, row.parameters?.feature_flag_variants);
  if (Array.isArray(asked) && !known) checkLaunchedVariants(wanted ?? [], flag.filters);
  if (!body.shipped_variant) return changeSplit(tx, context, row, launchedChange(wanted, flag.filters, body));
  checkUnseenFlag(flag, update);
  return changeSplit(tx, context, row, shippingChange(row, body.shipped_variant, flag.filters, body));
}

const activityOf = (before: ExperimentRow, after: ExperimentRow) =>
  before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";

/** An experiment that ended kept its split; one that goes on after all has that of its flag again. */
const resumed = (before: ExperimentRow, body: ExperimentUpdate, flag: FlagRow) =>
  before.end_date && body.end_date === null && !body.parameters
    ? { parameters: following(before.parameters, flag.filters) }
    : {};

/** Records what the flag is for an experiment that was launched, or given another start, or whose flag it changed. */
async function recordRun(
  tx: Db,
  context: MemberContext,
  before: ExperimentRow,
  after: Written,
  flag: FlagRow,
) {
  const { row } = after;
  if (row.start_date?.getTime() !== before.start_date?.getTime())
    await recordLaunch(tx, row, flag, context.now);
  // What is shipped at the end is no part of the run, though a caller's clock may put the end a little later.
  const isLater = after.ships && row.end_date && row.end_date > context.now;
  await recordPhases(tx, [row], flag, isLater && row.end_date ? row.end_date : context.now);
}

type Written = { row: ExperimentRow; ships: boolean };

async function write(tx: Db, context: MemberContext, before: ExperimentRow, update: ExperimentUpdate) {
  const linked = await selectLinks(tx, [before.id]);
  const body = await rebased(context, before, linked, update);
  checkDates(body, before);
  const wishes = body.saved_metrics_ids === undefined ? null : linksIn(body.saved_metrics_ids);
  const saved = await metricsLinked(tx, context, wishes ?? linked);
  const flag = await updateFlagOf(tx, context, before, update, body);
  const columns = sentColumns(body);
  const wanted = fingerprinted({
    ...before,
    ...columns,
    ...resumed(before, body, flag),
    unreadable_fields: stillUnreadable(before, columns),
  });
  if (columns.metrics || columns.metrics_secondary || wishes)
    checkDistinct([...wanted.metrics, ...wanted.metrics_secondary], saved);
  if (wishes) await replaceLinks(tx, before.id, wishes);
  const links = wishes ? await selectLinks(tx, [before.id]) : linked;
  const after = await updateExperiment(tx, context, before.id, {
    ...wanted,
    ...concludedBy(context, before, wanted),
    launch_plan: planAfter({ row: before, links: linked }, { row: wanted, links }, context),
  });
  await recordRun(tx, context, before, { row: after, ships: Boolean(body.shipped_variant) }, flag);
  const changes = changesOf({ row: before, links: linked }, { row: after, links });
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
