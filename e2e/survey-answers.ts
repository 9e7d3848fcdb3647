import type { APIRequestContext } from "@playwright/test";
import type { Api } from "./service.ts";

/** The survey of the journeys: a score, a reason (critics only), used features, and free text. */
export const QUESTIONS = [
  {
    id: "score",
    type: "rating",
    question: "How likely are you to recommend us?",
    scale: 10,
    display: "number",
    branching: { type: "response_based", responseValues: { promoters: 2 } },
  },
  {
    id: "reason",
    type: "single_choice",
    question: "What is missing most?",
    choices: ["Speed", "Documentation", "Price", "Something else"],
    hasOpenChoice: true,
  },
  {
    id: "used",
    type: "multiple_choice",
    question: "What do you use?",
    choices: ["Flags", "Surveys", "Experiments"],
  },
  { id: "words", type: "open", question: "What should we do next?", optional: true },
];

const DAY_MS = 86_400_000;
const WISHES = [
  "An export of everything, please",
  "Better export to spreadsheets",
  "The export should keep the order of columns",
  "Faster pages on my phone",
  "Dark mode is lovely, keep it",
  "More examples in the documentation",
  "The documentation could show more examples",
  "",
];

/** Reproducible pseudo-random numbers (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(items: readonly T[], at: number): T => items[Math.floor(at * items.length)] as T;

/** What one person answers, along the branching. */
function answersOf(random: () => number): Record<string, unknown> {
  const score = pick([0, 2, 4, 5, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10], random());
  const reason = pick(["Speed", "Documentation", "Documentation", "Price", "A real calendar"], random());
  const used = ["Flags", "Surveys", "Experiments"].filter(() => random() < 0.5);
  return {
    score: String(score),
    ...(score < 9 ? { reason } : {}),
    used: used.length > 0 ? used : ["Flags"],
    words: pick(WISHES, random()),
  };
}

type Sent = { event: string; distinct_id: string; timestamp: string; properties: Record<string, unknown> };

/** The events of one person, as sent by posthog-js. */
function eventsOf(survey: string, person: number, random: () => number, days: number): Sent[] {
  const distinct_id = `respondent-${person}`;
  const at = Date.now() - Math.floor(random() * (days - 1) * DAY_MS) - DAY_MS / 2;
  const set = { plan: pick(["free", "free", "pro"], random()), email: `respondent.${person}@example.com` };
  const event = (name: string, after: number, properties: Record<string, unknown>): Sent => ({
    event: name,
    distinct_id,
    timestamp: new Date(at + after).toISOString(),
    properties: { $survey_id: survey, $set: set, ...properties },
  });
  const shown = event("survey shown", 0, {});
  const turn = random();
  if (turn < 0.28) return [shown, event("survey dismissed", 3_000, {})];
  if (turn < 0.5) return [shown];
  const answers = Object.entries(answersOf(random));
  const stops = random() < 0.18 ? 1 + Math.floor(random() * (answers.length - 1)) : answers.length;
  const pace = 4_000 + random() * 20_000;
  const states = answers.slice(0, stops).map((_, place) => {
    const given = answers.slice(0, place + 1).map(([id, value]) => [`$survey_response_${id}`, value]);
    return event("survey sent", 8_000 + Math.floor((place + 1) * pace), {
      ...Object.fromEntries(given),
      $survey_submission_id: `submission-${person}`,
      $survey_completed: place + 1 === answers.length,
    });
  });
  return [shown, ...states];
}

/** A survey that was launched `days` ago. */
export async function launchedSurvey(api: Api, projectId: number, name: string, days = 40): Promise<string> {
  const { id } = await api("POST", `/api/projects/${projectId}/surveys/`, {
    name,
    type: "popover",
    questions: QUESTIONS,
    enable_partial_responses: true,
    start_date: new Date(Date.now() - days * DAY_MS).toISOString(),
  });
  return id;
}

/** Lets so many people see the survey and, some of them, answer it; through the capture API, as SDKs do. */
export async function answerSurvey(
  request: APIRequestContext,
  token: string,
  survey: string,
  people = 120,
  days = 40,
): Promise<void> {
  const random = numbers(7);
  const batch = [...Array(people).keys()].flatMap((person) => eventsOf(survey, person, random, days));
  for (let from = 0; from < batch.length; from += 400) {
    const response = await request.post("/batch/", {
      data: { api_key: token, batch: batch.slice(from, from + 400) },
    });
    if (!response.ok()) throw new Error(`Capture answered ${response.status()}: ${await response.text()}`);
  }
}
