import { and, eq, getTableColumns, inArray, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { type ActivityInsert, activityOf, outboxOf } from "#lib/activity/store.ts";
import { type Db, readConcurrently } from "#lib/platform/db/connect.ts";
import { notification } from "#lib/platform/db/notify.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { type dashboards, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";

export type FlagRow = typeof feature_flags.$inferSelect;
export type FlagInsert = typeof feature_flags.$inferInsert;
export type SurveyRow = typeof surveys.$inferSelect;

/** A flag with what else refers to it. */
export type FlagWithLinks = FlagRow & {
  /** Surveys linked to it. */
  surveys: SurveyRow[];
  /** Whether a survey created it, to target its respondents. */
  targets_survey: boolean;
  /** Ids of the live experiments on it. */
  experiment_set: number[];
};

type Given<T> = T | Placeholder;

/** `ids` null: of whatever flag. */
const isOneOf = (column: AnyPgColumn, ids: Given<number[]> | null) =>
  ids === null ? undefined : sql`${column} = any(${sql.param(ids)}::int[])`;

/** Reads of flags and of what refers to them; `ids` null: all flags of the project. */
const readsOf = (db: Db, projectId: Given<number>, ids: Given<number[]> | null) => ({
  flags: db
    .select()
    .from(feature_flags)
    .where(
      ids === null
        ? eq(feature_flags.project_id, projectId)
        : // The sum keeps the database from reading the index of all the project's flags along with that of ids.
          and(isOneOf(feature_flags.id, ids), sql`${feature_flags.project_id} + 0 = ${projectId}`),
    ),
  surveys: db
    .select()
    .from(surveys)
    .where(
      and(
        eq(surveys.project_id, projectId),
        or(
          isOneOf(surveys.linked_flag_id, ids),
          isOneOf(surveys.targeting_flag_id, ids),
          isOneOf(surveys.internal_targeting_flag_id, ids),
          isOneOf(surveys.internal_response_sampling_flag_id, ids),
        ),
      ),
    ),
  experiments: selectExperimentLinks(db, projectId, ids),
});

type Read<K extends keyof ReturnType<typeof readsOf>> = Awaited<ReturnType<typeof readsOf>[K]>;

function withLinks(
  rows: Read<"flags">,
  surveyRows: Read<"surveys">,
  experimentRows: Read<"experiments">,
): FlagWithLinks[] {
  const targeting = new Set(
    surveyRows.flatMap((s) => [
      s.targeting_flag_id,
      s.internal_targeting_flag_id,
      s.internal_response_sampling_flag_id,
    ]),
  );
  const linked = Map.groupBy(surveyRows, (survey) => survey.linked_flag_id);
  const tried = Map.groupBy(
    experimentRows.filter((experiment) => !experiment.deleted),
    (experiment) => experiment.feature_flag_id,
  );
  return rows.map((row) => ({
    ...row,
    surveys: linked.get(row.id) ?? [],
    targets_survey: targeting.has(row.id),
    experiment_set: (tried.get(row.id) ?? []).map((experiment) => experiment.id),
  }));
}

/** Flags of a project, deleted ones included; `ids` null: all of them. */
export async function selectFlags(db: Db, projectId: number, ids: number[] | null): Promise<FlagWithLinks[]> {
  const reads = readsOf(db, projectId, ids);
  return withLinks(...(await readConcurrently(db, reads.flags, reads.surveys, reads.experiments)));
}

/**
 * A function that does the same for some flags, again and again: its statements are prepared, since building and planning
 * them takes longer than reading a flag.
 */
export function createSelectSomeFlags(db: Db) {
  const reads = readsOf(db, sql.placeholder("project_id"), sql.placeholder("ids"));
  const statements = [
    reads.flags.prepare("some_flags"),
    reads.surveys.prepare("surveys_of_some_flags"),
    reads.experiments.prepare("experiments_of_some_flags"),
  ] as const;
  return async (project_id: number, ids: readonly number[]): Promise<FlagWithLinks[]> => {
    const [flags, surveys, experiments] = statements;
    const given = { project_id, ids };
    return withLinks(
      ...(await Promise.all([flags.execute(given), surveys.execute(given), experiments.execute(given)])),
    );
  };
}

/** Which experiments use flags, deleted ones included; `ids` null: on any of the project's. */
export const selectExperimentLinks = (db: Db, projectId: Given<number>, ids: Given<number[]> | null) =>
  db
    .select({
      id: experiments.id,
      feature_flag_id: experiments.feature_flag_id,
      deleted: experiments.deleted,
    })
    .from(experiments)
    .where(and(eq(experiments.project_id, projectId), isOneOf(experiments.feature_flag_id, ids)))
    .orderBy(experiments.id);

/** Locks the row for writing until this transaction ends. */
export async function lockFlag(tx: Db, projectId: number, id: number): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), eq(feature_flags.id, id)))
    .for("update");
  return row ?? null;
}

