import { authorOf, readActivityPage, record } from "#lib/activity/service.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { conflict, invalid, notFound } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import { checkLaunch } from "#lib/surveys/surveys/questions/check.ts";
import { checkRoom, rolloutOf } from "#lib/surveys/surveys/schedule/limits.ts";
import { enqueueSurvey, scheduleNext } from "#lib/surveys/surveys/schedule/schedule.ts";
import type { surveyContract } from "./contract.ts";
import { loadSurroundings, requireSurvey } from "./lookup.ts";
import { recordOf, writtenOf } from "./record.ts";
import { checkChoiceIds, checkChoiceTexts, checkSurvey, type Facts } from "./rules.ts";
import type { SurveyCreate, SurveyUpdate } from "./schema.ts";
import { isOpen, stateOf } from "./state.ts";
import {
  deleteSurvey,
  insertSurvey,
  isNameTaken,
  lockSurvey,
  type SurveyRow,
  selectSurveys,
  updateSurvey,
} from "./store.ts";
import { deleteFlags, writeFlags } from "./targeting.ts";
import { act, blank, changed, changesOf, changing } from "./writing.ts";

export { check, check_questions } from "#lib/surveys/surveys/questions/check.ts";

type Of<Name extends keyof typeof surveyContract> = Input<(typeof surveyContract)[Name]>;

const SCOPE = "Survey";
const UNIQUE_VIOLATION = "23505";

export async function list(context: MemberContext, { query }: Of<"list">) {
  const words = (query.search ?? "").split(/\s+/).filter((word) => word !== "");
  const { rows, count } = await selectSurveys(
    context.db,
    context.project.id,
    { ...query, words },
    context.now,
  );
  const surroundings = await loadSurroundings(context);
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => recordOf(row, surroundings)),
  };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  return recordOf(await requireSurvey(context, params.id), await loadSurroundings(context));
}

const nameTaken = () => invalid("There is already a survey with this name.", null, "unique");

async function factsOf({ runtime, project, now }: MemberContext): Promise<Facts> {
  const [{ byId: flags }, { byId: cohorts }] = await Promise.all([
    runtime.flags.project(project.id),
    runtime.cohorts.project(project.id),
  ]);
  return { now, flags, cohorts };
}

/** Runs a change of one survey, and reports a name that was taken meanwhile. */
async function writing<T>(
  { db, runtime, project }: MemberContext,
  change: (tx: Db) => Promise<{ result: T; flags: (number | null)[] }>,
): Promise<T> {
  try {
    return await changing({ db, runtime, projectId: project.id }, change);
  } catch (error) {
    // Two requests used the same name at once; names of flags cannot clash.
    if (deepErrorCode(error) === UNIQUE_VIOLATION) throw nameTaken();
    throw error;
  }
}

/** Whether a survey has never been launched and has no response, so that nobody has seen its choices. */
async function isUnanswered(tx: Db, { runtime, now }: MemberContext, survey: SurveyRow): Promise<boolean> {
  if (survey.start_date && survey.start_date <= now) return false;
  return !(await runtime.surveyAnswers.exist(tx, survey));
}

/** Validates a survey's new state, writes its flags and schedules its next automatic change. */
async function settle(
  tx: Db,
  context: MemberContext,
  body: SurveyCreate | SurveyUpdate,
  stored: SurveyRow | null,
) {
  const by = authorOf(context);
  const before = stored ?? blank(by);
  if (body.questions) checkChoiceIds(body.questions, before);
  const forgets = body.questions !== undefined && (await isUnanswered(tx, context, before));
  const after = changed(before, body, context.now, forgets);
  checkChoiceTexts(after);
  checkSurvey(body, before, after, await factsOf(context));
  checkLaunch(before, after, context.now);
  if (after.name !== before.name && (await isNameTaken(tx, context.project.id, after.name, after.id)))
    throw nameTaken();
  await checkRoom(tx, before, after, context.now);
  const rollout = await rolloutOf(tx, after, context.now);
  const written = await writeFlags({ tx, by, survey: after, body, isNew: !stored, rollout });
  const row = { ...after, ...written.ids };
  const limitChanged = row.responses_limit !== before.responses_limit && isOpen(row, context.now);
  if (limitChanged) await enqueueSurvey(tx, { project_id: row.project_id, survey_id: row.id });
  else await scheduleNext(tx, row, context.now);
  const flags = [
    ...written.touched,
    before.linked_flag_id,
    before.targeting_flag_id,
    ...Object.values(written.ids),
  ];
  return { row, changes: changesOf(before, row, written), flags: [...flags, row.linked_flag_id] };
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const row = await writing(context, async (tx) => {
    const { row, flags } = await settle(tx, context, body, null);
    await insertSurvey(tx, row);
    await record(tx, act(authorOf(context), row, "created"));
    return { result: row, flags };
  });
  return writtenOf(row, await loadSurroundings(context));
}

