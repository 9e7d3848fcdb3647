import type { QuestionOf } from "#lib/engines/branching/question.ts";
import type { ChoiceReader } from "#lib/surveys/surveys/questions/choices.ts";
import { OTHER, type QuestionKind, type QuestionProblem } from "./kind.ts";

type ChoiceQuestion = QuestionOf<"single_choice" | "multiple_choice">;

/** The texts of an answer to a choice question. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((item) => typeof item === "string" || typeof item === "number" || typeof item === "boolean")
    .map((item) => String(item).trim())
    .filter((text) => text !== "");

/** Sort order: choices, then former ones, then free text. */
const rankOf = (slot: string): number =>
  slot === OTHER
    ? Number.MAX_SAFE_INTEGER
    : slot.startsWith("f")
      ? 1e6 + Number(slot.slice(1))
      : Number(slot);

function problems({ choices }: ChoiceQuestion): QuestionProblem[] {
  const texts = (Array.isArray(choices) ? choices : []).map((choice) => String(choice).trim().toLowerCase());
  const few = texts.length < 2 ? [{ field: "choices", message: "Add at least two choices." }] : [];
  const each = texts.flatMap((text, choice): QuestionProblem[] => {
    if (text === "") return [{ field: "choice", choice, message: "Enter a text, or remove the choice." }];
    if (texts.indexOf(text) === choice) return [];
    const message = "This choice is a duplicate: their answers could not be distinguished.";
    return [{ field: "choice", choice, message }];
  });
  return [...few, ...each];
}

/** What both kinds of choices have in common. */
export const CHOICES = {
  schema: {
    choices: "Of a choice: the texts to choose from.",
    choice_ids:
      "Of a choice: an id for each of `choices`, in the same order. Send them again when editing: an id with another " +
      "text corrects the wording, and earlier answers stay with the choice; null makes a new choice, which starts " +
      "from zero. Without them, a choice keeps its id only if it keeps its text; answers of choices that are gone " +
      "are listed under former choices.",
    shuffleOptions: "Of a choice: whether the choices are shuffled.",
    hasOpenChoice: "Of a choice: whether the last one asks for a text.",
  },
  // Without texts: nobody launches with placeholders.
  empty: { choices: ["", ""] },
  problems,
  encode(_: ChoiceQuestion, answer: unknown, read: ChoiceReader, at: number) {
    const slots = new Set(textsOf(answer).map((text) => read(text, at) ?? OTHER));
    return [...slots].sort((a, b) => rankOf(a) - rankOf(b)).join(",");
  },
  figures: () => "choice",
} satisfies Partial<QuestionKind<ChoiceQuestion>>;
