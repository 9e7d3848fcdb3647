import { and, count, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { type ExperimentRow, readExperiment } from "./store.ts";

/** Filters of a list; absent members do not filter. */
export type ExperimentFilter = {
  status?: "draft" | "running" | "paused" | "stopped" | undefined;
  archived: boolean;
  created_by_id?: number | undefined;
  feature_flag_id?: number | undefined;
  search?: string | undefined;
};

/** Sort orders of a list. */
export const ORDERS = [
  "created_at",
  "updated_at",
  "name",
  "start_date",
  "end_date",
  "duration",
  "status",
] as const;
export type Order = { by: (typeof ORDERS)[number]; descending: boolean };

const active = sql`exists (select 1 from ${feature_flags} f where f.id = ${experiments.feature_flag_id} and f.active)`;

const STATUSES: Record<NonNullable<ExperimentFilter["status"]>, SQL | undefined> = {
  draft: isNull(experiments.start_date),
  running: and(isNotNull(experiments.start_date), isNull(experiments.end_date), active),
  paused: and(isNotNull(experiments.start_date), isNull(experiments.end_date), sql`not ${active}`),
  stopped: isNotNull(experiments.end_date),
};

const sortedBy = (by: Order["by"], now: Date): SQL => {
  if (by === "name") return sql`lower(${experiments.name})`;
  if (by === "duration")
    return sql`coalesce(${experiments.end_date}, ${now.toISOString()}::timestamptz) - ${experiments.start_date}`;
  if (by === "status")
    return sql`case when ${experiments.start_date} is null then 0 when ${experiments.end_date} is null then 1 else 2 end`;
  return sql`${experiments[by]}`;
};

function whereOf(projectId: number, filter: ExperimentFilter): SQL | undefined {
  const { status, archived, created_by_id, feature_flag_id, search } = filter;
  return and(
    eq(experiments.project_id, projectId),
    eq(experiments.deleted, false),
    eq(experiments.archived, archived),
    status && STATUSES[status],
    created_by_id === undefined ? undefined : eq(experiments.created_by_id, created_by_id),
    feature_flag_id === undefined ? undefined : eq(experiments.feature_flag_id, feature_flag_id),
    search ? sql`position(lower(${search}) in lower(${experiments.name})) > 0` : undefined,
  );
}

/** A page of live experiments; those without a value for the sort field come last. */
export async function selectExperiments(
  db: Db,
  projectId: number,
  filter: ExperimentFilter,
  page: { limit: number; offset: number; order: Order; now: Date },
): Promise<{ rows: ExperimentRow[]; count: number }> {
  const where = whereOf(projectId, filter);
  const key = sortedBy(page.order.by, page.now);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(experiments)
      .where(where)
      .orderBy(
        page.order.descending ? sql`${key} desc nulls last` : sql`${key} asc nulls last`,
        desc(experiments.id),
      )
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(experiments).where(where),
  ]);
  return { rows: rows.map(readExperiment), count: total?.count ?? 0 };
}
