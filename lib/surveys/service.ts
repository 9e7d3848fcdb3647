import { v7 as uuidv7 } from "uuid";
import { changesBetween } from "#lib/activity/changes.ts";
import { activityPageOf, record } from "#lib/activity/service.ts";
import { type Db, inTransaction } from "#lib/db/connect.ts";
import { deepErrorCode } from "#lib/db/errors.ts";
import { publish } from "#lib/db/notify.ts";
import { FLAGS_TOPIC } from "#lib/feature_flags/cache.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { neighbours } from "#lib/http/paging.ts";
import { codingOf } from "#lib/survey_results/coding.ts";
import { recodeSurvey } from "#lib/survey_results/rebuild.ts";
import { checkLaunch } from "./check.ts";
import { storedAppearance, storedQuestions } from "./clean.ts";
import type { surveyContract } from "./contract.ts";
import { momentTextOrNull } from "./dates.ts";
import { surroundingsOf, surveyOf } from "./lookup.ts";
import { recordOf, writtenOf } from "./record.ts";
import { iterationsOf, type SamplingInterval, samplingPlan } from "./recurrence.ts";
import { checkSurvey, type Facts } from "./rules.ts";
import type { SurveyCreate, SurveyUpdate } from "./schema.ts";
import {
  deleteSurvey,
  insertSurvey,
  isNameTaken,
  lockSurvey,
  type SurveyRow,
  selectSurveys,
  updateSurvey,
} from "./store.ts";
import { deleteFlags, type FlagWrite, writeFlags } from "./targeting.ts";

export { check, check_questions } from "./check.ts";
export { all_stats, responses_count, stats } from "./figures.ts";
export { summarize_responses } from "./summaries.ts";

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
  const surroundings = await surroundingsOf(context);
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => recordOf(row, surroundings)),
  };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  return recordOf(await surveyOf(context, params.id), await surroundingsOf(context));
}

/** What a new survey has of every field that is not sent. */
const blank = (context: MemberContext): SurveyRow => ({
  id: uuidv7(),
  project_id: context.project.id,
  name: "",
  description: "",
  type: "popover",
  schedule: "once",
  linked_flag_id: null,
  targeting_flag_id: null,
  internal_targeting_flag_id: null,
  internal_response_sampling_flag_id: null,
  questions: null,
  conditions: null,
  appearance: null,
  start_date: null,
  end_date: null,
  archived: false,
  responses_limit: null,
  enable_partial_responses: false,
  iteration_count: null,
  iteration_frequency_days: null,
  iteration_start_dates: [],
  current_iteration: null,
  current_iteration_start_date: null,
  response_sampling_start_date: null,
  response_sampling_interval_type: "week",
  response_sampling_interval: null,
  response_sampling_limit: null,
  response_sampling_daily_limits: null,
  created_by_id: context.user.id,
  created_at: context.now,
  updated_at: context.now,
});

/** The survey with a request's fields in it, and with what follows from them. */
function changed(before: SurveyRow, body: SurveyUpdate, now: Date): SurveyRow {
  const { questions, appearance, targeting_flag_filters, remove_targeting_flag, ...rest } = body;
  const { _create_in_folder, iteration_start_dates, response_sampling_daily_limits, ...fields } = rest;
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const after: SurveyRow = {
    ...before,
    ...(sent as Partial<SurveyRow>),
    ...(questions !== undefined && { questions: questions && storedQuestions(questions) }),
    ...(appearance !== undefined && { appearance: appearance && storedAppearance(appearance) }),
    updated_at: now,
  };
  const plan = samplingPlan({
    ...after,
    response_sampling_interval_type: after.response_sampling_interval_type as SamplingInterval | null,
  });
  return { ...after, ...iterationsOf(after), response_sampling_daily_limits: plan && JSON.stringify(plan) };
}

/** Fields whose changes are told, in the order told. */
const WATCHED = [
  "name",
  "description",
  "type",
  "schedule",
  "linked_flag_id",
  "targeting_flag_filters",
  "targeting_flag",
  "questions",
  "conditions",
  "appearance",
  "start_date",
  "end_date",
  "archived",
  "responses_limit",
  "iteration_count",
  "iteration_frequency_days",
  "iteration_start_dates",
  "current_iteration",
  "current_iteration_start_date",
  "response_sampling_start_date",
  "response_sampling_interval_type",
  "response_sampling_interval",
  "response_sampling_limit",
  "response_sampling_daily_limits",
  "enable_partial_responses",
] as const;

