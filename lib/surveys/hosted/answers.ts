import type { QuestionView, TextRule } from "./view.ts";

/** The maximum length of a text answer. */
export const TEXT_MAX = 10_000;

/** What is wrong with an answer; the page says it in its own language. */
export type Problem =
  | { code: "required" | "choose" | "choose_some" | "specify" | "email"; field: "answer" | "other" }
  | { code: "too_short" | "too_long"; limit: number; field: "answer" | "other" }
  | { code: "own"; message: string; field: "answer" };

export type Answered = { response: unknown } | { problem: Problem };

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

const given = (form: URLSearchParams, name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n").trim();

function isBroken(rule: TextRule, text: string): boolean {
  if (rule.kind === "email") return !EMAIL.test(text);
  const length = [...text].length;
  return rule.kind === "min_length" ? length < rule.value : length > rule.value;
}

function problemOf(rule: TextRule): Problem {
  if (rule.message !== null) return { code: "own", message: rule.message, field: "answer" };
  if (rule.kind === "email") return { code: "email", field: "answer" };
  return {
    code: rule.kind === "min_length" ? "too_short" : "too_long",
    limit: rule.value,
    field: "answer",
  };
}

function openAnswer(view: QuestionView & { kind: "open" }, form: URLSearchParams): Answered {
  const text = given(form, "answer");
  if (text === "")
    return view.isOptional ? { response: "" } : { problem: { code: "required", field: "answer" } };
  if (text.length > TEXT_MAX) return { problem: { code: "too_long", limit: TEXT_MAX, field: "answer" } };
  const broken = view.rules.find((rule) => isBroken(rule, text));
  return broken ? { problem: problemOf(broken) } : { response: text };
}

function ratingAnswer(view: QuestionView & { kind: "rating" }, form: URLSearchParams): Answered {
  const text = given(form, "answer");
  const value = view.values.find((one) => String(one) === text);
  if (value !== undefined) return { response: value };
  return view.isOptional && text === ""
    ? { response: null }
    : { problem: { code: "choose", field: "answer" } };
}

/** Text next to the open choice; it counts if that choice is picked, or nothing else is. */
function choiceAnswer(view: QuestionView & { kind: "choice" }, form: URLSearchParams): Answered {
  const { choices, isMultiple } = view;
  const places = new Set(form.getAll("answer"));
  const other = given(form, "other");
  const asked = choices.filter((choice) => places.has(String(choice.place)));
  const openChoice = choices.find((choice) => choice.isOpen);
  const implied = openChoice && other !== "" && asked.length === 0 ? [openChoice] : asked;
  if (other.length > TEXT_MAX) return { problem: { code: "too_long", limit: TEXT_MAX, field: "other" } };
  if (implied.some((choice) => choice.isOpen) && other === "")
    return { problem: { code: "specify", field: "other" } };
  const responses = implied.map((choice) => (choice.isOpen ? other : choice.text));
  if (responses.length === 0 && !view.isOptional && choices.length > 0)
    return { problem: { code: isMultiple ? "choose_some" : "choose", field: "answer" } };
  return { response: isMultiple ? responses : (responses[0] ?? null) };
}

/**
 * The answer in a form, as SDKs send it: a number for a rating, a text for a choice, a
 * list of them for several, null (an empty text, an empty list) if the question was skipped.
 */
export function answerOf(view: QuestionView, form: URLSearchParams): Answered {
  if (view.kind === "open") return openAnswer(view, form);
  if (view.kind === "rating") return ratingAnswer(view, form);
  if (view.kind === "choice") return choiceAnswer(view, form);
  return { response: form.get("action") === "skip" && view.isOptional ? null : "link clicked" };
}

/** The form fields of an earlier answer, as a browser would send them. */
export function fieldsOf(view: QuestionView, response: unknown): { answers: string[]; other: string } {
  if (view.kind === "open") return { answers: [typeof response === "string" ? response : ""], other: "" };
  if (view.kind === "rating")
    return { answers: typeof response === "number" ? [String(response)] : [], other: "" };
  if (view.kind === "link") return { answers: [], other: "" };
  const texts = (Array.isArray(response) ? response : [response]).filter((t) => typeof t === "string");
  const listed = view.choices.filter((choice) => !choice.isOpen && texts.includes(choice.text));
  const own = texts.find((text) => !view.choices.some((choice) => !choice.isOpen && choice.text === text));
  const openChoice = own === undefined ? undefined : view.choices.find((choice) => choice.isOpen);
  const places = [...listed, ...(openChoice ? [openChoice] : [])].map((choice) => String(choice.place));
  return { answers: places, other: openChoice ? (own ?? "") : "" };
}

/**
 * The answer that a URL suggests: a rating's value, or the place of a choice (several for multiple choice).
 *
 * @returns undefined without a valid suggestion
 */
export function prefillOf(view: QuestionView, values: readonly string[]): unknown {
  const numbers = values.filter((text) => /^\d{1,4}$/.test(text)).map(Number);
  if (view.kind === "rating") return numbers.find((number) => view.values.includes(number));
  if (view.kind !== "choice") return undefined;
  const chosen = view.choices.filter((choice) => !choice.isOpen && numbers.includes(choice.place));
  if (chosen.length === 0) return undefined;
  return view.isMultiple ? chosen.map((choice) => choice.text) : chosen[0]?.text;
}
