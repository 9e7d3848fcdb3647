import { html, raw } from "hono/html";
import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { type ControlOf, checked, type Html, invalid, NONE, problemLine, trimmed } from "./control.ts";
import { face, thumb } from "./icons.ts";
import type { Texts } from "./texts.ts";

/** The values to choose from; where the scale is none of ours, a near one. */
function valuesOf(scale: unknown): number[] {
  const last = typeof scale === "number" && Number.isInteger(scale) ? Math.min(10, Math.max(2, scale)) : 5;
  const first = last === 10 ? 0 : 1;
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const EMOJI: readonly unknown[] = [2, 3, 5];

/** A row of numbers, faces or thumbs. */
export const ratingControl: ControlOf<QuestionOf<"rating">> = ({ question, texts: shown }) => {
  const { display, scale, skipSubmitButton, optional } = question;
  const values = valuesOf(scale);
  const isEmoji = display === "emoji" && EMOJI.includes(scale);
  const isInstant = skipSubmitButton === true;
  const [lower, upper] = [trimmed(shown.lowerBoundLabel), trimmed(shown.upperBoundLabel)];
  const last = values.at(-1) ?? 0;

  function mark(value: number): Html {
    if (!isEmoji) return html`<span aria-hidden="true">${value}</span>`;
    return raw(values.length === 2 ? thumb(value === 1) : face((value - 1) / (values.length - 1)));
  }
  function name(value: number, texts: Texts): string {
    if (isEmoji && values.length === 2) return value === 1 ? texts.thumbs.up : texts.thumbs.down;
    const bound = value === values[0] ? lower : value === last ? upper : "";
    return bound === "" ? texts.rating(value, last) : `${texts.rating(value, last)}, ${bound}`;
  }
  return {
    names: "group",
    isInstant,
    html({ given, problem, texts }) {
      const options = values.map((value, at) => {
        const isChosen = given.answers.includes(String(value));
        if (isInstant)
          return html`<div class="rate"><button name="answer" value="${value}" aria-label="${name(value, texts)}"
        aria-pressed="${isChosen}">${mark(value)}</button></div>`;
        const id = at === 0 ? "answer" : `answer-${at}`;
        return html`<div class="rate"><input type="radio" name="answer" id="${id}" value="${value}"${checked(isChosen)}
      ${invalid(problem !== null)}><label for="${id}">${mark(value)}<span class="hidden">${name(value, texts)}</span></label></div>`;
      });
      const look = isEmoji ? "faces" : values.length > 10 ? "eleven" : "";
      const bounds = html`<div class="bounds" aria-hidden="true" style="--n: ${values.length}"><span dir="auto">${lower}</span>
    <span dir="auto">${upper}</span></div>`;
      return html`<div class="field">${problemLine(problem)}<div class="ratings ${look}" style="--n: ${values.length}">${options}</div>
    ${lower === "" && upper === "" ? NONE : bounds}</div>`;
    },
    read(form) {
      const text = (form.get("answer") ?? "").trim();
      const value = values.find((one) => String(one) === text);
      if (value !== undefined) return { response: value };
      const isSkipped = optional === true && text === "";
      return isSkipped ? { response: null } : { problem: { code: "choose", field: "answer" } };
    },
    given: (response) => ({ answers: typeof response === "number" ? [String(response)] : [], other: "" }),
    suggested: (numbers) => numbers.find((number) => values.includes(number)),
  };
};
