import type { IngestEvent } from "#lib/people/events/event.ts";
import { asDatabaseUnavailable } from "#lib/platform/db/connect.ts";
import type { SurveyCache } from "#lib/surveys/surveys/cache.ts";
import { stateOf } from "#lib/surveys/surveys/state.ts";
import { FACT_EVENTS } from "./facts.ts";

/** Where an event names the survey that it was sent for as a draft: nothing that counts looks there. */
const DRAFT_ID = "$draft_survey_id";

const setAside = (event: IngestEvent): IngestEvent => {
  const { $survey_id, ...others } = event.properties;
  const properties = { ...others, [DRAFT_ID]: $survey_id };
  return { ...event, properties, json: JSON.stringify(properties) };
};

/**
 * Takes events that are about to be stored out of the figures of surveys that have not been launched: somebody tried
 * the survey out. They stay among the person's events.
 */
export const setDraftsAside =
  (surveys: SurveyCache) =>
  async (projectId: number, events: IngestEvent[]): Promise<IngestEvent[]> => {
    if (!events.some(({ event }) => FACT_EVENTS.has(event))) return events;
    const known = await surveys.project(projectId).catch((error: unknown) => {
      if (!asDatabaseUnavailable(error)) throw error;
      return [];
    });
    const now = new Date();
    const drafts = new Set<unknown>(known.filter((row) => stateOf(row, now) === "draft").map(({ id }) => id));
    return events.map((event) =>
      FACT_EVENTS.has(event.event) && drafts.has(event.properties.$survey_id) ? setAside(event) : event,
    );
  };
