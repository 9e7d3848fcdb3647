import { html } from "hono/html";
import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { linkProblem } from "#lib/surveys/surveys/questions/question_kinds/link.ts";
import { type ControlOf, NONE } from "./control.ts";

/** A link to follow; going on is the answer. */
export const linkControl: ControlOf<QuestionOf<"link">> = ({ question, texts: { link } }) => ({
  names: "nothing",
  isInstant: false,
  html: ({ texts }) =>
    linkProblem(link)
      ? NONE
      : html`<p class="field"><a class="button outlined" href="${String(link)}" target="_blank"
    rel="noopener noreferrer">${texts.openLink}<span aria-hidden="true">↗</span></a></p>`,
  read: (form) => ({
    response: form.get("action") === "skip" && question.optional === true ? null : "link clicked",
  }),
  given: () => ({ answers: [], other: "" }),
  suggested: () => undefined,
});
