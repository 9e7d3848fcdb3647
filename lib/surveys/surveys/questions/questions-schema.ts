import { z } from "zod";
import { isObject, type Json } from "#lib/engines/json.ts";

const isGiven = (value: unknown) => value !== null && value !== undefined;

const isBlank = (value: unknown) => typeof value !== "string" || value.trim() === "";

/** Why a link cannot be shown to respondents; null if it can. */
export function linkProblem(link: unknown): string | null {
  if (typeof link !== "string") return "Link must be a text.";
  if (/^mailto:/i.test(link))
    return /^mailto:[^\s@?]+@[^\s@?]+\.[^\s@?]+$/i.test(link) ? null : "Link is not a valid mailto address.";
  if (!/^https:\/\//i.test(link)) return "Link must be a URL with the scheme https or mailto.";
  return URL.canParse(link) && new URL(link).hostname !== "" ? null : "Link must be a URL with a host.";
}

const CHOICE_ID_LENGTH = 100;

function choiceIdsProblem(ids: unknown, choices: unknown): string | null {
  if (!Array.isArray(ids)) return "Question choice_ids must be a list.";
  if (!Array.isArray(choices) || ids.length !== choices.length)
    return "Question choice_ids must be as long as choices.";
  const given = ids.filter((id) => id !== null);
  if (given.some((id) => isBlank(id) || id.length > CHOICE_ID_LENGTH))
    return `Question choice_ids must be texts of 1 to ${CHOICE_ID_LENGTH} characters, or null for a new choice.`;
  return new Set(given).size === given.length ? null : "Question choice_ids must differ from each other.";
}

function choicesProblem(choices: unknown): string | null {
  if (!Array.isArray(choices)) return "Question choices must be a list.";
  if (choices.some((choice) => typeof choice !== "string")) return "Question choices must be texts.";
  return choices.some(isBlank) ? "Question choices cannot be empty." : null;
}

/** Links in translations, which respondents follow as well. */
const translatedLinks = (translations: unknown): unknown[] =>
  isObject(translations)
    ? Object.values(translations).flatMap((texts) => (isObject(texts) && texts.link ? [texts.link] : []))
    : [];

/** Why a question cannot be stored; null if it can. Everything else is stored as sent. */
export function questionProblem(question: unknown): string | null {
  if (!isObject(question)) return "Questions must be a list of objects.";
  if (isBlank(question.question)) return "Question text cannot be empty.";
  const { id, descriptionContentType: contentType, choices, choice_ids: ids, link } = question;
  if (id && typeof id !== "string") return "Question id must be a text.";
  if (contentType && contentType !== "text" && contentType !== "html")
    return "Question descriptionContentType must be one of text, html.";
  const links = [...(link ? [link] : []), ...translatedLinks(question.translations)];
  const problems = [
    choices ? choicesProblem(choices) : null,
    isGiven(ids) ? choiceIdsProblem(ids, choices || []) : null,
    ...links.map(linkProblem),
  ];
  return problems.find((problem) => problem !== null) ?? null;
}

const kept = (description: string) => z.unknown().optional().meta({ description });

/** A stored question: its known fields, and any others. */
export const question = z
  .looseObject({
    id: z.string().meta({ description: "Identifies the question in answers; generated if not sent." }),
    question: z.string().meta({ description: "What is asked. HTML is sanitized." }),
    type: kept("open, link, rating, single_choice or multiple_choice."),
    description: kept("Further explanation. HTML is sanitized."),
    descriptionContentType: kept("text or html."),
    optional: kept("Whether it may be skipped."),
    buttonText: kept("Label of the button that sends the answer."),
    link: kept("Of a link: an https or mailto URL."),
    display: kept("Of a rating: number or emoji."),
    scale: kept("Of a rating: 2, 3, 5, 7 or 10."),
    lowerBoundLabel: kept("Of a rating: label of its lowest value."),
    upperBoundLabel: kept("Of a rating: label of its highest value."),
    choices: kept("Of a choice: the texts to choose from."),
    choice_ids: kept(
      "Of a choice: an id for each of `choices`, in the same order. Send them again when editing: an id with another " +
        "text corrects the wording, and earlier answers stay with the choice; null makes a new choice, which starts " +
        "from zero. Without them, a choice keeps its id only if it keeps its text; answers of choices that are gone " +
        "are listed under former choices.",
    ),
    shuffleOptions: kept("Of a choice: whether the choices are shuffled."),
    hasOpenChoice: kept("Of a choice: whether the last one asks for a text."),
    branching: kept(
      "Where the survey continues: {type: next_question | end | specific_question | response_based, index, responseValues}.",
    ),
  })
  .meta({ id: "SurveyQuestion", description: "One question. Fields not listed are stored too." });

export type Question = z.output<typeof question>;

/** Questions as they are sent: with or without ids. */
export type SentQuestion = Json & { question: string };

/** Questions of a request. A problem of one of them is reported on the field as a whole. */
export const sentQuestions = z
  .array(z.unknown())
  .superRefine((questions, context) => {
    for (const [index, sent] of questions.entries()) {
      const message = questionProblem(sent);
      if (message) return context.addIssue({ code: "custom", message: `${message} (question ${index + 1})` });
    }
  })
  .transform((questions) => questions as SentQuestion[])
  .meta({
    description: "The questions in order. When editing, send each one's id again, or it loses its answers.",
    override: { type: "array", items: { $ref: "#/components/schemas/SurveyQuestion" } },
  });