/** Locks and returns the live flag with a key. */
export async function lockFlagByKey(tx: Db, projectId: number, key: string): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(
      and(
        eq(feature_flags.project_id, projectId),
        eq(feature_flags.key, key),
        eq(feature_flags.deleted, false),
      ),
    )
    .for("update");
  return row ?? null;
}

/** Flags by id, locked; of this project alone, deleted ones too. */
export async function lockFlags(
  tx: Db,
  projectId: number,
  ids: (number | null)[],
): Promise<Map<number, FlagRow>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), inArray(feature_flags.id, wanted)))
    .orderBy(feature_flags.id)
    .for("update");
  return new Map(rows.map((row) => [row.id, row]));
}

export async function selectFlagByKey(tx: Db, projectId: number, key: string): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), eq(feature_flags.key, key)));
  return row ?? null;
}

/** @returns null where the key is taken */
export async function insertFlag(tx: Db, values: FlagInsert): Promise<FlagRow | null> {
  const [row] = await tx.insert(feature_flags).values(values).onConflictDoNothing().returning();
  return row ?? null;
}

/** A change of a flag with all that is written along with it. */
type FlagUpdateWhole = {
  values: Partial<FlagInsert>;
  entry: ActivityInsert & { created_at: Date };
  topic: string;
  message: object;
};

/** A flag with all that is written along with it. */
export type NewFlag = {
  flag: Omit<FlagRow, "id" | "usage_dashboard_id">;
  /** Its usage dashboard; null for none. */
  dashboard: typeof dashboards.$inferInsert | null;
  /** Its activity entry, but for the id that it gets. */
  entry: ActivityInsert & { created_at: Date };
  topic: string;
};

const { id: _, usage_dashboard_id, ...GIVEN_COLUMNS } = getTableColumns(feature_flags);

