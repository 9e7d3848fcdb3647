import { v5 as uuidv5 } from "uuid";
import type { Question } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import type { FormState } from "./form-state.ts";

/** What events say about a survey. */
export type Subject = {
  id: string;
  name: string;
  current_iteration: number | null;
  current_iteration_start_date: string | null;
  /** As they are stored. */
  questions: readonly Question[];
};

/** An event as SDKs send it. */
export type RawEvent = { uuid: string; event: string; distinct_id: string; properties: Json };

const base = ({ id, name, ...survey }: Subject, state: FormState, address: string): Json => ({
  ...state.properties,
  $lib: "switchyard-hosted-survey",
  $current_url: address,
  $survey_id: id,
  $survey_name: name,
  $survey_iteration: survey.current_iteration,
  $survey_iteration_start_date: survey.current_iteration_start_date,
  ...(state.language !== null && { $survey_language: state.language }),
});

const respondedName = ({ id, current_iteration }: Subject) =>
  `$survey_responded/${id}${current_iteration ? `/${current_iteration}` : ""}`;

/** The survey was shown. */
export const shownEvent = (survey: Subject, state: FormState, address: string, now: Date): RawEvent => ({
  uuid: uuidv5("shown", state.submission),
  event: "survey shown",
  distinct_id: state.distinct_id,
  properties: {
    ...base(survey, state, address),
    $set: { $survey_last_seen_date: now.toISOString() },
  },
});

/** Answers by question id along the path taken, without those the respondent went back from. */
const responsesOf = (state: FormState): Map<string, unknown> =>
  new Map(
    state.path.filter(({ id }) => Object.hasOwn(state.answers, id)).map(({ id }) => [id, state.answers[id]]),
  );

/** The property under which old and new SDKs find an answer by the place of its question. */
const nameByPlace = (index: number) => (index === 0 ? "$survey_response" : `$survey_response_${index}`);

/**
 * All answers so far. The same answers of the same submission make the same event, however often they are
 * sent: its uuid is made from them.
 */
export function sentEvent(
  survey: Subject,
  state: FormState,
  address: string,
  isCompleted: boolean,
): RawEvent {
  const responses = responsesOf(state);
  const byPlace = survey.questions.flatMap((question, index) =>
    responses.has(String(question.id)) ? [[nameByPlace(index), responses.get(String(question.id))]] : [],
  );
  const content = {
    $survey_submission_id: state.submission,
    $survey_completed: isCompleted,
    $survey_questions: survey.questions.map(({ id, question }) => ({
      id,
      question,
      response: responses.get(String(id)),
    })),
    ...Object.fromEntries(byPlace),
    ...Object.fromEntries([...responses].map(([id, response]) => [`$survey_response_${id}`, response])),
  };
  return {
    uuid: uuidv5(`sent ${isCompleted} ${JSON.stringify([...responses])}`, state.submission),
    event: "survey sent",
    distinct_id: state.distinct_id,
    properties: {
      ...base(survey, state, address),
      ...content,
      // Who has only begun may come back and finish.
      ...(isCompleted && { $set: { [respondedName(survey)]: true } }),
    },
  };
}
