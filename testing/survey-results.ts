import { createHash } from "node:crypto";
import fc from "fast-check";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import { parseEvent } from "#lib/people/events/event.ts";
import type { Service } from "./service.ts";

/** A survey of every kind of question, with branching: promoters skip the reason. */
export const QUESTIONS: StoredQuestion[] = [
  {
    id: "nps",
    type: "rating",
    question: "How likely are you to recommend us?",
    scale: 10,
    display: "number",
    branching: { type: "response_based", responseValues: { promoters: 2 } },
  },
  {
    id: "how",
    type: "single_choice",
    question: "Where do you use it?",
    choices: ["Web", "App", "Somewhere else"],
    hasOpenChoice: true,
  },
  {
    id: "what",
    type: "multiple_choice",
    question: "What do you use?",
    choices: ["Flags", "Surveys", "Experiments"],
  },
  { id: "why", type: "open", question: "Why?", optional: true },
];

/** An event of the survey under test; `day` counts from the first of February 2026. */
export type TestEvent = {
  event: "survey shown" | "survey dismissed" | "survey sent" | "survey abandoned" | "$identify";
  person: string;
  day: number;
  minute?: number;
  /** Milliseconds of the minute. */
  ms?: number;
  submission?: string;
  completed?: boolean;
  partially?: boolean;
  iteration?: number;
  answers?: Record<string, unknown>;
  /** Of "$identify": whom this person turns out to be. */
  other?: string;
  uuid?: string;
  /** Another survey than the one whose people these are. */
  survey?: string;
};

let made = 0;
const uuidOf = (name: string) => {
  const hex = createHash("md5").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};

function rawOf(surveyId: string, event: TestEvent) {
  made += 1;
  const answers = Object.entries(event.answers ?? {}).map(([id, value]) => [`$survey_response_${id}`, value]);
  const at = Date.UTC(2026, 1, event.day, 0, event.minute ?? 600, 0, event.ms ?? 0);
  return {
    uuid: event.uuid ?? uuidOf(`${surveyId} ${made}`),
    event: event.event,
    distinct_id: `${surveyId} ${event.person}`,
    timestamp: new Date(at).toISOString(),
    properties: {
      ...(event.event === "$identify"
        ? { $anon_distinct_id: `${surveyId} ${event.other}` }
        : { $survey_id: event.survey ?? surveyId }),
      ...(event.submission && { $survey_submission_id: event.submission }),
      ...(event.completed !== undefined && { $survey_completed: event.completed }),
      ...(event.partially !== undefined && { $survey_partially_completed: event.partially }),
      ...(event.iteration && { $survey_iteration: event.iteration }),
      ...Object.fromEntries(answers),
    },
  };
}

/** Sends events by the way that SDKs' events take. */
export async function send(service: Service, surveyId: string, events: readonly TestEvent[]): Promise<void> {
  const envelope = { now: Date.now(), sentAt: null, historical: true, unnamed: null };
  const parsed = events.map((event) => parseEvent(rawOf(surveyId, event), envelope));
  await service.runtime.events.write(
    1,
    parsed.map((event) => {
      if (typeof event === "string") throw new Error(event);
      return event;
    }),
  );
}

const person = fc.constantFrom("a", "b", "c", "d");

const answers = fc.record(
  {
    nps: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.constantFrom("7", 11, null, "")),
    how: fc.constantFrom("Web", "App", "By letter", ""),
    what: fc.subarray(["Flags", "Surveys", "Experiments", "Nothing"]),
    why: fc.constantFrom(
      "too slow",
      "great support",
      " ",
      "price",
      "100%",
      "οδός ΟΔΟΣ",
      "İ Straße ä",
      "TOO SLOW",
    ),
  },
  { requiredKeys: [] },
);

/** Events of a few people over a few days: submissions that grow over days and change hands, merges, all kinds. */
export const generatedEvents = (): fc.Arbitrary<TestEvent[]> =>
  fc.array(
    fc.record({
      event: fc.constantFrom(
        "survey shown",
        "survey shown",
        "survey dismissed",
        "survey sent",
        "survey sent",
        "survey sent",
        "survey abandoned",
        "$identify",
      ),
      person,
      other: person,
      day: fc.integer({ min: 1, max: 4 }),
      minute: fc.oneof(fc.constantFrom(600, 601), fc.integer({ min: 0, max: 1439 })),
      ms: fc.oneof(fc.constantFrom(0, 30, 50, 14_949, 14_950), fc.integer({ min: 0, max: 59_999 })),
      submission: fc.constantFrom("", "s1", "s2", "s3"),
      completed: fc.boolean(),
      partially: fc.boolean(),
      iteration: fc.constantFrom(0, 0, 1, 2),
      answers,
    }),
    { minLength: 1, maxLength: 40 },
  );
