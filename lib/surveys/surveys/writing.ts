import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { changesBetween, sameJson } from "#lib/activity/changes.ts";
import type { Activity, Author } from "#lib/activity/service.ts";
import { FLAGS_TOPIC } from "#lib/flags/feature_flags/cache.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { initialValues, loggedNames, showValues } from "#lib/platform/fields-schema.ts";
import { stillUnreadable } from "#lib/platform/http/stored-schema.ts";
import type { Runtime } from "#lib/surveys/context.ts";
import { assignChoiceIds, type ChoiceHistory, nextHistory } from "#lib/surveys/surveys/questions/choices.ts";
import { storedAppearance, storedQuestions } from "#lib/surveys/surveys/questions/clean.ts";
import { iterationsOf, samplingPlan } from "./recurrence.ts";
import { SURVEY_FIELDS, type SurveyUpdate } from "./schema.ts";
import type { SurveyRow } from "./store.ts";
import type { FlagWrite } from "./targeting.ts";

const SCOPE = "Survey";

/** Defaults of a new survey. */
export const blank = (by: Author): SurveyRow => ({
  ...initialValues(SURVEY_FIELDS),
  id: uuidv7(),
  project_id: by.project_id,
  internal_targeting_flag_id: null,
  internal_response_sampling_flag_id: null,
  choice_history: null,
  created_by_id: by.user_id,
  created_at: by.now,
  updated_at: by.now,
});

const newChoiceId = () => randomUUID().slice(0, 8);

/** Sent questions as stored, with the history of their choices. */
function choicesAfter(
  before: SurveyRow,
  sent: NonNullable<SurveyUpdate["questions"]> | null,
  now: Date,
  forgets: boolean,
): { questions: SurveyRow["questions"]; choice_history: ChoiceHistory } {
  const { questions: old, choice_history: history } = before;
  const questions = sent && assignChoiceIds(storedQuestions(sent), old, history, newChoiceId);
  const [past, known] = forgets ? [null, null] : [old, history];
  return { questions, choice_history: nextHistory(known, past, questions, now.getTime()) };
}

/**
 * Applies a request's fields to a survey, and computes the fields that depend on them.
 *
 * @param forgets whether earlier texts of choices can be dropped
 */
export function changed(before: SurveyRow, body: SurveyUpdate, now: Date, forgets: boolean): SurveyRow {
  const { questions, appearance, targeting_flag_filters, remove_targeting_flag, ...rest } = body;
  const { _create_in_folder, iteration_start_dates, response_sampling_daily_limits, version, ...fields } =
    rest;
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const after: SurveyRow = {
    ...before,
    ...(sent as Partial<SurveyRow>),
    ...(questions !== undefined && choicesAfter(before, questions, now, forgets)),
    ...(appearance !== undefined && { appearance: appearance && storedAppearance(appearance) }),
    updated_at: now,
    unreadable_fields: stillUnreadable(before, body),
  };
  return { ...after, ...iterationsOf(after), response_sampling_daily_limits: dailyLimitsOf(after) };
}

/** The sampling plan of a survey, as stored. */
export function dailyLimitsOf(survey: SurveyRow): string | null {
  const plan = samplingPlan(survey);
  return plan && JSON.stringify(plan);
}

const loggedFields = (row: SurveyRow, filters: Record<string, unknown> | null, removed: boolean) => ({
  ...showValues(SURVEY_FIELDS, row),
  [removed ? "targeting_flag" : "targeting_flag_filters"]: filters,
});

/** Changes between two states of a survey, for the activity log. */
export function changesOf(before: SurveyRow, after: SurveyRow, { filters, ids }: FlagWrite) {
  const removed = before.targeting_flag_id !== null && ids.targeting_flag_id === null;
  // Filters describe the targeting flag; its id is logged only if another flag was chosen.
  const isNamed = filters.after !== null && sameJson(filters.before, filters.after);
  const named = (id: number | null) => ({ targeting_flag_id: isNamed ? id : null });
  return changesBetween(
    SCOPE,
    loggedNames(SURVEY_FIELDS),
    { ...loggedFields(before, filters.before, removed), ...named(before.targeting_flag_id) },
    { ...loggedFields(after, filters.after, removed), ...named(ids.targeting_flag_id) },
  );
}

/** An activity log entry of a survey. */
export const act = (by: Author, row: SurveyRow, activity: string): Activity => ({
  project_id: by.project_id,
  user_id: by.user_id,
  scope: SCOPE,
  item_id: row.id,
  activity,
  name: row.name,
});

/** Runs a change of one survey in a transaction, and notifies caches of it and of its flags. */
export async function changing<T>(
  { db, runtime, projectId }: { db: Db; runtime: Runtime; projectId: number },
  change: (tx: Db) => Promise<{ result: T; flags: (number | null)[] }>,
): Promise<T> {
  const { result, ids } = await inTransaction(db, async (tx) => {
    const { result, flags } = await change(tx);
    const ids = [...new Set(flags.filter((id) => id !== null))];
    if (ids.length > 0) await publish(tx, FLAGS_TOPIC, { project_id: projectId, ids });
    return { result, ids };
  });
  if (ids.length > 0) runtime.flags.changed(projectId, ids);
  runtime.surveys.changed(projectId);
  return result;
}
