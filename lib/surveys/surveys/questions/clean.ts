import { randomUUID } from "node:crypto";
import type { SentQuestion, StoredQuestion } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import { cleanHtml } from "./clean-html.ts";

export { cleanHtml } from "./clean-html.ts";

/** Sanitizes every text in a value, at any depth. */
function cleanAll(value: unknown): unknown {
  if (typeof value === "string") return cleanHtml(value);
  if (Array.isArray(value)) return value.map(cleanAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanAll(inner)]));
}

function cleanFields(fields: Json, names: readonly string[]): Json {
  const cleaned = names.filter((name) => name in fields).map((name) => [name, cleanAll(fields[name])]);
  return { ...fields, ...Object.fromEntries(cleaned) };
}

const QUESTION_TEXTS = [
  "question",
  "description",
  "buttonText",
  "lowerBoundLabel",
  "upperBoundLabel",
  "choices",
  "placeholder",
  "translations",
] as const;

const APPEARANCE_TEXTS = [
  "submitButtonText",
  "placeholder",
  "thankYouMessageHeader",
  "thankYouMessageDescription",
  "thankYouMessageCloseButtonText",
  "widgetLabel",
  "backButtonText",
  "introScreenHeader",
  "introScreenDescription",
  "introScreenButtonText",
  "translations",
] as const;

/** Questions as stored: texts sanitized, ids added, everything else as sent. */
export const storedQuestions = (questions: readonly SentQuestion[]): StoredQuestion[] =>
  questions.map((sent) => {
    const cleaned = cleanFields(sent, QUESTION_TEXTS) as SentQuestion;
    return { ...cleaned, id: typeof sent.id === "string" && sent.id ? sent.id : randomUUID() };
  });

/** Appearance as stored: texts that respondents read sanitized, everything else as sent. */
export const storedAppearance = (appearance: Json): Json => cleanFields(appearance, APPEARANCE_TEXTS);
