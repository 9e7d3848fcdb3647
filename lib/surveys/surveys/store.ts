import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lte,
  min,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";
import { type Readable, readStored, writableValues } from "#lib/platform/http/stored-schema.ts";
import { type ListedStatus, type SurveyOrder, storedSurvey } from "./schema.ts";

/**
 * The notification topic of changed surveys; its payload is `{project_id}`. Every write below publishes on
 * it.
 */
export const SURVEYS_TOPIC = "surveys";

export type SurveyRow = typeof surveys.$inferSelect & Readable;
export type SurveyInsert = typeof surveys.$inferInsert;

const read = (row: SurveyRow): SurveyRow => readStored(storedSurvey, row);

/** A pattern that matches texts that contain a text. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

export type SurveyFilter = {
  words: string[];
  status?: ListedStatus | undefined;
  type?: SurveyRow["type"] | undefined;
  archived?: "true" | "false" | undefined;
  ids?: string[] | undefined;
  order: SurveyOrder;
  limit: number;
  offset: number;
};

function standing(status: ListedStatus, now: Date): SQL | undefined {
  if (status === "archived") return eq(surveys.archived, true);
  const started = lte(surveys.start_date, now);
  const ended = lte(surveys.end_date, now);
  const goesOn = or(isNull(surveys.end_date), gt(surveys.end_date, now));
  const states = {
    draft: isNull(surveys.start_date),
    scheduled: and(gt(surveys.start_date, now), goesOn),
    running: and(started, goesOn),
    complete: and(isNotNull(surveys.start_date), ended),
  };
  return and(eq(surveys.archived, false), states[status]);
}

/** A page of a project's surveys, and their total number. */
export async function selectSurveys(db: Db, projectId: number, filter: SurveyFilter, now: Date) {
  const { words, status, type, archived, ids, order } = filter;
  const matches = words.map((word) =>
    or(ilike(surveys.name, containing(word)), ilike(surveys.description, containing(word))),
  );
  const where = and(
    eq(surveys.project_id, projectId),
    ...matches,
    status && standing(status, now),
    type ? eq(surveys.type, type) : undefined,
    archived ? eq(surveys.archived, archived === "true") : undefined,
    ids?.length ? inArray(surveys.id, ids) : undefined,
  );
  const field = surveys[order.replace("-", "") as "created_at" | "name" | "start_date" | "end_date"];
  const [by, then] = order.startsWith("-")
    ? [sql`${field} desc nulls last`, desc(surveys.id)]
    : [sql`${field} asc nulls last`, asc(surveys.id)];
  const [rows, [total]] = await Promise.all([
    db.select().from(surveys).where(where).orderBy(by, then).limit(filter.limit).offset(filter.offset),
    db.select({ count: count() }).from(surveys).where(where),
  ]);
  return { rows: rows.map(read), count: total?.count ?? 0 };
}

export async function selectSurvey(db: Db, projectId: number, id: string): Promise<SurveyRow | null> {
  const [row] = await db
    .select()
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), eq(surveys.id, id)));
  return row ? read(row) : null;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Surveys of a project by id; what events name as a survey may be any text. */
export async function selectSurveysById(
  db: Db,
  projectId: number,
  ids: readonly string[],
): Promise<SurveyRow[]> {
  const known = ids.filter((id) => UUID.test(id));
  if (known.length === 0) return [];
  const rows = await db
    .select()
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), inArray(surveys.id, known)));
  return rows.map(read);
}

/** The row, locked until this transaction ends. */
export async function lockSurvey(tx: Db, projectId: number, id: string): Promise<SurveyRow | null> {
  const [row] = await tx
    .select()
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), eq(surveys.id, id)))
    .for("update");
  return row ? read(row) : null;
}

/** All unarchived surveys for SDKs, newest first. */
export async function selectLiveSurveys(db: Db, projectId: number): Promise<SurveyRow[]> {
  const rows = await db
    .select()
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), eq(surveys.archived, false)))
    .orderBy(descending(surveys.created_at), desc(surveys.id));
  return rows.map(read);
}

/** A survey of any project, for respondents who only know its id. */
export async function selectSurveyAnywhere(db: Db, id: string): Promise<SurveyRow | null> {
  const [row] = await db.select().from(surveys).where(eq(surveys.id, id));
  return row ? read(row) : null;
}

/** When the first survey of a project was launched. */
export async function selectEarliestStart(db: Db, projectId: number): Promise<Date | null> {
  const [row] = await db
    .select({ start: min(surveys.start_date) })
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), isNotNull(surveys.start_date)));
  return row?.start ?? null;
}

export async function isNameTaken(db: Db, projectId: number, name: string, except: string): Promise<boolean> {
  const [row] = await db
    .select({ id: surveys.id })
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), eq(surveys.name, name), ne(surveys.id, except)));
  return row !== undefined;
}

/** Running and scheduled surveys of all projects: those that may change automatically. */
export async function selectAsking(db: Db, now: Date): Promise<{ project_id: number; survey_id: string }[]> {
  return db
    .select({ project_id: surveys.project_id, survey_id: surveys.id })
    .from(surveys)
    .where(
      and(
        eq(surveys.archived, false),
        isNotNull(surveys.start_date),
        // A survey that just ended by its date may still have its flags on.
        or(isNull(surveys.end_date), gt(surveys.end_date, surveys.updated_at), gt(surveys.end_date, now)),
      ),
    )
    .orderBy(asc(surveys.id));
}

/** Whether another survey targets with a flag or, optionally, is linked to it. */
export async function isUsedElsewhere(
  tx: Db,
  flagId: number,
  surveyId: string,
  linksCount: boolean,
): Promise<boolean> {
  const targets = eq(surveys.targeting_flag_id, flagId);
  const uses = linksCount ? or(targets, eq(surveys.linked_flag_id, flagId)) : targets;
  const [row] = await tx
    .select({ id: surveys.id })
    .from(surveys)
    .where(and(uses, ne(surveys.id, surveyId)))
    .limit(1);
  return row !== undefined;
}

export async function insertSurvey(tx: Db, values: SurveyInsert): Promise<void> {
  await tx.insert(surveys).values(values);
  await publish(tx, SURVEYS_TOPIC, { project_id: values.project_id });
}

export async function updateSurvey(
  tx: Db,
  id: string,
  values: Partial<SurveyInsert> & Readable,
): Promise<void> {
  const [row] = await tx
    .update(surveys)
    .set(writableValues(values))
    .where(eq(surveys.id, id))
    .returning({ project_id: surveys.project_id });
  if (row) await publish(tx, SURVEYS_TOPIC, row);
}

export async function deleteSurvey(tx: Db, id: string): Promise<void> {
  const [row] = await tx
    .delete(surveys)
    .where(eq(surveys.id, id))
    .returning({ project_id: surveys.project_id });
  if (row) await publish(tx, SURVEYS_TOPIC, row);
}
