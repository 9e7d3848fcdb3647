import type { Question } from "#lib/surveys/questions.ts";
import type { SurveyRecord } from "#lib/surveys/schema.ts";
import { shortened } from "./filter_words.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function placeInWords(target: unknown, questions: readonly Question[]): string {
  if (target === "end") return "the end";
  const found = typeof target === "number" ? questions[target] : undefined;
  return found && typeof target === "number"
    ? `${target + 1}. ${shortened(found.question, 32)}`
    : "a question that is gone";
}

/** Where the survey goes on after a question, in a line. */
export function branchingInWords({ branching }: Question, questions: readonly Question[]): string {
  if (!isObject(branching) || branching.type === "next_question") return "Then the next question";
  if (branching.type === "end") return "Then the end";
  if (branching.type === "specific_question") return `Then ${placeInWords(branching.index, questions)}`;
  if (!isObject(branching.responseValues)) return "Then the next question";
  const ways = Object.entries(branching.responseValues);
  const words = ways.slice(0, 4).map(([answer, target]) => `${answer} → ${placeInWords(target, questions)}`);
  return `By answer: ${words.join("; ")}${ways.length > 4 ? "; …" : ""}`;
}

const text = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

/** Conditions on the page, the device and events, as terms and values. */
export function conditionsInWords({
  conditions,
}: Pick<SurveyRecord, "conditions">): { term: string; value: string }[] {
  const { url, selector, deviceTypes, events, seenSurveyWaitPeriodInDays: wait } = conditions ?? {};
  const devices = Array.isArray(deviceTypes) ? deviceTypes.map(String).join(", ") : null;
  const values = isObject(events) && Array.isArray(events.values) ? events.values : [];
  const names = values.flatMap((event) => (isObject(event) && text(event.name) ? [String(event.name)] : []));
  const items = [
    { term: "Address", value: text(url) },
    { term: "Element", value: text(selector) },
    { term: "Devices", value: devices || null },
    { term: "After events", value: names.join(", ") || null },
    {
      term: "Pause",
      value: typeof wait === "number" && wait > 0 ? `${wait} days after any other survey` : null,
    },
  ].flatMap(({ term, value }) => (value ? [{ term, value }] : []));
  return items.length > 0 ? items : [{ term: "Pages", value: "Everywhere" }];
}
