import { html, raw } from "hono/html";
import type { Json } from "#lib/engines/json.ts";
import { type Given, type Html, NONE, trimmed } from "./control.ts";
import { TICK } from "./icons.ts";
import { type QuestionView, type RichText, richText } from "./question-view.ts";
import type { Texts } from "./texts.ts";

/** What all cards of a survey share. Everything in them is escaped or sanitized. */
export type Deck = {
  /** The survey's appearance, in the reader's language. */
  appearance: Json;
  /** The card's own texts, in that language. */
  texts: Texts;
  /** Where forms go. */
  action: string;
};

const about = (description: RichText | null): Html => {
  if (description === null) return NONE;
  return "html" in description
    ? html`<div class="about" id="about" dir="auto">${raw(description.html)}</div>`
    : html`<p class="about text" id="about" dir="auto">${description.text}</p>`;
};

const form = (action: string, state: string, content: Html): Html => html`
<form method="post" action="${action}" autocomplete="off" novalidate>
<input type="hidden" name="state" value="${state}">
${content}
</form>`;

const button = (action: string, label: string, look = ""): Html =>
  html`<button class="button ${look}" name="action" value="${action}" dir="auto">${label}</button>`;

/** A question with its place in the survey, and the answer so far. */
export type Asked = {
  view: QuestionView;
  /** The sealed state. */
  state: string;
  /** How many questions were answered before it. */
  behind: number;
  /** How many there are; null if that depends on the answers. */
  of: number | null;
  /** What was answered before. */
  response: unknown;
  /** The submitted form, if it has to be sent again. */
  sent: Given | null;
  problem: { text: string; field: "answer" | "other" } | null;
  /** A problem that is not about the answer. */
  notice: string | null;
  isLast: boolean;
  takesFocus: boolean;
};

function problems({ texts }: Deck, { problem, notice, view }: Asked): Html {
  const text = problem?.text ?? notice;
  if (text === null || text === undefined) return NONE;
  const isLinked = problem !== null && !view.control.isInstant;
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2 dir="auto">${texts.problemTitle}</h2>
    <p dir="auto">${isLinked ? html`<a href="#${problem?.field}">${text}</a>` : text}</p></div>`;
}

/** The submit button comes first, so that Enter submits; not needed if choosing an answer submits it. */
function actions({ texts, appearance }: Deck, { view, isLast, behind }: Asked): Html {
  const { isInstant, names } = view.control;
  // The button that a link question names opens the link.
  const own = names === "nothing" ? null : view.button;
  const label = own ?? (isLast ? texts.submit : texts.next);
  const canSkip = view.isOptional && (isInstant || names === "nothing");
  const canGoBack = appearance.allowGoBack === true && behind > 0;
  return html`<div class="actions">${isInstant ? NONE : button("answer", label)}${
    canSkip ? button("skip", texts.skip, "quiet") : NONE
  }
    ${canGoBack ? button("back", trimmed(appearance.backButtonText) || texts.back, "quiet") : NONE}</div>`;
}

function heading({ texts }: Deck, { view, behind, of }: Asked): Html {
  const optional = view.isOptional ? html`<span class="tag">${texts.optional}</span>` : NONE;
  return html`<p class="meta"><span dir="auto">${texts.question(behind + 1, of)}</span>${optional}</p>`;
}

/** A card that asks a question. */
export function questionCard(deck: Deck, asked: Asked): Html {
  const { view, response, sent, problem } = asked;
  const { control, title } = view;
  const takesFocus = asked.takesFocus && problem === null && asked.notice === null;
  const field = control.html({
    given: sent ?? control.given(response),
    problem,
    texts: deck.texts,
    takesFocus,
  });
  const described = view.description === null ? "" : raw(' aria-describedby="about"');
  const text = about(view.description);
  const question = {
    group: html`<fieldset${described}><legend><h1 dir="auto">${title}</h1></legend>${text}${field}</fieldset>`,
    control: html`<h1 dir="auto"><label for="answer">${title}</label></h1>${text}${field}`,
    nothing: html`<h1 dir="auto">${title}</h1>${text}${field}`,
  }[control.names];
  const content = html`${question}
${actions(deck, asked)}`;
  return html`${problems(deck, asked)}${heading(deck, asked)}${form(deck.action, asked.state, content)}`;
}

/** A card before the first question. */
export function introCard({ appearance, texts, action }: Deck, name: string, state: string): Html {
  const header = trimmed(appearance.introScreenHeader) || name;
  const { introScreenDescription: description, introScreenDescriptionContentType: type } = appearance;
  const start = button("start", trimmed(appearance.introScreenButtonText) || texts.start);
  return html`<h1 dir="auto">${header}</h1>${about(richText(description, type ?? "html"))}${form(
    action,
    state,
    html`<div class="actions">${start}</div>`,
  )}`;
}

/** The last card; with a button where the card can be closed. */
export function thanksCard({ appearance, texts, action }: Deck, canClose = false): Html {
  if (appearance.displayThankYouMessage === false)
    return html`${raw(TICK)}<h1 dir="auto">${texts.recorded}</h1>`;
  const { thankYouMessageDescription: description, thankYouMessageDescriptionContentType: type } = appearance;
  const header = trimmed(appearance.thankYouMessageHeader) || texts.thanks;
  const close = button("close", trimmed(appearance.thankYouMessageCloseButtonText) || texts.close);
  return html`${raw(TICK)}<h1 dir="auto">${header}</h1>${about(richText(description, type ?? "html"))}${
    canClose ? form(action, "", html`<div class="actions">${close}</div>`) : NONE
  }`;
}
