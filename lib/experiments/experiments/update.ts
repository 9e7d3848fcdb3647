import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import {
  changeFlag,
  checkPins,
  type FlagChange,
  variantsOf,
} from "#lib/experiments/experiments/lifecycle/flags.ts";
import { following, updateFollowers } from "#lib/experiments/experiments/lifecycle/follow-flag.ts";
import { updateLaunchPlan } from "#lib/experiments/experiments/lifecycle/launch-plan.ts";
import { recordLaunch, recordPhases } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { checkUnseenFlag, rebaseUpdate } from "#lib/experiments/experiments/lifecycle/versions.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { type FlagRow, lockFlag } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { stillUnreadable } from "#lib/platform/http/stored-schema.ts";
import { checkFields, pickColumns } from "./create.ts";
import { checkDates, checkDistinct, parseLinks, parseVariants, type Variant } from "./rules.ts";
import type { ExperimentUpdate } from "./schema.ts";
import {
  type ExperimentRow,
  lockExperiment,
  lockExperimentsOn,
  replaceLinks,
  selectLinks,
  updateExperiment,
} from "./store.ts";
import {
  activityEntry,
  changeExperiments,
  conclusionFields,
  findHoldout,
  findLinkedMetrics,
  listChanges,
  withFingerprints,
} from "./writing.ts";

/** Throws the API's error for fields that cannot be changed, named in alphabetical order. */
function checkUnchangeable(body: ExperimentUpdate, type: string | null, flagKey: string): void {
  const changes = (sent: unknown, stored: unknown) => sent !== undefined && sent !== stored;
  const fields = [
    ...(changes(body.feature_flag_key, flagKey) ? ["get_feature_flag_key"] : []),
    ...(changes(body.type, type) ? ["type"] : []),
  ];
  if (fields.length > 0)
    throw invalid(`These fields of an experiment cannot be changed: ${fields.join(", ")}.`);
}

function checkOldFilters(filters: Json | undefined): void {
  const properties = filters?.properties;
  const some = Array.isArray(properties) ? properties.length > 0 : Boolean(properties);
  if (some)
    throw invalid("The filters of an experiment cannot have properties: set them on its feature flag.");
}

const keysOf = (variants: Variant[]) => variants.map(({ key }) => key).sort();

/** Variants of a launched experiment are fixed, except for their shares. */
function checkLaunchedVariants(wanted: Variant[], filters: Json): void {
  if (!sameJson(keysOf(wanted), keysOf(variantsOf(filters))))
    throw invalid("The variants of a launched experiment cannot be changed.");
}

/** The change that an update makes to the flag of a draft. */
function draftChange(body: ExperimentUpdate, holdout: FlagChange["holdout"]): FlagChange {
  const parameters = body.parameters ?? {};
  const index = parameters.aggregation_group_type_index as number | null | undefined;
  return {
    // Parameters without variants leave those of the flag unchanged.
    variants: parseVariants(parameters) ?? undefined,
    aggregation_group_type_index: index,
    holdout: body.holdout_id === undefined ? undefined : holdout,
    activate: Boolean(body.start_date),
  };
}

/** New shares of a launched experiment's flag, if the request applies them. */
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

/** The flag change that gives everybody the shipped variant. */
function shippingChange(
  row: ExperimentRow,
  variant: string,
  filters: Json,
  body: ExperimentUpdate,
): FlagChange {
  const refuse = (detail: string) => invalid(detail, "shipped_variant");
  const end = body.end_date === undefined ? row.end_date : body.end_date;
  if (!row.start_date || body.start_date === null || !end)
    throw refuse("A variant can only be shipped at the end: stop the experiment with an end_date.");
  if (!variantsOf(filters).some(({ key }) => key === variant))
    throw refuse(`The experiment has no variant with the key ${variant}.`);
  return { ship: variant, activate: true };
}

/** Changes the flag of an experiment; the others on it follow. */
async function changeSplit(tx: Db, context: MemberContext, row: ExperimentRow, change: FlagChange) {
  const flag = await changeFlag(tx, context, row.feature_flag_id, change);
  if (!change.variants && !change.ship && change.aggregation_group_type_index === undefined) return flag;
  const others = await lockExperimentsOn(tx, context.project.id, flag.id);
  await updateFollowers(
    tx,
    context,
    others.filter(({ id }) => id !== row.id),
    flag,
  );
  return flag;
}

