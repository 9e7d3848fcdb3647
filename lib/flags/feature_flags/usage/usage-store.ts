import { and, eq, gte, inArray, sum } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { feature_flag_calls_daily as daily } from "#lib/platform/db/tables/feature_flags.ts";

/** Calls by flag and day since a day, responses added up; `keys` null: of all flags. */
export const selectProjectCalls = (db: Db, projectId: number, since: string, keys: string[] | null) =>
  db
    .select({ key: daily.feature_flag_key, day: daily.day, calls: sum(daily.calls).mapWith(Number) })
    .from(daily)
    .where(
      and(
        eq(daily.project_id, projectId),
        keys ? inArray(daily.feature_flag_key, keys) : undefined,
        gte(daily.day, since),
      ),
    )
    .groupBy(daily.feature_flag_key, daily.day);

/** Calls of one flag by response and day since a day. */
export const selectFlagCalls = (db: Db, projectId: number, key: string, since: string) =>
  db
    .select({ key: daily.response, day: daily.day, calls: daily.calls })
    .from(daily)
    .where(and(eq(daily.project_id, projectId), eq(daily.feature_flag_key, key), gte(daily.day, since)));
