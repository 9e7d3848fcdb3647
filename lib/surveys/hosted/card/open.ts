import { html, raw } from "hono/html";
import type { Question } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";
import {
  type ControlOf,
  describedBy,
  invalid,
  NONE,
  problemLine,
  TEXT_MAX,
  textIn,
  trimmed,
} from "./control.ts";
import type { Problem } from "./texts.ts";

/** A rule that a text must keep, and the message if it does not. */
type TextRule = { kind: "min_length" | "max_length" | "email"; value: number; message: string | null };

const RULES = ["min_length", "max_length", "email"] as const;

function rulesOf(validation: unknown): TextRule[] {
  if (!Array.isArray(validation)) return [];
  return validation.filter(isObject).flatMap((rule) => {
    const kind = RULES.find((known) => known === rule.type);
    const value = typeof rule.value === "number" && rule.value > 0 ? rule.value : 0;
    if (!kind || (kind !== "email" && value === 0)) return [];
    return [{ kind, value, message: trimmed(rule.errorMessage) || null }];
  });
}

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

function isBroken(rule: TextRule, text: string): boolean {
  if (rule.kind === "email") return !EMAIL.test(text);
  const length = [...text].length;
  return rule.kind === "min_length" ? length < rule.value : length > rule.value;
}

function problemOf({ kind, value, message }: TextRule): Problem {
  if (message !== null) return { code: "own", message, field: "answer" };
  if (kind === "email") return { code: "email", field: "answer" };
  return { code: kind === "min_length" ? "too_short" : "too_long", limit: value, field: "answer" };
}

/** A text; also for questions of an unknown kind. */
export const openControl: ControlOf<Question> = ({ question, texts: shown, appearance }) => {
  const placeholder = trimmed(shown.placeholder) || trimmed(appearance.placeholder);
  const rules = rulesOf(question.validation);
  const limit = (kind: TextRule["kind"]) => rules.find((rule) => rule.kind === kind)?.value ?? null;
  const [min, max] = [limit("min_length"), limit("max_length")];
  return {
    names: "control",
    isInstant: false,
    html({ given, problem, texts, takesFocus }) {
      const hint = texts.hint(min !== null && min > 1 ? min : null, max);
      const isEmail = rules.some(({ kind }) => kind === "email");
      const attributes = html`placeholder="${placeholder}"${describedBy(
        problem !== null && "problem",
        hint !== null && "hint",
      )}${invalid(problem !== null)}${takesFocus ? raw(" autofocus") : ""}`;
      const value = given.answers[0] ?? "";
      const field = isEmail
        ? html`<input type="text" inputmode="email" autocomplete="email" id="answer" name="answer" dir="auto"
        value="${value}" ${attributes}>`
        : html`<textarea id="answer" name="answer" rows="5" dir="auto" maxlength="${TEXT_MAX}" ${attributes}>
${value}</textarea>`;
      return html`<div class="field">${field}${problemLine(problem)}
    ${hint === null ? NONE : html`<p class="hint" id="hint" dir="auto">${hint}</p>`}</div>`;
    },
    read(form) {
      const text = textIn(form, "answer");
      if (text === "")
        return question.optional === true
          ? { response: "" }
          : { problem: { code: "required", field: "answer" } };
      if (text.length > TEXT_MAX) return { problem: { code: "too_long", limit: TEXT_MAX, field: "answer" } };
      const broken = rules.find((rule) => isBroken(rule, text));
      return broken ? { problem: problemOf(broken) } : { response: text };
    },
    given: (response) => ({ answers: [typeof response === "string" ? response : ""], other: "" }),
    suggested: () => undefined,
  };
};
