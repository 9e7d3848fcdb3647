import type { Runtime } from "#lib/app/runtime.ts";
import type * as http from "#lib/platform/http/context.ts";

type MemberContext = http.MemberContext<Runtime>;

import type { RawEvent } from "#lib/app/demo/calls.ts";
import type { DemoPerson } from "#lib/app/demo/people.ts";
import { surveyCreate, surveyListQuery } from "#lib/surveys/surveys/schema.ts";
import { create as createSurvey, list as listSurveys } from "#lib/surveys/surveys/service.ts";
import { type StoredSurvey, surveyAnswers } from "./answers.ts";
import { demoSurveys } from "./surveys.ts";

const BATCH = 1_000;
const DAY_MS = 86_400_000;

/** Creates the demo's surveys that do not exist yet, each as of its own day. */
async function makeSurveys(context: MemberContext, now: number): Promise<StoredSurvey[]> {
  const params = { project_id: "" };
  const query = surveyListQuery.parse({ limit: "1000" });
  const there = await listSurveys(context, { params, query, body: undefined });
  const byName = new Map(there.results.map((record) => [record.name, record]));
  const stored: StoredSurvey[] = [];
  for (const survey of demoSurveys(now)) {
    const { made, audience, answering, dismissing, patience, iteration_days, ...body } = survey;
    const at = new Date(now - made * DAY_MS);
    const record =
      byName.get(survey.name) ??
      (await createSurvey({ ...context, now: at }, { params, query: {}, body: surveyCreate.parse(body) }));
    stored.push({ id: record.id, survey, questions: record.questions ?? [] });
  }
  return stored;
}

/**
 * Loads the demo's surveys and their events.
 *
 * @param send the door for events
 * @param onProgress called with the share that is loaded, 0 to 1
 * @returns the surveys, with their ids
 */
export async function loadSurveys(
  context: MemberContext,
  now: number,
  people: DemoPerson[],
  send: (events: RawEvent[]) => Promise<void>,
  onProgress: (share: number) => Promise<void>,
): Promise<StoredSurvey[]> {
  const surveys = await makeSurveys(context, now);
  const answers = [...surveyAnswers(now, people, surveys)].flat();
  for (let at = 0; at < answers.length; at += BATCH) {
    await send(answers.slice(at, at + BATCH));
    await onProgress(at / answers.length);
  }
  return surveys;
}
