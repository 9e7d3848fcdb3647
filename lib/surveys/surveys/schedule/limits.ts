import type { Db } from "#lib/platform/db/connect.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { iterationAt } from "#lib/surveys/surveys/recurrence.ts";
import { hasRoom, isOpen, samplingToday } from "#lib/surveys/surveys/state.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { selectResponseCount } from "./limits-store.ts";

type Limited = Pick<SurveyRow, "id" | "project_id" | "responses_limit">;

/** Whether a survey has reached its response limit. */
export async function isFull(db: Db, survey: Limited): Promise<boolean> {
  const { responses_limit: limit } = survey;
  if (!limit) return false;
  return !hasRoom(survey, await selectResponseCount(db, survey, { since: null, most: limit }));
}

/**
 * Rejects opening a survey that would close again at once: it is full, or past its last iteration.
 *
 * @throws ApiError 400 on the field that would have to change
 */
export async function checkRoom(tx: Db, before: SurveyRow, after: SurveyRow, now: Date): Promise<void> {
  if (!isOpen(after, now) || isOpen(before, now)) return;
  if (before.end_date && iterationAt(after, now) === "over")
    throw invalid(
      `All ${after.iteration_count} iterations are over: raise iteration_count, or set it to 0.`,
      "iteration_count",
    );
  if (!(await isFull(tx, after))) return;
  throw invalid(
    `The survey has reached its limit of ${after.responses_limit} responses: raise or remove the limit.`,
    "responses_limit",
  );
}

/**
 * The percentage of people that the sampling plan invites at a moment: today's, or 0 once today's number of
 * responses is reached.
 *
 * @returns null if there is no plan, or the survey is not running
 */
export async function rolloutOf(db: Db, survey: SurveyRow, now: Date): Promise<number | null> {
  const today = isOpen(survey, now) ? samplingToday(survey, now) : null;
  if (!today) return null;
  const most = today.daily_response_limit;
  const begun = most > 0 ? await selectResponseCount(db, survey, { since: today.round_start, most }) : 0;
  return begun < most ? today.rollout_percentage : 0;
}
