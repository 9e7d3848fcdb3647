import { type Author, record } from "#lib/activity/service.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Runtime } from "#lib/surveys/context.ts";
import { iterationAt, iterationStart } from "#lib/surveys/surveys/recurrence.ts";
import { isOpen, samplingToday } from "#lib/surveys/surveys/state.ts";
import { lockSurvey, type SurveyRow, updateSurvey } from "#lib/surveys/surveys/store.ts";
import { writeFlags, writeRollout } from "#lib/surveys/surveys/targeting.ts";
import { act, changesOf, changing, dailyLimitsOf } from "#lib/surveys/surveys/writing.ts";
import { isFull, rolloutOf } from "./limits.ts";

/** Moves to the iteration at a moment; the survey ends with the last one. */
function iterated(survey: SurveyRow, now: Date): SurveyRow {
  const current = iterationAt(survey, now);
  if (current === "over") return { ...survey, end_date: now };
  // It may have been advanced manually: never go back.
  if (current === null || current <= (survey.current_iteration ?? 0)) return survey;
  return {
    ...survey,
    current_iteration: current,
    current_iteration_start_date: iterationStart(survey, current),
  };
}

/** Restarts the sampling plan after its last day. */
function resampled(survey: SurveyRow, now: Date): SurveyRow {
  const today = samplingToday(survey, now);
  const start = survey.response_sampling_start_date;
  if (!today || !start || today.round_start <= start) return survey;
  const moved = { ...survey, response_sampling_start_date: today.round_start };
  return { ...moved, response_sampling_daily_limits: dailyLimitsOf(moved) };
}

/** The state a survey should have at a moment, by its dates and its number of responses. */
async function advanced(tx: Db, survey: SurveyRow, now: Date): Promise<SurveyRow> {
  if (!isOpen(survey, now)) return survey;
  if (await isFull(tx, survey)) return { ...survey, end_date: now };
  return resampled(iterated(survey, now), now);
}

/** Whether a start or an end has come since a survey was last written. */
const hasTurned = (survey: SurveyRow, now: Date): boolean =>
  [survey.start_date, survey.end_date].some((date) => date && date > survey.updated_at && date <= now);

/**
 * Applies automatic changes of a survey: starts and stops it at its dates, moves to the next iteration, ends
 * it after the last one or at its response limit, and invites today's share of people. Idempotent.
 *
 * @param then called in the same transaction with the updated survey
 */
export async function advance(
  runtime: Runtime,
  { project_id, survey_id }: { project_id: number; survey_id: string },
  now: Date,
  then: (tx: Db, survey: SurveyRow) => Promise<void> = async () => undefined,
): Promise<void> {
  const by: Author = { project_id, user_id: null, now };
  await changing({ db: runtime.db, runtime, projectId: project_id }, async (tx) => {
    const before = await lockSurvey(tx, project_id, survey_id);
    if (!before) return { result: undefined, flags: [] };
    const survey = await advanced(tx, before, now);
    const rollout = await rolloutOf(tx, survey, now);
    const turned = hasTurned(before, now) || survey !== before;
    const write = { tx, by, survey, body: {}, isNew: false, rollout };
    const written = turned ? await writeFlags(write) : await writeRollout(write);
    const version = survey === before ? before.version : before.version + 1;
    const after: SurveyRow = { ...survey, ...written.ids, version };
    if (turned) await updateSurvey(tx, after.id, { ...after, updated_at: now });
    else if (written.touched.length > 0) await updateSurvey(tx, after.id, written.ids);
    const changes = changesOf(before, after, written);
    if (changes.length > 0) await record(tx, { ...act(by, after, "updated"), changes });
    await then(tx, after);
    return { result: undefined, flags: written.touched };
  });
}