/** The statement of `insertFlagWhole`; its rows are given as JSON, since building a parameter for each column takes long. */
function prepareInsertFlagWhole(db: Db) {
  const given = sql.join(
    Object.values(GIVEN_COLUMNS).map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  const dashboard = sql`${sql.placeholder("dashboard")}::json`;
  const flag = db.$with("flag", { id: feature_flags.id, usage_dashboard_id }).as(sql`
    insert into feature_flags (${given}, usage_dashboard_id)
    select ${given}, case when ${dashboard} is not null then nextval('dashboards_id_seq') end
    from json_populate_record(null::feature_flags, ${sql.placeholder("flag")}::json)
    on conflict do nothing returning id, usage_dashboard_id`);
  const board = db.$with("board", {}).as(sql`
    insert into dashboards (id, project_id, created_by_id, name, description, creation_mode, tiles)
    select usage_dashboard_id, board.project_id, board.created_by_id, board.name, board.description,
      board.creation_mode, board.tiles
    from flag, json_populate_record(null::dashboards, ${dashboard}) board
    where usage_dashboard_id is not null`);
  const entry = db.$with("entry", {}).as(activityOf(sql.placeholder("entry"), "flag"));
  const line = db.$with("line", {}).as(outboxOf("entry"));
  const message = sql`json_build_object('project_id', ${sql.placeholder("project_id")}::int, 'ids', json_build_array(flag.id))`;
  return db
    .with(flag, board, entry, line)
    .select({ ...flag._.selectedFields, told: notification(sql.placeholder("topic"), message) })
    .from(flag)
    .prepare("insert_flag");
}

const preparedInserts = new WeakMap<Db, ReturnType<typeof prepareInsertFlagWhole>>();

/**
 * Writes a flag, its dashboard and its activity entry, and notifies other processes: one statement, so that it
 * is one round trip to the database and atomic without a surrounding transaction.
 *
 * @returns null where the key is taken, by a deleted flag too; nothing is written then
 */
export async function insertFlagWhole(
  db: Db,
  { flag, dashboard, entry, topic }: NewFlag,
): Promise<{ id: number; usage_dashboard_id: number | null } | null> {
  const statement = preparedInserts.get(db) ?? prepareInsertFlagWhole(db);
  preparedInserts.set(db, statement);
  const [made] = await statement.execute({
    flag: JSON.stringify(flag),
    project_id: flag.project_id,
    dashboard: dashboard && JSON.stringify(dashboard),
    entry: JSON.stringify(entry),
    topic,
  });
  return made ? { id: made.id, usage_dashboard_id: made.usage_dashboard_id } : null;
}

export async function updateFlag(tx: Db, id: number, values: Partial<FlagInsert>): Promise<FlagRow> {
  const [row] = await tx.update(feature_flags).set(values).where(eq(feature_flags.id, id)).returning();
  if (!row) throw new Error(`Flag ${id} vanished while it was locked.`);
  return row;
}

/**
 * Updates a flag, writes its activity entry and notifies other processes: one statement, because each round trip
 * holds the flag's lock longer.
 *
 * @param id of a locked flag
 */
export async function updateFlagWhole(tx: Db, id: number, change: FlagUpdateWhole): Promise<FlagRow> {
  const row = await updateFlagWhere(tx, eq(feature_flags.id, id), change);
  if (!row) throw new Error(`Flag ${id} vanished while it was locked.`);
  return row;
}

/**
 * The same for a flag that is not locked.
 *
 * @returns null where it no longer has the version; nothing is written then
 */
export const updateFlagOfVersion = (
  db: Db,
  { id, version }: Pick<FlagRow, "id" | "version">,
  change: FlagUpdateWhole,
): Promise<FlagRow | null> =>
  updateFlagWhere(db, and(eq(feature_flags.id, id), eq(feature_flags.version, version)), change);

async function updateFlagWhere(
  db: Db,
  where: SQL | undefined,
  { values, entry, topic, message }: FlagUpdateWhole,
): Promise<FlagRow | null> {
  const flag = db.$with("flag").as(db.update(feature_flags).set(values).where(where).returning());
  const written = db.$with("entry", {}).as(activityOf(JSON.stringify(entry), "flag"));
  const line = db.$with("line", {}).as(outboxOf("entry"));
  const [found] = await db
    .with(flag, written, line)
    .select({ flag: flag._.selectedFields, told: notification(topic, sql`${JSON.stringify(message)}::json`) })
    .from(flag);
  return found?.flag ?? null;
}

/** Deletes flags created by a kind of record; other flags stay. @returns those deleted */
export async function deleteFlags(tx: Db, ids: number[], creation_context: string): Promise<FlagRow[]> {
  if (ids.length === 0) return [];
  return tx
    .delete(feature_flags)
    .where(and(inArray(feature_flags.id, ids), eq(feature_flags.creation_context, creation_context)))
    .returning();
}

/** Serialises writers that change which flags depend on which: a cycle must not slip in between two of them. */
export async function lockDependencies(tx: Db, projectId: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294302, ${projectId})`);
}