/** Applies an update to the experiment's flag; returns the flag that was changed. */
async function updateFlagOf(
  tx: Db,
  context: MemberContext,
  row: ExperimentRow,
  update: ExperimentUpdate,
  body: ExperimentUpdate,
) {
  const flag = await lockFlag(tx, context.project.id, row.feature_flag_id);
  if (!flag) throw new Error(`Flag ${row.feature_flag_id} of an experiment is missing.`);
  checkUnchangeable(body, row.type, flag.key);
  checkOldFilters(body.filters);
  if (row.deleted && flag.deleted)
    throw invalid("The experiment cannot be restored: its feature flag was deleted. Restore the flag first.");
  if (!row.start_date) {
    if (body.shipped_variant) shippingChange(row, body.shipped_variant, flag.filters, body);
    const holdout = await findHoldout(tx, context, body.holdout_id ?? null);
    return changeSplit(tx, context, row, draftChange(body, holdout));
  }
  if (body.holdout_id !== undefined && body.holdout_id !== row.holdout_id)
    throw invalid("The holdout of a launched experiment cannot be changed.");
  const wanted = parseVariants(body.parameters);
  const requested = body.parameters?.feature_flag_variants;
  const known = sameJson(requested, row.parameters?.feature_flag_variants);
  if (Array.isArray(requested) && !known) checkLaunchedVariants(wanted ?? [], flag.filters);
  if (!body.shipped_variant) return changeSplit(tx, context, row, launchedChange(wanted, flag.filters, body));
  checkUnseenFlag(flag, update);
  return changeSplit(tx, context, row, shippingChange(row, body.shipped_variant, flag.filters, body));
}

const activityOf = (before: ExperimentRow, after: ExperimentRow) =>
  before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";

/** An ended experiment keeps its split; one that is resumed has its flag's split again. */
const resumed = (before: ExperimentRow, body: ExperimentUpdate, flag: FlagRow) =>
  before.end_date && body.end_date === null && !body.parameters
    ? { parameters: following(before.parameters, flag.filters) }
    : {};

/** Records the flag for an experiment that was launched, was given another start, or changed its flag. */
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
  // Shipping at the end is not part of the run, though a caller's clock may put the end a little later.
  const isLater = after.ships && row.end_date && row.end_date > context.now;
  await recordPhases(tx, [row], flag, isLater && row.end_date ? row.end_date : context.now);
}

type Written = { row: ExperimentRow; ships: boolean };

async function write(tx: Db, context: MemberContext, before: ExperimentRow, update: ExperimentUpdate) {
  const linked = await selectLinks(tx, [before.id]);
  const body = await rebaseUpdate(context, before, linked, update);
  checkDates(body, before);
  const inputs = body.saved_metrics_ids === undefined ? null : parseLinks(body.saved_metrics_ids);
  const saved = await findLinkedMetrics(tx, context, inputs ?? linked);
  const flag = await updateFlagOf(tx, context, before, update, body);
  const columns = pickColumns(body);
  const wanted = withFingerprints({
    ...before,
    ...columns,
    ...resumed(before, body, flag),
    unreadable_fields: stillUnreadable(before, columns),
  });
  if (columns.metrics || columns.metrics_secondary || inputs)
    checkDistinct([...wanted.metrics, ...wanted.metrics_secondary], saved);
  if (inputs) await replaceLinks(tx, before.id, inputs);
  const links = inputs ? await selectLinks(tx, [before.id]) : linked;
  const after = await updateExperiment(tx, context, before.id, {
    ...wanted,
    ...conclusionFields(context, before, wanted),
    launch_plan: updateLaunchPlan({ row: before, links: linked }, { row: wanted, links }, context),
  });
  checkPins(flag, { before, after }, context.now);
  await recordRun(tx, context, before, { row: after, ships: Boolean(body.shipped_variant) }, flag);
  const changes = listChanges({ row: before, links: linked }, { row: after, links });
  if (changes.length > 0)
    await record(tx, { ...activityEntry(context, after, activityOf(before, after)), changes });
  return { result: after, flags: [flag.id] };
}

/** Changes an experiment. A deleted one can only be restored. */
export async function changeExperiment(
  context: MemberContext,
  id: number,
  body: ExperimentUpdate,
): Promise<ExperimentRow> {
  checkFields(body);
  return changeExperiments(context, async (tx) => {
    const before = await lockExperiment(tx, context.project.id, id);
    if (!before || (before.deleted && body.deleted !== false)) throw notFound();
    return write(tx, context, before, body);
  });
}
