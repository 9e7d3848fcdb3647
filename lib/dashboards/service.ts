import type { Db } from "#lib/db/connect.ts";
import { insertDashboard, lockDashboard, lockDashboardsOfFlag, updateDashboard } from "./store.ts";
import {
  ENRICHED_KINDS,
  renamedTiles,
  USAGE_KINDS,
  usageDashboardDescription,
  usageDashboardName,
  withKinds,
} from "./tiles.ts";

/**
 * Makes the dashboard that shows how a flag is used: calls, and calls by value.
 *
 * @param tx the transaction of the flag's own change
 * @returns the dashboard's id
 */
export async function createUsageDashboard(
  tx: Db,
  of: {
    project_id: number;
    feature_flag_key: string;
    created_by_id: number | null;
  },
): Promise<number> {
  const { project_id, feature_flag_key: key, created_by_id } = of;
  const { id } = await insertDashboard(tx, {
    project_id,
    created_by_id,
    name: usageDashboardName(key),
    description: usageDashboardDescription(key),
    creation_mode: "template",
    tiles: withKinds([], USAGE_KINDS, key),
  });
  return id;
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
      tiles: renamedTiles(row.tiles, oldKey, newKey),
      ...(row.name === usageDashboardName(oldKey) && {
        name: usageDashboardName(newKey),
      }),
      ...(row.description === usageDashboardDescription(oldKey) && {
        description: usageDashboardDescription(newKey),
      }),
    });
  }
}
