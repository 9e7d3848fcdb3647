import type { Db } from "#lib/db/connect.ts";
import type { SurveyCache } from "./cache.ts";
import { enqueueSurvey } from "./schedule.ts";
import { isOpen } from "./state.ts";

type Arrived = { project_id: number; event: { event: string; properties: Record<string, unknown> } };

/**
 * Sees to surveys that responses may have filled: a limit, or a day's share of a plan, holds from the response on
 * that reaches it.
 */
export function createArrivals({ db, surveys }: { db: Db; surveys: SurveyCache }) {
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