/** Throws the API's 409 for an update of another version than the stored one. */
function checkVersion(stored: SurveyRow, { version }: SurveyUpdate) {
  if (version !== undefined && version !== stored.version)
    throw conflict(
      `The survey has been changed: you edited version ${version}, and ${stored.version} is stored now. Read it again and decide which version to keep.`,
      { version: stored.version },
    );
}

async function change(context: MemberContext, id: string, body: SurveyUpdate) {
  const row = await writing(context, async (tx) => {
    const stored = await lockSurvey(tx, context.project.id, id);
    if (!stored) throw notFound();
    checkVersion(stored, body);
    const { row: after, changes, flags } = await settle(tx, context, body, stored);
    const row = { ...after, version: stored.version + 1 };
    await updateSurvey(tx, row.id, row);
    await context.runtime.surveyAnswers.follow(tx, stored, row);
    if (changes.length > 0) await record(tx, { ...act(authorOf(context), row, "updated"), changes });
    return { result: row, flags };
  });
  return writtenOf(row, await loadSurroundings(context));
}

export const partial_update = (context: MemberContext, { params, body }: Of<"partial_update">) =>
  change(context, params.id, body);

export async function launch(context: MemberContext, { params }: Of<"launch">) {
  const { now } = context;
  const row = await requireSurvey(context, params.id);
  if (row.archived) throw invalid("An archived survey cannot be launched: restore it first.");
  if (isOpen(row, now)) return writtenOf(row, await loadSurroundings(context));
  const start_date = row.start_date && row.start_date <= now ? row.start_date : now;
  return change(context, row.id, { start_date, end_date: null });
}

export async function stop(context: MemberContext, { params }: Of<"stop">) {
  const { now } = context;
  const row = await requireSurvey(context, params.id);
  if (!row.start_date) throw invalid("A draft cannot be stopped: it was never launched.");
  if (stateOf(row, now) === "complete") return writtenOf(row, await loadSurroundings(context));
  return change(context, row.id, { end_date: now });
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await writing(context, async (tx) => {
    const stored = await lockSurvey(tx, context.project.id, params.id);
    if (!stored) throw notFound();
    await deleteSurvey(tx, stored.id);
    await context.runtime.surveyAnswers.follow(tx, stored, null);
    const flags = await deleteFlags(tx, stored, authorOf(context));
    await record(tx, act(authorOf(context), stored, "deleted"));
    return { result: undefined, flags };
  });
  return undefined;
}

type PageQuery = Of<"all_activity">["query"];

/** For surveys, the API returns null without changes; for flags, an empty list. */
async function pageOf(context: MemberContext, item_id: string | undefined, query: PageQuery) {
  const page = await readActivityPage(context, { scopes: [SCOPE], item_id }, query);
  const results = page.results.map((entry) => {
    const { changes } = entry.detail;
    return { ...entry, detail: { ...entry.detail, changes: changes.length > 0 ? changes : null } };
  });
  return { ...page, results };
}

export const all_activity = (context: MemberContext, { query }: Of<"all_activity">) =>
  pageOf(context, undefined, query);

export async function activity(context: MemberContext, { params, query }: Of<"activity">) {
  const { id } = await requireSurvey(context, params.id);
  return pageOf(context, id, query);
}
