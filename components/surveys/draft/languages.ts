import { isObject } from "#lib/engines/json.ts";
import type { SurveyDraft } from "./survey-draft.ts";

const namesOf = (translations: unknown): string[] =>
  isObject(translations) ? Object.keys(translations) : [];

/** The languages a survey is translated to, each once. */
export function languagesOf({
  questions,
  appearance,
}: Pick<SurveyDraft, "questions" | "appearance">): string[] {
  const names = [
    ...questions.flatMap(({ raw }) => namesOf(raw.translations)),
    ...namesOf(appearance?.translations),
  ];
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

/** A language in words: "German (de)"; the code itself if unknown. */
export function languageWord(name: string): string {
  try {
    const word = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(name);
    return word ? `${word} (${name})` : name;
  } catch {
    return name;
  }
}
