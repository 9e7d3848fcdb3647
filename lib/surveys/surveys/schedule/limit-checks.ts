import type { Db } from "#lib/platform/db/connect.ts";
import type { SurveyCache } from "#lib/surveys/surveys/cache.ts";
import { isOpen } from "#lib/surveys/surveys/state.ts";
import { enqueueSurvey } from "./schedule.ts";

type Arrived = { project_id: number; event: { event: string; properties: Record<string, unknown> } };

/**
 * Checks surveys that new responses may have filled: a limit, or a day's share of a plan, applies from the
 * response that reaches it.
 */
export function createLimitChecks({ db, surveys }: { db: Db; surveys: SurveyCache }) {
  return async ({ fresh }: { fresh: readonly Arrived[] }): Promise<void> => {
    const sent = fresh.filter(({ event }) => event.event === "survey sent");
    for (const [project_id, arrivals] of Map.groupBy(sent, (arrived) => arrived.project_id)) {
      const answered = new Set(arrivals.map(({ event }) => event.properties.$survey_id));
      for (const survey of await surveys.project(project_id)) {
        const counts = survey.responses_limit || survey.response_sampling_daily_limits !== null;
        if (counts && answered.has(survey.id) && isOpen(survey, new Date()))
          await enqueueSurvey(db, { project_id, survey_id: survey.id });
      }
    }
  };
}
