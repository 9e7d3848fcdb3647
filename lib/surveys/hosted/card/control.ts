import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Json } from "#lib/engines/json.ts";
import type { Problem, Texts } from "./texts.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The maximum length of a text answer. */
export const TEXT_MAX = 10_000;

type Answered = { response: unknown } | { problem: Problem };

/** An answer as the values of form fields. */
export type Given = { answers: string[]; other: string };

/** What a control shows: the earlier answer, and its problem. */
export type ControlState = {
  given: Given;
  problem: { text: string; field: "answer" | "other" } | null;
  texts: Texts;
  /** Whether it takes the focus when the page opens. */
  takesFocus: boolean;
};

/** What takes the answer to a question. */
export interface Control {
  /** What the question's title names: a group of controls, one of them, or nothing. */
  names: "group" | "control" | "nothing";
  /** Whether choosing an answer sends it. */
  isInstant: boolean;
  html(state: ControlState): Html;
  /**
   * The answer in a form, as SDKs send it: a number for a rating, a text for a choice, a list of them for several,
   * null (an empty text, an empty list) if the question was skipped.
   */
  read(form: URLSearchParams): Answered;
  /** The form fields of an earlier answer, as a browser would send them. */
  given(response: unknown): Given;
  /** The answer that a URL suggests by numbers; undefined without a valid one. */
  suggested(numbers: readonly number[]): unknown;
}

/** Puts items into the order in which one respondent gets them. */
export type Shuffle = <T>(items: readonly T[]) => T[];

/** What a control is made for: the question as stored, and with the texts of the reader's language. */
export type Shown<Q> = { question: Q; texts: Json; appearance: Json; shuffle: Shuffle };

/**
 * Makes the control of a kind of question, whatever is stored in its fields. The type of a method, so that the maker
 * for one kind can be called for any question after its type was looked up.
 */
export type ControlOf<Q> = { make(shown: Shown<Q>): Control }["make"];

export const NONE = html``;

export const trimmed = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** The text of a form field. */
export const textIn = (form: URLSearchParams, name: string) =>
  (form.get(name) ?? "").replaceAll("\r\n", "\n").trim();

/** Ids of what describes the answer, for screen readers. */
export const describedBy = (...ids: (string | false)[]) => {
  const named = ids.filter((id) => id !== false);
  return named.length > 0 ? raw(` aria-describedby="${named.join(" ")}"`) : "";
};

export const invalid = (isInvalid: boolean) => (isInvalid ? raw(' aria-invalid="true"') : "");
export const checked = (isChecked: boolean) => (isChecked ? raw(" checked") : "");

export const problemLine = (problem: ControlState["problem"]): Html =>
  problem ? html`<p class="problem" id="problem" dir="auto">${problem.text}</p>` : NONE;
