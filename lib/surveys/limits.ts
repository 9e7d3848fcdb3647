import type { Db } from "#lib/db/connect.ts";
import { invalid } from "#lib/http/errors.ts";
import { selectResponseCount } from "./limits_store.ts";
import { iterationAt } from "./recurrence.ts";
import { hasRoom, isOpen, samplingToday } from "./state.ts";
import type { SurveyRow } from "./store.ts";

type Limited = Pick<SurveyRow, "id" | "project_id" | "responses_limit">;

/** Whether a survey has as many responses as it may get. */
export async function isFull(db: Db, survey: Limited): Promise<boolean> {
  const { responses_limit: limit } = survey;
  if (!limit) return false;
  return !hasRoom(survey, await selectResponseCount(db, survey, { since: null, most: limit }));
}

/**
 * A survey that would be closed again at once cannot be opened: one that is full, or resumed after its last iteration.
 *
 * @throws ApiError 400 on the field that would have to change
 */
export async function checkRoom(tx: Db, before: SurveyRow, after: SurveyRow, now: Date): Promise<void> {
  if (!isOpen(after, now) || isOpen(before, now)) return;
  if (before.end_date && iterationAt(after, now) === "over")
    throw invalid(
      `All ${after.iteration_count} iterations are over: raise their number, or set it to 0.`,
      "iteration_count",
    );
  if (!(await isFull(tx, after))) return;
  throw invalid(
    `The survey has the ${after.responses_limit} responses that it may get: raise the limit, or take it away.`,
    "responses_limit",
  );
}

/**
 * Which share of people the sampling plan invites at a moment, in percent: today's, or nobody once today's number
 * of responses is there.
 *
 * @returns null where there is no plan, or nobody is asked anyway
 */
export async function rolloutOf(db: Db, survey: SurveyRow, now: Date): Promise<number | null> {
  const today = isOpen(survey, now) ? samplingToday(survey, now) : null;
  if (!today) return null;
  const most = today.daily_response_limit;
  const begun = most > 0 ? await selectResponseCount(db, survey, { since: today.round_start, most }) : 0;
  return begun < most ? today.rollout_percentage : 0;
}
