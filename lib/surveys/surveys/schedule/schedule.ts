import { z } from "zod";
import type { Db } from "#lib/platform/db/connect.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { enqueue } from "#lib/platform/jobs/queue.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import type { Runtime } from "#lib/surveys/context.ts";
import { addDays } from "#lib/surveys/surveys/dates.ts";
import { iterationAt, iterationStart } from "#lib/surveys/surveys/recurrence.ts";
import { isOpen, nextBoundary, samplingToday } from "#lib/surveys/surveys/state.ts";
import { type SurveyRow, selectAsking } from "#lib/surveys/surveys/store.ts";
import { advance } from "./advance.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Delay for overdue changes, as somebody may still be editing. */
const OVERDUE_MS = 60_000;

const surveyKey = z.object({ project_id: z.number().int(), survey_id: z.uuid() });

/** Updates one survey, and schedules its next change. */
export const surveyDue = defineJob({
  name: "surveys.due",
  payload: surveyKey,
  run: async ({ runtime, now, payload }: JobContext<z.output<typeof surveyKey>, Runtime>) => {
    await advance(runtime, payload, now, (tx, row) => scheduleNext(tx, row, now));
  },
});

/** Updates surveys without a scheduled job: restored ones, or those written by an earlier version. */
export const surveySweep = defineJob({
  name: "surveys.sweep",
  every: HOUR_MS,
  run: async (context: JobContext<unknown, Runtime>) => {
    const { runtime, db, now } = context;
    await context.each(
      await selectAsking(db, now),
      ({ survey_id }) => survey_id,
      (survey) => advance(runtime, survey, now, (tx, row) => scheduleNext(tx, row, now)),
    );
  },
});

function nextIteration(survey: SurveyRow, now: Date): Date | null {
  const current = iterationAt(survey, now);
  if (current === null) return null;
  const isBehind = current === "over" || current > (survey.current_iteration ?? 1);
  return isBehind ? new Date(now.getTime() + OVERDUE_MS) : iterationStart(survey, current + 1);
}

function nextSamplingDay(survey: SurveyRow, now: Date): Date | null {
  const today = samplingToday(survey, now);
  const start = survey.response_sampling_start_date;
  if (!today || !start) return null;
  if (start > now) return start;
  return addDays(start, Math.floor((now.getTime() - start.getTime()) / DAY_MS) + 1);
}

/** The next automatic change of a survey: its start or end, next iteration, or next day of sampling. */
function nextMoment(survey: SurveyRow, now: Date): Date | null {
  const open = isOpen(survey, now);
  const moments = [
    nextBoundary(survey, now),
    open ? nextIteration(survey, now) : null,
    open ? nextSamplingDay(survey, now) : null,
  ].filter((moment) => moment !== null);
  return moments.length > 0 ? new Date(Math.min(...moments.map((moment) => moment.getTime()))) : null;
}

/** Schedules the next automatic change of a survey. */
export async function scheduleNext(tx: Db, survey: SurveyRow, now: Date): Promise<void> {
  const moment = nextMoment(survey, now);
  if (moment) await enqueueSurvey(tx, { project_id: survey.project_id, survey_id: survey.id }, moment);
}

/** Schedules an update of a survey; at once unless a moment is given. */
export const enqueueSurvey = (db: Db, survey: z.output<typeof surveyKey>, runAt?: Date): Promise<void> =>
  enqueue(db, surveyDue, survey.survey_id, survey, runAt ? { runAt } : {});
