import { typeOf } from "#lib/engines/branching/answers.ts";
import {
  asQuestion,
  type Question,
  type QuestionOf,
  type QuestionType,
} from "#lib/engines/branching/question.ts";
import { type QuestionKind, SOME } from "./kind.ts";
import { LINK } from "./link.ts";
import { MULTIPLE_CHOICE } from "./multiple_choice.ts";
import { OPEN } from "./open.ts";
import { RATING } from "./rating.ts";
import { SINGLE_CHOICE } from "./single_choice.ts";

/** The kinds of questions, in the order of menus. */
export const QUESTION_KINDS: { readonly [Type in QuestionType]: QuestionKind<QuestionOf<Type>> } = {
  open: OPEN,
  rating: RATING,
  single_choice: SINGLE_CHOICE,
  multiple_choice: MULTIPLE_CHOICE,
  link: LINK,
};

/** What is stored with any other type: it can be edited and answered as a text, and is counted as answered. */
const UNKNOWN: QuestionKind<Question> = {
  name: "Unknown kind",
  summary: "",
  schema: {},
  empty: {},
  problems: () => [],
  canBeInstant: () => false,
  encode: () => SOME,
  figures: () => "count",
  isMultiple: false,
};

/** The kind of a question. */
export function kindOf(question: Question): QuestionKind<Question> {
  const type = typeOf(question);
  return type === null ? UNKNOWN : QUESTION_KINDS[type];
}

/** The name of a stored type. */
export function kindName(stored: unknown): string {
  const type = typeOf(asQuestion({ type: stored }));
  return type === null ? `Unknown kind “${String(stored)}”` : QUESTION_KINDS[type].name;
}
