import type { Service } from "./service.ts";
import { QUESTIONS, send, type TestEvent } from "./survey-results.ts";
import { launchSurvey } from "./surveys.ts";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A few events of every kind, known by their numbers. */
const EVENTS: TestEvent[] = [
  { event: "survey shown", person: "ann", day: 1 },
  { event: "survey shown", person: "bob", day: 1, iteration: 1 },
  { event: "survey shown", person: "bob", day: 2, iteration: 1 },
  { event: "survey dismissed", person: "cy", day: 2 },
  { event: "survey dismissed", person: "cy", day: 3, partially: true },
  { event: "survey abandoned", person: "dee", day: 2, iteration: 2 },
  { event: "survey sent", person: "ann", day: 1, submission: "s1", completed: false, answers: { nps: 3 } },
  {
    event: "survey sent",
    person: "ann",
    day: 1,
    minute: 601,
    ms: 500,
    submission: "s1",
    answers: { nps: 3, how: "Web", what: ["Flags", "Surveys"], why: "=Too slow" },
  },
  {
    event: "survey sent",
    person: "bob",
    day: 2,
    iteration: 1,
    answers: { nps: 10, what: ["Flags"], why: 'Great, "quick"' },
  },
  { event: "survey sent", person: "dee", day: 3, completed: false, answers: { nps: 5 } },
  { event: "survey sent", person: "bob", day: 4, iteration: 1, answers: { nps: 9, why: "50% of_f" } },
  { event: "survey dismissed", person: "ann", day: 4 },
  {
    event: "survey sent",
    person: "eve",
    day: 4,
    minute: 690,
    submission: "s2",
    completed: false,
    answers: { nps: 7 },
  },
  {
    event: "survey sent",
    person: "eve",
    day: 4,
    minute: 700,
    submission: "s2",
    answers: { nps: "7", how: "By letter", what: ["Nothing", "Experiments"] },
  },
];

/** The number of a row's event. */
export const numberOf = (row: { uuid: string }): number => Number(row.uuid.slice(-12));
export const uuidNamed = uuid;

/**
 * A survey with these events, one day after another in February 2026.
 *
 * @param before the number of the event before the first: each event is stored once
 */
export async function surveyWithResponses(service: Service, fields: { name?: string } = {}, before = 0) {
  const survey = await launchSurvey(service, { ...fields, questions: QUESTIONS });
  await send(
    service,
    survey.id,
    EVENTS.map((event, i) => ({ ...event, uuid: uuid(before + i + 1) })),
  );
  return survey;
}
