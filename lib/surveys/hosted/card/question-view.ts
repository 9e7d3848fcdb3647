import type { Question } from "#lib/engines/branching/question.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { cleanHtml } from "#lib/surveys/surveys/questions/clean-html.ts";
import { type Control, type Shuffle, trimmed } from "./control.ts";
import { controlOf } from "./controls.ts";

/** Safe HTML, or plain text. */
export type RichText = { html: string } | { text: string };

/** A question as it is shown, whatever is stored. */
export type QuestionView = {
  /** Its place in the survey as it is stored, from 0. */
  index: number;
  id: string;
  title: string;
  description: RichText | null;
  isOptional: boolean;
  /** Label of the submit button; null if none is set. */
  button: string | null;
  control: Control;
};

/** A text that may be HTML, by the content type beside it; null if there is none. */
export function richText(value: unknown, contentType: unknown): RichText | null {
  const text = trimmed(value);
  if (text === "") return null;
  // Stored texts are sanitized already; what is shown does not rely on it.
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
  const texts = Object.entries(own).filter(([, text]) => Array.isArray(text) || trimmed(text) !== "");
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

/**
 * A question as it is shown.
 *
 * @param appearance of the survey, in the same language
 * @param language one that `languageFor` found, or null
 */
export function viewOf(
  question: Question,
  index: number,
  appearance: Json,
  language: string | null,
  shuffle: Shuffle,
): QuestionView {
  const texts = translated(question, language);
  return {
    index,
    id: String(question.id),
    title: trimmed(texts.question) || trimmed(question.question),
    description: richText(texts.description, question.descriptionContentType),
    isOptional: question.optional === true,
    button: trimmed(texts.buttonText) || trimmed(appearance.submitButtonText) || null,
    control: controlOf({ question, texts, appearance, shuffle }),
  };
}
