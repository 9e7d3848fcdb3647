import { changesBetween, sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import { changeFlag } from "#lib/experiments/experiments/lifecycle/flags.ts";
import { holdoutRecordOf } from "#lib/experiments/experiments/record.ts";
import { statusOf } from "#lib/experiments/experiments/status.ts";
import { changeExperiments } from "#lib/experiments/experiments/writing.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { conflict, invalid, notFound } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { stillUnreadable } from "#lib/platform/http/stored-schema.ts";
import type { holdoutContract } from "./contract.ts";
import {
  deleteHoldout,
  type HoldoutRow,
  insertHoldout,
  lockHoldout,
  selectFlagIdsOfHoldout,
  selectHoldout,
  selectHoldoutPage,
  selectHoldoutUses,
  updateHoldout,
} from "./store.ts";

type Of<Name extends keyof typeof holdoutContract> = Input<(typeof holdoutContract)[Name]>;

const SCOPE = "ExperimentHoldout";
const WATCHED = ["name", "description", "filters"] as const;

const act = (context: MemberContext, row: HoldoutRow, activity: string) => ({
  project_id: context.project.id,
  user_id: context.user.id,
  scope: SCOPE,
  item_id: String(row.id),
  activity,
  name: row.name,
});

const answer = async (context: MemberContext, row: HoldoutRow) =>
  holdoutRecordOf(row, await context.runtime.directory.current());

/** Filters as flags store them: held-out people get a variant named after the holdout. */
const namedAfter = (id: number, filters: Json[]) =>
  filters.map((group) => ({ ...group, variant: `holdout-${id}` }));

/** Throws the API's error for filters that hold nobody out or cannot be evaluated by flags. */
async function checkFilters(context: MemberContext, filters: Json[]): Promise<void> {
  if (filters.length === 0) throw invalid("A holdout needs a condition set.", "filters");
  if (filters.some(({ rollout_percentage: share }) => typeof share !== "number" || share < 0 || share > 100))
    throw invalid("Each condition set needs a rollout_percentage from 0 to 100.", "filters");
  const groups = filters.map(({ variant: _, ...group }) => group);
  const { byId: cohorts } = await context.runtime.cohorts.project(context.project.id);
  const facts = { flag_id: null, flag_key: "", flags: new Map(), cohort_ids: new Set(cohorts.keys()) };
  const problem = findFiltersProblem({ groups }, facts);
  if (problem) throw invalid(problem.detail, "filters", problem.code, problem.path);
}

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { rows, count } = await selectHoldoutPage(context.db, context.project.id, query);
  const ids = rows.map(({ id }) => id);
  const [accounts, uses, { byId: flags }] = await Promise.all([
    context.runtime.directory.current(),
    selectHoldoutUses(context.db, ids),
    context.runtime.flags.project(context.project.id),
  ]);
  const usersOf = (holdoutId: number) => uses.filter(({ holdout_id }) => holdout_id === holdoutId);
  const results = rows.map((row) => ({
    ...holdoutRecordOf(row, accounts),
    experiments: usersOf(row.id).map(({ id, name, feature_flag_id, ...dates }) => ({
      id,
      name,
      status: statusOf(dates, flags.get(feature_flag_id)),
    })),
  }));
  return { count, ...neighbours(context.url, query, count), results };
}

/** A holdout, and the live experiments that use it. @throws ApiError 404 */
export async function loadHoldout(context: Pick<MemberContext, "db" | "project">, id: number) {
  const holdout = await selectHoldout(context.db, context.project.id, id);
  if (!holdout) throw notFound();
  const uses = await selectHoldoutUses(context.db, [id]);
  return { holdout, experiment_ids: uses.map((use) => use.id) };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const row = await selectHoldout(context.db, context.project.id, params.id);
  if (!row) throw notFound();
  return answer(context, row);
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  await checkFilters(context, body.filters);
  const row = await changeExperiments(context, async (tx) => {
    const made = await insertHoldout(tx, {
      ...body,
      project_id: context.project.id,
      created_by_id: context.user.id,
      created_at: context.now,
      updated_at: context.now,
    });
    const named = await updateHoldout(tx, made.id, { filters: namedAfter(made.id, body.filters) });
    await record(tx, act(context, named, "created"));
    return { result: named, flags: [] };
  });
  return answer(context, row);
}

/** Writes a holdout into the flags of the experiments that use it; null removes it. */
async function rewriteFlags(tx: Db, context: MemberContext, id: number, holdout: HoldoutRow | null) {
  const ids = await selectFlagIdsOfHoldout(tx, id);
  for (const flagId of ids) await changeFlag(tx, context, flagId, { holdout });
  return ids;
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  if (body.filters) await checkFilters(context, body.filters);
  const row = await changeExperiments(context, async (tx) => {
    const before = await lockHoldout(tx, context.project.id, params.id);
    if (!before) throw notFound();
    const filters = body.filters ? namedAfter(before.id, body.filters) : before.filters;
    const after = await updateHoldout(tx, before.id, {
      ...body,
      filters,
      updated_at: context.now,
      unreadable_fields: stillUnreadable(before, body),
    });
    const changes = changesBetween(SCOPE, WATCHED, before, after);
    if (changes.length > 0) await record(tx, { ...act(context, after, "updated"), changes });
    const redefined = !sameJson(before.filters, after.filters);
    return { result: after, flags: redefined ? await rewriteFlags(tx, context, after.id, after) : [] };
  });
  return answer(context, row);
}

/** Throws the API's 409 while experiments count on the holdout: the people in it would get variants. */
async function checkUnused(tx: Db, id: number): Promise<void> {
  const running = (await selectHoldoutUses(tx, [id])).filter((one) => one.start_date && !one.end_date);
  if (running.length === 0) return;
  const names = new Intl.ListFormat("en").format(running.map(({ name }) => `"${name}"`));
  throw conflict(
    `The holdout cannot be deleted while experiments that use it run: ${names}. The people in it would get variants. End ${running.length === 1 ? "the experiment" : "them"} first.`,
  );
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await changeExperiments(context, async (tx) => {
    const row = await lockHoldout(tx, context.project.id, params.id);
    if (!row) throw notFound();
    await checkUnused(tx, row.id);
    const flags = await rewriteFlags(tx, context, row.id, null);
    await deleteHoldout(tx, row.id);
    await record(tx, act(context, row, "deleted"));
    return { result: undefined, flags };
  });
  return undefined;
}
