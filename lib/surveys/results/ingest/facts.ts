import { createHash } from "node:crypto";
import type { Answers } from "./answer-codes.ts";

/** An event as it arrives. */
export type ArrivingEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  /** Milliseconds since the epoch. */
  at: number;
  properties: Record<string, unknown>;
};

export type EventKind = "shown" | "dismissed" | "quit" | "abandoned";

/** What an event reports: an event other than an answer, or a new state of a response. */
export type Fact = {
  project_id: number;
  survey_id: string;
  uuid: string;
  at: number;
  distinct_id: string;
  iteration: number;
} & ({ kind: EventKind } | { kind: null; key: string; completed: boolean; answers: Answers });

/** The names of survey events. */
export const FACT_EVENTS: ReadonlySet<string> = new Set([
  "survey shown",
  "survey dismissed",
  "survey sent",
  "survey abandoned",
]);

/** Longer ids are not those of surveys, and would not fit into an index. */
export const SURVEY_ID_LIMIT = 400;
const ITERATION_MAX = 1_000_000;
const ANSWER = "$survey_response";

const isTrue = (value: unknown) => value === true || value === "true";
const isFalse = (value: unknown) => value === false || value === "false";

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** A positive integer, as a number or as text; 0 for anything else. */
function iterationOf(value: unknown): number {
  const text = textOf(value);
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return number <= ITERATION_MAX ? number : 0;
}

const isBlank = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.every(isBlank));

function answersOf(properties: Record<string, unknown>): Answers {
  const answers: Answers = {};
  for (const [name, value] of Object.entries(properties)) {
    if (!name.startsWith(ANSWER) || isBlank(value)) continue;
    if (name === ANSWER) answers[""] = value;
    else if (name[ANSWER.length] === "_") answers[name.slice(ANSWER.length + 1)] = value;
  }
  return answers;
}

/** The key of the response that an event belongs to: shared by all states of a submission. */
export function responseKey(submission: unknown, uuid: string): string {
  const text = textOf(submission);
  if (text === "") return uuid;
  const hex = createHash("md5").update(`submission ${text}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function eventKindOf(event: ArrivingEvent): EventKind {
  if (event.event === "survey shown") return "shown";
  if (event.event === "survey abandoned") return "abandoned";
  return isTrue(event.properties.$survey_partially_completed) ? "quit" : "dismissed";
}

/** Parses a survey event; null if it is none. */
export function parseFact(project_id: number, event: ArrivingEvent): Fact | null {
  if (!FACT_EVENTS.has(event.event)) return null;
  const { uuid, at, distinct_id, properties } = event;
  const survey_id = properties.$survey_id;
  if (typeof survey_id !== "string" || survey_id === "" || survey_id.length > SURVEY_ID_LIMIT) return null;
  const iteration = iterationOf(properties.$survey_iteration);
  const common = { project_id, survey_id, uuid, at, distinct_id, iteration };
  if (event.event !== "survey sent") return { ...common, kind: eventKindOf(event) };
  return {
    ...common,
    kind: null,
    key: responseKey(properties.$survey_submission_id, uuid),
    completed: !isFalse(properties.$survey_completed),
    answers: answersOf(properties),
  };
}
