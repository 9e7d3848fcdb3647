import { isObject } from "#lib/engines/json.ts";

/**
 * Fields that any question may have. Stored questions are unvalidated: each field may hold anything, and there may be
 * others, such as those of a type that it had before.
 */
type Fields = {
  [field: string]: unknown;
  id?: unknown;
  question?: unknown;
  description?: unknown;
  descriptionContentType?: unknown;
  optional?: unknown;
  buttonText?: unknown;
  skipSubmitButton?: unknown;
  translations?: unknown;
  branching?: unknown;
};

type ChoiceFields = Fields & {
  choices?: unknown;
  choice_ids?: unknown;
  hasOpenChoice?: unknown;
  shuffleOptions?: unknown;
};

/** The kinds of questions, with the fields of each. */
type FieldsByType = {
  open: Fields & { placeholder?: unknown; validation?: unknown };
  link: Fields & { link?: unknown };
  rating: Fields & {
    display?: unknown;
    scale?: unknown;
    lowerBoundLabel?: unknown;
    upperBoundLabel?: unknown;
  };
  single_choice: ChoiceFields;
  multiple_choice: ChoiceFields;
};

export type QuestionType = keyof FieldsByType;

/** A question of one type, or of one of several. */
export type QuestionOf<Type extends QuestionType> = { [T in Type]: FieldsByType[T] & { type: T } }[Type];

declare const unknownType: unique symbol;

/** Whatever else is stored as a type. */
type UnknownType = { readonly [unknownType]: true } | null;

/** A question that is stored with a type that is none of ours. It is served as it is, and asked as an open one. */
type UnknownQuestion = Fields & { type?: UnknownType };

/** A question as it is sent and stored. */
export type Question = QuestionOf<QuestionType> | UnknownQuestion;

/** A question of a request: with or without an id. */
export type SentQuestion = Question & { question: string };

/** A question of a survey. */
export type StoredQuestion = SentQuestion & { id: string };

/** What is sent or stored as a question, unchanged; a type that is none of ours makes it an unknown one. */
export const asQuestion = (stored: object): Question => stored as Question;

/** Where an answer leads: the index of a question, or the end of the survey. */
export type Step = number | "end";

export type Rules = { type?: unknown; index?: unknown; responseValues?: unknown };

/** The branching of a question, unvalidated. */
export const rulesOf = ({ branching }: Question): Rules => (isObject(branching) ? branching : {});
