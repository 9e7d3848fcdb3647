import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { type fieldsOf, TEXT_MAX } from "./answers.ts";
import { face, thumb } from "./icons.ts";
import type { Texts } from "./texts.ts";
import type { Choice, QuestionView, TextRule } from "./view.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a field shows: the question, the earlier answer, and its problem. */
export type FieldProps = {
  view: QuestionView;
  /** The answer as form values. */
  given: ReturnType<typeof fieldsOf>;
  problem: { text: string; field: "answer" | "other" } | null;
  texts: Texts;
  /** Whether the field takes the focus when the page opens. */
  takesFocus: boolean;
};

const NONE = html``;

/** Ids of what describes the answer, for screen readers. */
const describedBy = (...ids: (string | false)[]) => {
  const named = ids.filter((id) => id !== false);
  return named.length > 0 ? raw(` aria-describedby="${named.join(" ")}"`) : "";
};

const invalid = (isInvalid: boolean) => (isInvalid ? raw(' aria-invalid="true"') : "");
const checked = (isChecked: boolean) => (isChecked ? raw(" checked") : "");

const problemLine = (problem: FieldProps["problem"]): Html =>
  problem ? html`<p class="problem" id="problem" dir="auto">${problem.text}</p>` : NONE;

const lengthOf = (rules: TextRule[], kind: TextRule["kind"]) =>
  rules.find((rule) => rule.kind === kind)?.value ?? null;

function openField({ view, given, problem, texts, takesFocus }: FieldProps): Html {
  if (view.kind !== "open") return NONE;
  const min = lengthOf(view.rules, "min_length");
  const max = lengthOf(view.rules, "max_length");
  const hint = texts.hint(min !== null && min > 1 ? min : null, max);
  const isEmail = view.rules.some((rule) => rule.kind === "email");
  const describes = describedBy(problem !== null && "problem", hint !== null && "hint");
  const focus = takesFocus ? raw(" autofocus") : "";
  const value = given.answers[0] ?? "";
  const field = isEmail
    ? html`<input type="text" inputmode="email" autocomplete="email" id="answer" name="answer" dir="auto"
        value="${value}" placeholder="${view.placeholder}"${describes}${invalid(problem !== null)}${focus}>`
    : html`<textarea id="answer" name="answer" rows="5" dir="auto" maxlength="${TEXT_MAX}"
        placeholder="${view.placeholder}"${describes}${invalid(problem !== null)}${focus}>
${value}</textarea>`;
  return html`<div class="field">${field}${problemLine(problem)}
    ${hint === null ? NONE : html`<p class="hint" id="hint" dir="auto">${hint}</p>`}</div>`;
}

function mark(view: QuestionView & { kind: "rating" }, value: number): Html {
  if (!view.emoji) return html`<span aria-hidden="true">${value}</span>`;
  if (view.values.length === 2) return raw(thumb(value === 1));
  return raw(face((value - 1) / (view.values.length - 1)));
}

function ratingField({ view, given, problem, texts }: FieldProps): Html {
  if (view.kind !== "rating") return NONE;
  const last = view.values.at(-1) ?? 0;
  const name = (value: number) => {
    const bound = value === view.values[0] ? view.lower : value === last ? view.upper : "";
    return bound === "" ? texts.rating(value, last) : `${texts.rating(value, last)}, ${bound}`;
  };
  const options = view.values.map((value, at) => {
    const isChosen = given.answers.includes(String(value));
    if (view.isInstant)
      return html`<div class="rate"><button name="answer" value="${value}" aria-label="${name(value)}"
        aria-pressed="${isChosen}">${mark(view, value)}</button></div>`;
    const id = at === 0 ? "answer" : `answer-${at}`;
    return html`<div class="rate"><input type="radio" name="answer" id="${id}" value="${value}"${checked(isChosen)}
      ${invalid(problem !== null)}><label for="${id}">${mark(view, value)}<span class="hidden">${name(value)}</span></label></div>`;
  });
  const kind = view.emoji ? "faces" : view.values.length > 10 ? "eleven" : "";
  const bounds = html`<div class="bounds" aria-hidden="true" style="--n: ${view.values.length}"><span dir="auto">${view.lower}</span>
    <span dir="auto">${view.upper}</span></div>`;
  return html`<div class="field">${problemLine(problem)}<div class="ratings ${kind}" style="--n: ${view.values.length}">${options}</div>
    ${view.lower === "" && view.upper === "" ? NONE : bounds}</div>`;
}

function otherField(choice: Choice, { given, problem, texts }: FieldProps): Html {
  const isWrong = problem?.field === "other";
  return html`<div class="own"><input type="text" id="other" name="other" dir="auto" autocomplete="off"
    maxlength="${TEXT_MAX}" value="${given.other}" aria-label="${texts.other(choice.label)}"${describedBy(
      isWrong && "problem",
    )}${invalid(isWrong)}>${isWrong ? problemLine(problem) : NONE}</div>`;
}

function choiceField(props: FieldProps): Html {
  const { view, given, problem, texts } = props;
  if (view.kind !== "choice") return NONE;
  const isWrong = problem?.field === "answer";
  const options = view.choices.map((choice, at) => {
    const isChosen = given.answers.includes(String(choice.place));
    if (view.isInstant)
      return html`<button class="choice" name="answer" value="${choice.place}" aria-pressed="${isChosen}"
        dir="auto">${choice.label}</button>`;
    const id = at === 0 ? "answer" : `answer-${at}`;
    const type = view.isMultiple ? "checkbox" : "radio";
    return html`<div><div class="choice"><input type="${type}" name="answer" id="${id}"
      value="${choice.place}"${checked(isChosen)}${invalid(isWrong)}><label for="${id}" dir="auto">${choice.label}</label>
      </div>${choice.isOpen ? otherField(choice, props) : NONE}</div>`;
  });
  return html`<div class="field">${view.isMultiple ? html`<p class="hint" dir="auto">${texts.chooseAny}</p>` : NONE}
    ${isWrong ? problemLine(problem) : NONE}
    <div class="choices ${view.isMultiple ? "many" : ""}">${options}</div></div>`;
}

function linkField({ view, texts }: FieldProps): Html {
  if (view.kind !== "link" || view.href === null) return NONE;
  return html`<p class="field"><a class="button outlined" href="${view.href}" target="_blank"
    rel="noopener noreferrer">${texts.openLink}<span aria-hidden="true">↗</span></a></p>`;
}

/** The form control of a question. */
export function fieldFor(props: FieldProps): Html {
  const { kind } = props.view;
  if (kind === "open") return openField(props);
  if (kind === "rating") return ratingField(props);
  return kind === "choice" ? choiceField(props) : linkField(props);
}

/** Whether clicking an answer submits it. */
export const isInstant = (view: QuestionView): boolean =>
  (view.kind === "rating" || view.kind === "choice") && view.isInstant;