const told = (row: SurveyRow, filters: Record<string, unknown> | null, removed: boolean) => ({
  ...row,
  start_date: momentTextOrNull(row.start_date),
  end_date: momentTextOrNull(row.end_date),
  current_iteration_start_date: momentTextOrNull(row.current_iteration_start_date),
  response_sampling_start_date: momentTextOrNull(row.response_sampling_start_date),
  [removed ? "targeting_flag" : "targeting_flag_filters"]: filters,
});

function changesOf(before: SurveyRow, after: SurveyRow, { filters, ids }: FlagWrite) {
  const removed = before.targeting_flag_id !== null && ids.targeting_flag_id === null;
  return changesBetween(
    SCOPE,
    WATCHED,
    told(before, filters.before, removed),
    told(after, filters.after, removed),
  );
}

const act = (context: MemberContext, row: SurveyRow, activity: string) => ({
  project_id: context.project.id,
  user_id: context.user.id,
  scope: SCOPE,
  item_id: row.id,
  activity,
  name: row.name,
});

const nameTaken = () => invalid("There is already a survey with this name.", null, "unique");

async function factsOf({ runtime, project, now }: MemberContext): Promise<Facts> {
  const [{ byId: flags }, { byId: cohorts }] = await Promise.all([
    runtime.flags.project(project.id),
    runtime.cohorts.project(project.id),
  ]);
  return { now, flags, cohorts };
}

/** Runs a change of one survey in a transaction; everybody who holds its flags in memory learns of it. */
async function changing<T>(
  context: MemberContext,
  change: (tx: Db) => Promise<{ result: T; flags: (number | null)[] }>,
): Promise<T> {
  const projectId = context.project.id;
  try {
    const { result, ids } = await inTransaction(context.db, async (tx) => {
      const { result, flags } = await change(tx);
      const ids = [...new Set(flags.filter((id) => id !== null))];
      if (ids.length > 0) await publish(tx, FLAGS_TOPIC, { project_id: projectId, ids });
      return { result, ids };
    });
    if (ids.length > 0) context.runtime.flags.changed(projectId, ids);
    context.runtime.surveys.changed(projectId);
    return result;
  } catch (error) {
    // Two requests took the same name at once; the names of flags cannot clash.
    if (deepErrorCode(error) === UNIQUE_VIOLATION) throw nameTaken();
    throw error;
  }
}

/** Checks a survey's new state and writes its flags. */
async function settle(
  tx: Db,
  context: MemberContext,
  body: SurveyCreate | SurveyUpdate,
  stored: SurveyRow | null,
) {
  const before = stored ?? blank(context);
  const after = changed(before, body, context.now);
  checkSurvey(body, before, after, await factsOf(context));
  checkLaunch(before, after, context.now);
  if (after.name !== before.name && (await isNameTaken(tx, context.project.id, after.name, after.id)))
    throw nameTaken();
  const written = await writeFlags({ tx, context, survey: after, body, isNew: !stored });
  const row = { ...after, ...written.ids };
  const flags = [
    ...written.touched,
    before.linked_flag_id,
    before.targeting_flag_id,
    ...Object.values(written.ids),
  ];
  return { row, changes: changesOf(before, row, written), flags: [...flags, row.linked_flag_id] };
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const row = await changing(context, async (tx) => {
    const { row, flags } = await settle(tx, context, body, null);
    await insertSurvey(tx, row);
    await record(tx, act(context, row, "created"));
    return { result: row, flags };
  });
  return writtenOf(row, await surroundingsOf(context));
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  const row = await changing(context, async (tx) => {
    const stored = await lockSurvey(tx, context.project.id, params.id);
    if (!stored) throw notFound();
    const { row, changes, flags } = await settle(tx, context, body, stored);
    await updateSurvey(tx, row.id, row);
    if (codingOf(row.questions ?? []) !== codingOf(stored.questions ?? []))
      await recodeSurvey(tx, { project_id: row.project_id, survey_id: row.id });
    if (changes.length > 0) await record(tx, { ...act(context, row, "updated"), changes });
    return { result: row, flags };
  });
  return writtenOf(row, await surroundingsOf(context));
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await changing(context, async (tx) => {
    const stored = await lockSurvey(tx, context.project.id, params.id);
    if (!stored) throw notFound();
    await deleteSurvey(tx, stored.id);
    await recodeSurvey(tx, { project_id: stored.project_id, survey_id: stored.id });
    const flags = await deleteFlags(tx, stored);
    await record(tx, act(context, stored, "deleted"));
    return { result: undefined, flags };
  });
  return undefined;
}

export const all_activity = (context: MemberContext, { query }: Of<"all_activity">) =>
  activityPageOf(context, { scopes: [SCOPE] }, query);

export async function activity(context: MemberContext, { params, query }: Of<"activity">) {
  const { id } = await surveyOf(context, params.id);
  return activityPageOf(context, { scopes: [SCOPE], item_id: id }, query);
}
