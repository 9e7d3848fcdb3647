import { randomUUID } from "node:crypto";
import type { SentQuestion, StoredQuestion } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import { cleanHtml, cleanText } from "./clean-html.ts";

/** Texts that SDKs may show as HTML. */
const isHtml = (name: string) => /description/i.test(name);

/** Sanitizes every text in a value, at any depth. */
function cleanAll(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanAll(each, clean));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, inner]) => [name, cleanAll(inner, isHtml(name) ? cleanHtml : clean)]),
  );
}

function cleanFields(fields: Json, names: readonly string[]): Json {
  const cleaned = names
    .filter((name) => name in fields)
    .map((name) => [name, cleanAll(fields[name], isHtml(name) ? cleanHtml : cleanText)]);
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
