import { isObject, type Json } from "#lib/engines/json.ts";
import { cleanHtml } from "#lib/surveys/surveys/questions/clean.ts";
import { linkProblem } from "#lib/surveys/surveys/questions/questions-schema.ts";

/** A choice; `text` is stored, `label` is shown. */
export type Choice = {
  /** Its place in the question as it is stored, from 0. */
  place: number;
  text: string;
  label: string;
  /** Whether it asks for a free text. */
  isOpen: boolean;
};

/** The length of a text, and the message if it does not fit. */
export type TextRule = { kind: "min_length" | "max_length" | "email"; value: number; message: string | null };

type Kind =
  | { kind: "open"; placeholder: string; rules: TextRule[] }
  | { kind: "link"; href: string | null }
  | { kind: "rating"; values: number[]; emoji: boolean; lower: string; upper: string; isInstant: boolean }
  | { kind: "choice"; choices: Choice[]; isMultiple: boolean; isInstant: boolean };

/** A question as a page shows it, whatever is stored. */
export type QuestionView = Kind & {
  /** Its place in the survey as it is stored, from 0. */
  index: number;
  id: string;
  title: string;
  /** Safe HTML, or plain text. */
  description: { html: string } | { text: string } | null;
  isOptional: boolean;
  /** Label of the submit button; null if none is set. */
  button: string | null;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** A text that may be HTML, by the content type beside it; null if there is none. */
export function richText(value: unknown, contentType: unknown): QuestionView["description"] {
  const text = textOf(value);
  if (text === "") return null;
  // Stored texts are sanitized already; the page does not rely on it.
  return contentType === "html" ? { html: cleanHtml(text) } : { text };
}

/** The name under which `translations` hold a language: that language, else its base ("pt" for "pt-BR"). */
function nameIn(translations: unknown, language: string): string | null {
  if (!isObject(translations)) return null;
  const wanted = language.toLowerCase();
  const names = Object.keys(translations).filter((name) => isObject(translations[name]));
  const find = (one: string) => names.find((name) => name.toLowerCase() === one) ?? null;
  return find(wanted) ?? find(wanted.split("-")[0] ?? wanted);
}

/** Fields with those of a language in place of their own. */
export function translated(fields: Json, language: string | null): Json {
  const name = language === null ? null : nameIn(fields.translations, language);
  const own = name !== null && isObject(fields.translations) ? fields.translations[name] : null;
  if (!isObject(own)) return fields;
  const texts = Object.entries(own).filter(([, text]) => Array.isArray(text) || textOf(text) !== "");
  return { ...fields, ...Object.fromEntries(texts) };
}

/** The language to show, of those that a survey is translated to; null for the one it was written in. */
export function languageFor(parts: readonly Json[], wanted: readonly (string | null)[]): string | null {
  for (const language of wanted) {
    if (language === null || !/^[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}$/i.test(language)) continue;
    const found = parts.map((part) => nameIn(part.translations, language)).find((name) => name !== null);
    if (found) return found.toLowerCase();
  }
  return null;
}

function ratingOf(question: Json, shown: Json): Kind {
  const emoji = question.display === "emoji" && [2, 3, 5].includes(question.scale as number);
  const scale = Number.isInteger(question.scale) ? Math.min(10, Math.max(2, question.scale as number)) : 5;
  const first = scale === 10 ? 0 : 1;
  return {
    kind: "rating",
    values: Array.from({ length: scale - first + 1 }, (_, i) => first + i),
    emoji,
    lower: textOf(shown.lowerBoundLabel),
    upper: textOf(shown.upperBoundLabel),
    isInstant: question.skipSubmitButton === true,
  };
}

function choiceOf(question: Json, shown: Json): Kind {
  const texts = Array.isArray(question.choices) ? question.choices.filter((c) => typeof c === "string") : [];
  const labels = Array.isArray(shown.choices) ? shown.choices : texts;
  const isMultiple = question.type === "multiple_choice";
  const hasOpen = question.hasOpenChoice === true;
  return {
    kind: "choice",
    choices: texts.map((text, place) => ({
      place,
      text,
      label: textOf(labels[place]) || text,
      isOpen: hasOpen && place === texts.length - 1,
    })),
    isMultiple,
    isInstant: question.skipSubmitButton === true && !isMultiple && !hasOpen,
  };
}

const RULES = ["min_length", "max_length", "email"] as const;

function rulesOf(validation: unknown): TextRule[] {
  if (!Array.isArray(validation)) return [];
  return validation.filter(isObject).flatMap((rule) => {
    const kind = RULES.find((known) => known === rule.type);
    const value = typeof rule.value === "number" && rule.value > 0 ? rule.value : 0;
    if (!kind || (kind !== "email" && value === 0)) return [];
    return [{ kind, value, message: textOf(rule.errorMessage) || null }];
  });
}

function kindOf(question: Json, shown: Json, appearance: Json): Kind {
  if (question.type === "rating") return ratingOf(question, shown);
  if (question.type === "single_choice" || question.type === "multiple_choice")
    return choiceOf(question, shown);
  if (question.type === "link")
    return { kind: "link", href: linkProblem(shown.link) ? null : String(shown.link) };
  const placeholder = textOf(shown.placeholder) || textOf(appearance.placeholder);
  return { kind: "open", placeholder, rules: rulesOf(question.validation) };
}

/**
 * A question as its page shows it.
 *
 * @param appearance of the survey, in the same language
 * @param language one that `languageFor` found, or null
 */
export function viewOf(
  question: Json,
  index: number,
  appearance: Json,
  language: string | null,
): QuestionView {
  const shown = translated(question, language);
  return {
    ...kindOf(question, shown, appearance),
    index,
    id: String(question.id),
    title: textOf(shown.question) || textOf(question.question),
    description: richText(shown.description, question.descriptionContentType),
    isOptional: question.optional === true,
    button: textOf(shown.buttonText) || textOf(appearance.submitButtonText) || null,
  };
}
