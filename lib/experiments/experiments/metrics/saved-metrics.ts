import { changesBetween } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import { recordPlanChange } from "#lib/experiments/experiments/lifecycle/launch-plan.ts";
import { checkMetric, withUuid } from "#lib/experiments/experiments/rules.ts";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { stateOf } from "#lib/experiments/experiments/status.ts";
import { changeExperiments } from "#lib/experiments/experiments/writing.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { unreadable } from "#lib/platform/http/stored-schema.ts";
import type { savedMetricContract } from "./saved-metric-contract.ts";
import {
  insertSavedMetric,
  lockSavedMetric,
  type SavedMetricRow,
  selectSavedMetric,
  selectSavedMetricPage,
  selectUses,
  type UseRow,
  updateSavedMetric,
} from "./saved-metric-store.ts";

type Of<Name extends keyof typeof savedMetricContract> = Input<(typeof savedMetricContract)[Name]>;
type Accounts = Parameters<typeof userOf>[0];

const SCOPE = "ExperimentSavedMetric";
const WATCHED = ["name", "description", "query", "tags", "deleted"] as const;

/** At most so many experiments are named in a record. */
const USES_MAX = 50;

type Use = SavedMetricRecord["experiments"][number];
type Uses = { count: number; experiments: Use[] };

/** Which experiments use metrics, by the metric's id. */
async function usesOf(context: MemberContext, rows: SavedMetricRow[]): Promise<Map<number, Uses>> {
  const ids = rows.map(({ id }) => id);
  const [found, { byId: flags }] = await Promise.all([
    selectUses(context.db, ids, USES_MAX),
    context.runtime.flags.project(context.project.id),
  ]);
  const usedBy = ({ id, name, started, ended, feature_flag_id, metadata }: UseRow): Use => ({
    id,
    name,
    status: stateOf({ started, ended }, flags.get(feature_flag_id)),
    type: metadata?.type === "secondary" ? "secondary" : "primary",
  });
  const grouped = Map.groupBy(found, (use) => use.saved_metric_id);
  return new Map(
    [...grouped].map(([id, uses]) => [id, { count: uses[0]?.uses ?? 0, experiments: uses.map(usedBy) }]),
  );
}

const recordOf = (row: SavedMetricRow, accounts: Accounts, uses: Uses | undefined): SavedMetricRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  query: row.query,
  tags: row.tags,
  deleted: row.deleted,
  experiment_count: uses?.count ?? 0,
  experiments: uses?.experiments ?? [],
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
  ...unreadable(row.unreadable_fields),
});

const act = (context: MemberContext, row: SavedMetricRow, activity: string) => ({
  project_id: context.project.id,
  user_id: context.user.id,
  scope: SCOPE,
  item_id: String(row.id),
  activity,
  name: row.name,
});

async function answer(context: MemberContext, row: SavedMetricRow) {
  const uses = await usesOf(context, [row]);
  return recordOf(row, await context.runtime.directory.current(), uses.get(row.id));
}

/** The metric as stored; it keeps its uuid. */
function storedQuery(query: Json, before: Json | null): Json {
  if (typeof query.kind !== "string") throw invalid("A metric must name its kind.", "query");
  checkMetric(query, "query", []);
  const { fingerprint: _, ...rest } = query;
  return withUuid({ ...(before?.uuid !== undefined && { uuid: before.uuid }), ...rest });
}

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { rows, count } = await selectSavedMetricPage(context.db, context.project.id, query);
  const accounts = await context.runtime.directory.current();
  const uses = await usesOf(context, rows);
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => recordOf(row, accounts, uses.get(row.id))),
  };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const row = await selectSavedMetric(context.db, context.project.id, params.id);
  if (!row || row.deleted) throw notFound();
  return answer(context, row);
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const query = storedQuery(body.query, null);
  const row = await changeExperiments(context, async (tx) => {
    const made = await insertSavedMetric(tx, {
      ...body,
      query,
      project_id: context.project.id,
      created_by_id: context.user.id,
      created_at: context.now,
      updated_at: context.now,
    });
    await record(tx, act(context, made, "created"));
    return { result: made, flags: [] };
  });
  return answer(context, row);
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  const row = await changeExperiments(context, async (tx) => {
    const before = await lockSavedMetric(tx, context.project.id, params.id);
    if (!before || (before.deleted && body.deleted !== false)) throw notFound();
    const query = body.query && storedQuery(body.query, before.query);
    const after = await recordPlanChange(tx, context, before.id, () =>
      updateSavedMetric(tx, before.id, { ...body, ...(query && { query }), updated_at: context.now }),
    );
    const changes = changesBetween(SCOPE, WATCHED, before, after);
    const activity = before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";
    if (changes.length > 0) await record(tx, { ...act(context, after, activity), changes });
    return { result: after, flags: [] };
  });
  return answer(context, row);
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await changeExperiments(context, async (tx) => {
    const row = await lockSavedMetric(tx, context.project.id, params.id);
    if (!row || row.deleted) throw notFound();
    await recordPlanChange(tx, context, row.id, () =>
      updateSavedMetric(tx, row.id, { deleted: true, updated_at: context.now }),
    );
    await record(tx, act(context, row, "deleted"));
    return { result: undefined, flags: [] };
  });
  return undefined;
}
