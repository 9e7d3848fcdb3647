import { changesBetween } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import type { dashboardContract } from "./contract.ts";
import { daysUpTo, figuresOf } from "./figures.ts";
import { selectCalls, selectFlagEvents } from "./figures-store.ts";
import type { DashboardBasic, DashboardRecord, TileResult } from "./schema.ts";
import {
  type DashboardRow,
  type DashboardTile,
  insertDashboard,
  lockDashboard,
  lockDashboardsOfFlag,
  selectDashboard,
  selectDashboardIds,
  selectDashboards,
  updateDashboard,
} from "./store.ts";
import {
  ENRICHED_KINDS,
  renameTiles,
  USAGE_KINDS,
  usageDashboardDescription,
  usageDashboardName,
  withKinds,
} from "./tiles.ts";

type UsageOf = { project_id: number; feature_flag_key: string; created_by_id: number | null };

/** The dashboard that shows how a flag is used, as it is to be written: calls, and calls by value. */
export const usageDashboardOf = ({ project_id, feature_flag_key: key, created_by_id }: UsageOf) => ({
  project_id,
  created_by_id,
  name: usageDashboardName(key),
  description: usageDashboardDescription(key),
  creation_mode: "template",
  tiles: withKinds([], USAGE_KINDS, key),
});

/**
 * Creates the dashboard of a flag's usage.
 *
 * @param tx the transaction of the flag's own change
 * @returns the dashboard's id
 */
export async function createUsageDashboard(tx: Db, of: UsageOf): Promise<number> {
  return (await insertDashboard(tx, usageDashboardOf(of))).id;
}

/** Adds the tiles of views and interactions; those that are there already stay as they are. */
export async function enrichUsageDashboard(tx: Db, dashboardId: number, flagKey: string): Promise<void> {
  const row = await lockDashboard(tx, dashboardId);
  if (row)
    await updateDashboard(tx, row.id, {
      tiles: withKinds(row.tiles, ENRICHED_KINDS, flagKey),
    });
}

/** Follows a flag's new key: in what tiles count, and in names and descriptions that were generated. */
export async function renameFlagInDashboards(
  tx: Db,
  projectId: number,
  oldKey: string,
  newKey: string,
): Promise<void> {
  for (const row of await lockDashboardsOfFlag(tx, projectId, oldKey)) {
    await updateDashboard(tx, row.id, {
      tiles: renameTiles(row.tiles, oldKey, newKey),
      ...(row.name === usageDashboardName(oldKey) && {
        name: usageDashboardName(newKey),
      }),
      ...(row.description === usageDashboardDescription(oldKey) && {
        description: usageDashboardDescription(newKey),
      }),
    });
  }
}

/** Those of the ids that name no live dashboard of the project. */
export async function findMissingDashboards(db: Db, projectId: number, ids: number[]): Promise<number[]> {
  const possible = ids.filter((id) => Math.abs(id) <= DATABASE_INTEGER_MAX);
  const known = await selectDashboardIds(db, projectId, possible);
  return ids.filter((id) => !known.has(id));
}

/** Whether a flag's dashboard is there, and already has the tiles of views and interactions. */
export async function readEnrichment(
  db: Db,
  projectId: number,
  id: number,
  flagKey: string,
): Promise<"missing" | "plain" | "enriched"> {
  const row = await selectDashboard(db, projectId, id);
  if (!row || row.deleted) return "missing";
  return withKinds(row.tiles, ENRICHED_KINDS, flagKey).length === row.tiles.length ? "enriched" : "plain";
}

type Call<Name extends keyof typeof dashboardContract> = Input<(typeof dashboardContract)[Name]>;

/** What the SDKs' components send when a feature is seen, and when it is used. */
const VIEW_EVENTS = ["$feature_view", "Feature Viewed"];
const INTERACTION_EVENTS = ["$feature_interaction"];

const basicOf = (row: DashboardRow, accounts: Parameters<typeof userOf>[0]): DashboardBasic => ({
  id: row.id,
  name: row.name,
  description: row.description,
  creation_mode: row.creation_mode,
  deleted: row.deleted,
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
});

async function resultOf({ db, project, now }: MemberContext, { query }: DashboardTile): Promise<TileResult> {
  const days = daysUpTo(now);
  const [from = "", to = ""] = [days[0], days.at(-1)];
  const { kind, feature_flag_key: key } = query;
  const names = kind === "FlagViews" ? VIEW_EVENTS : INTERACTION_EVENTS;
  const counts =
    kind === "FlagCalls" || kind === "FlagCallsByValue"
      ? await selectCalls(db, project.id, key, from, to)
      : await selectFlagEvents(db, project.id, names, key, from, to);
  return { days, series: figuresOf(kind, days, counts) };
}

async function recordOf(context: MemberContext, row: DashboardRow): Promise<DashboardRecord> {
  const [accounts, tiles] = await Promise.all([
    context.runtime.directory.current(),
    Promise.all(row.tiles.map(async (tile) => ({ ...tile, result: await resultOf(context, tile) }))),
  ]);
  return { ...basicOf(row, accounts), tiles };
}

export async function list(context: MemberContext, { query }: Call<"list">) {
  const { rows, count } = await selectDashboards(context.db, context.project.id, query);
  const accounts = await context.runtime.directory.current();
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => basicOf(row, accounts)),
  };
}

export async function retrieve(context: MemberContext, { params }: Call<"retrieve">) {
  const row = await selectDashboard(context.db, context.project.id, params.id);
  if (!row) throw notFound();
  return recordOf(context, row);
}

export async function partial_update(context: MemberContext, { params, body }: Call<"partial_update">) {
  const row = await inTransaction(context.db, async (tx) => {
    const before = await lockDashboard(tx, params.id);
    if (!before || before.project_id !== context.project.id) throw notFound();
    const after = { ...before, ...body };
    const changes = changesBetween("Dashboard", ["name", "description", "deleted"], before, after);
    if (changes.length === 0) return before;
    await updateDashboard(tx, before.id, body);
    const activity = before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";
    await record(tx, {
      project_id: context.project.id,
      user_id: context.user.id,
      scope: "Dashboard",
      item_id: String(before.id),
      activity,
      name: after.name,
      changes,
    });
    return after;
  });
  return recordOf(context, row);
}
