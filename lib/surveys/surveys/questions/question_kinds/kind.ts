import type { ChoiceReader } from "#lib/surveys/surveys/questions/choices.ts";

export type { Question, SentQuestion } from "#lib/engines/branching/question.ts";

/** A mistake in a question, with its field; `choice` is the place of the choice concerned. */
export type QuestionProblem = { field: string; choice?: number; message: string };

/** The figures of a question: those of a scale, of choices or of free texts; else only how many answered. */
export type Figures = "rating" | "choice" | "texts" | "count";

/**
 * What a kind of question is. How its rules tell answers apart is in lib/engines/branching/answers.ts, how it is
 * shown to respondents in lib/surveys/hosted/kinds.
 */
export interface QuestionKind<Q> {
  name: string;
  /** A few words for menus. */
  summary: string;
  /** The schema of its own fields: descriptions of what may be sent. All are stored as they are sent. */
  schema: Readonly<Record<string, string>>;
  /** The fields that a new question begins with. */
  empty: Readonly<Partial<Q>>;
  /** What prevents saving it in the dashboard; the API is more lenient. */
  problems(question: Q): QuestionProblem[];
  /** Whether the survey may go on as soon as an answer is chosen. */
  canBeInstant(question: Q): boolean;
  /**
   * The code under which an answer is counted.
   *
   * @param read tells which choice a text means; see `choiceReader`
   * @param at when the answer was recorded, in milliseconds since the epoch
   */
  encode(question: Q, answer: unknown, read: ChoiceReader, at: number): string;
  figures(question: Q): Figures;
  /** What answers say that have nothing to be read; left out where they do. */
  counted?(people: number): string;
  /** Whether one answer can have several parts. */
  isMultiple: boolean;
}

/** Codes besides numbers and slots: an answer that is not on the scale; a free text; any answer at all. */
export const OFF_SCALE = "?";
export const OTHER = "o";
export const SOME = "1";
