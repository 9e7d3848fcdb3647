import type { MemberContext } from "#lib/http/context.ts";
import { surveyCreate, surveyListQuery } from "#lib/surveys/schema.ts";
import { create as createSurvey, list as listSurveys } from "#lib/surveys/service.ts";
import { type StoredSurvey, surveyAnswers } from "./answers.ts";
import type { RawEvent } from "./calls.ts";
import type { DemoPerson } from "./people.ts";
import { demoSurveys } from "./surveys.ts";

const BATCH = 1_000;
const DAY_MS = 86_400_000;

/** The demo's surveys, made where they are not there yet, each as of its own day. */
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
 * The demo's surveys and what people did with them.
 *
 * @param send the door for events
 * @param told how much of it is in, from 0 to 1
 */
export async function loadSurveys(
  context: MemberContext,
  now: number,
  people: DemoPerson[],
  send: (events: RawEvent[]) => Promise<void>,
  told: (share: number) => Promise<void>,
): Promise<void> {
  const answers = [...surveyAnswers(now, people, await makeSurveys(context, now))].flat();
  for (let at = 0; at < answers.length; at += BATCH) {
    await send(answers.slice(at, at + BATCH));
    await told(at / answers.length);
  }
}
