import { html } from "hono/html";
import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { linkProblem } from "#lib/surveys/surveys/questions/question_kinds/link.ts";
import { type ControlOf, NONE, trimmed } from "./control.ts";

/** A link to follow, by the button that the question names; going on is the answer. */
export const linkControl: ControlOf<QuestionOf<"link">> = ({ question, texts: { link, buttonText } }) => ({
  names: "nothing",
  isInstant: false,
  html: ({ texts }) =>
    linkProblem(link)
      ? NONE
      : html`<p class="field"><a class="button outlined" href="${String(link)}" target="_blank"
    rel="noopener noreferrer">${trimmed(buttonText) || texts.openLink}<span aria-hidden="true">↗</span></a></p>`,
  read: (form) => ({
    response: form.get("action") === "skip" && question.optional === true ? null : "link clicked",
  }),
  given: () => ({ answers: [], other: "" }),
  suggested: () => undefined,
});
