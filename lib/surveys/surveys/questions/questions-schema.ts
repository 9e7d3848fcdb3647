import { z } from "zod";
import { isObject } from "#lib/engines/json.ts";
import type { Question, SentQuestion } from "./question_kinds/kind.ts";
import { QUESTION_KINDS } from "./question_kinds/kinds.ts";
import { linkProblem } from "./question_kinds/link.ts";

const isGiven = (value: unknown) => value !== null && value !== undefined;

const isBlank = (value: unknown) => typeof value !== "string" || value.trim() === "";

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

const types = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(Object.keys(QUESTION_KINDS));

const fieldsOfKinds = Object.fromEntries(
  Object.values(QUESTION_KINDS)
    .flatMap(({ schema }) => Object.entries(schema))
    .map(([name, description]) => [name, kept(description)]),
);

/** A stored question: its known fields, and any others. */
export const question = z
  .looseObject({
    id: z.string().meta({ description: "Identifies the question in answers; generated if not sent." }),
    question: z.string().meta({ description: "What is asked. HTML is sanitized." }),
    type: kept(`${types}.`) as z.ZodOptional<z.ZodType<Question["type"]>>,
    description: kept("Further explanation. HTML is sanitized."),
    descriptionContentType: kept("text or html."),
    optional: kept("Whether it may be skipped."),
    buttonText: kept("Label of the button that sends the answer."),
    ...fieldsOfKinds,
    branching: kept(
      "Where the survey continues: {type: next_question | end | specific_question | response_based, index, responseValues}.",
    ),
  })
  .meta({ id: "SurveyQuestion", description: "One question. Fields not listed are stored too." });

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
