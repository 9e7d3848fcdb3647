import { html, raw } from "hono/html";
import { fieldsOf } from "./answers.ts";
import { fieldFor, type Html, isInstant } from "./fields.ts";
import { TICK } from "./icons.ts";
import { STYLES } from "./styles.ts";
import type { Texts } from "./texts.ts";
import type { Theme } from "./theme.ts";
import type { QuestionView } from "./view.ts";

/** What all pages of a survey share. */
export type Frame = {
  title: string;
  lang: string;
  dir: "ltr" | "rtl";
  texts: Texts;
  theme: Theme;
  embed: boolean;
  /** Nonce of the page's style, for its content security policy. */
  nonce: string;
};

const NONE = html``;

/** A whole document. */
function page(frame: Frame, content: Html, share: number | null = null): Html {
  const { lang, dir, theme, nonce } = frame;
  const bar =
    share === null
      ? html`<div></div>`
      : html`<div class="steps" aria-hidden="true"><span style="width: ${Math.round(share * 100)}%"></span></div>`;
  const own = theme.properties === "" ? "" : `:root { color-scheme: ${theme.scheme}; ${theme.properties} }`;
  return html`<!doctype html>
<html lang="${lang}" dir="${dir}" class="${theme.scheme === "light dark" ? "" : theme.scheme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${theme.scheme}">
<title>${frame.title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(STYLES)}${raw(own)}</style>
</head>
<body class="${frame.embed ? "embed" : ""}">
${bar}
<main>
${content}
</main>
</body>
</html>
`;
}

const about = (description: QuestionView["description"], id: string): Html => {
  if (description === null) return NONE;
  return "html" in description
    ? html`<div class="about" id="${id}" dir="auto">${raw(description.html)}</div>`
    : html`<p class="about text" id="${id}" dir="auto">${description.text}</p>`;
};

/** A page that asks a question. */
export type QuestionPage = {
  frame: Frame;
  view: QuestionView;
  /** Where its form goes. */
  action: string;
  /** The sealed state. */
  state: string;
  /** How many questions were seen, this one included. */
  number: number;
  /** How many there are; null if that depends on the answers. */
  of: number | null;
  /** Progress from 0 to 1. */
  share: number;
  /** What was answered before. */
  response: unknown;
  /** The submitted form, if it has to be sent again. */
  sent: { answers: string[]; other: string } | null;
  problem: { text: string; field: "answer" | "other" } | null;
  /** A problem that is not about the answer. */
  notice: string | null;
  isLast: boolean;
  backLabel: string | null;
  takesFocus: boolean;
};

function problems({ frame, problem, notice, view }: QuestionPage): Html {
  const text = problem?.text ?? notice;
  if (text === null || text === undefined) return NONE;
  const isLinked = problem !== null && !isInstant(view);
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2 dir="auto">${frame.texts.problemTitle}</h2>
    <p dir="auto">${isLinked ? html`<a href="#${problem?.field}">${text}</a>` : text}</p></div>`;
}

/** The submit button comes first, so that Enter submits; not needed if clicking an answer submits it. */
function actions({ frame, view, isLast, backLabel }: QuestionPage): Html {
  const { texts } = frame;
  const label = view.button ?? (isLast ? texts.submit : texts.next);
  const canSkip = view.isOptional && (isInstant(view) || view.kind === "link");
  const send = html`<button class="button" name="action" value="answer" dir="auto">${label}</button>`;
  const skip = html`<button class="button quiet" name="action" value="skip">${texts.skip}</button>`;
  const back = html`<button class="button quiet" name="action" value="back" dir="auto">${backLabel}</button>`;
  return html`<div class="actions">${isInstant(view) ? NONE : send}${canSkip ? skip : NONE}
    ${backLabel === null ? NONE : back}</div>`;
}

function heading({ frame, view, number, of }: QuestionPage): Html {
  const { texts } = frame;
  const optional = view.isOptional ? html`<span class="tag">${texts.optional}</span>` : NONE;
  return html`<p class="meta"><span dir="auto">${texts.question(number, of)}</span>${optional}</p>`;
}

export function questionPage(props: QuestionPage): Html {
  const { frame, view, action, state, response, sent, problem, texts } = {
    ...props,
    texts: props.frame.texts,
  };
  const given = sent ?? fieldsOf(view, response);
  const takesFocus = props.takesFocus && problem === null && props.notice === null;
  const field = fieldFor({ view, given, problem, texts, takesFocus });
  const isGroup = view.kind === "rating" || view.kind === "choice";
  const description = about(view.description, "about");
  const described = view.description === null ? "" : raw(' aria-describedby="about"');
  const asked = isGroup
    ? html`<fieldset${described}><legend><h1 dir="auto">${view.title}</h1></legend>${description}${field}</fieldset>`
    : view.kind === "open"
      ? html`<h1 dir="auto"><label for="answer">${view.title}</label></h1>${description}${field}`
      : html`<h1 dir="auto">${view.title}</h1>${description}${field}`;
  const content = html`${problems(props)}${heading(props)}
<form method="post" action="${action}" autocomplete="off" novalidate>
<input type="hidden" name="state" value="${state}">
${asked}
${actions(props)}
</form>`;
  const title = problem ? `${problem.text} – ${frame.title}` : frame.title;
  return page({ ...frame, title }, content, props.share);
}

/** A page before the first question. */
export function introPage(
  frame: Frame,
  intro: {
    header: string;
    description: QuestionView["description"];
    button: string | null;
    action: string;
    state: string;
  },
): Html {
  return page(
    frame,
    html`<h1 dir="auto">${intro.header}</h1>${about(intro.description, "about")}
<form method="post" action="${intro.action}" autocomplete="off">
<input type="hidden" name="state" value="${intro.state}">
<div class="actions"><button class="button" name="action" value="start" dir="auto">${intro.button ?? frame.texts.start}</button></div>
</form>`,
    0,
  );
}

/** The last page. */
export const thanksPage = (frame: Frame, header: string, description: QuestionView["description"]): Html =>
  page(frame, html`${raw(TICK)}<h1 dir="auto">${header}</h1>${about(description, "about")}`, 1);

/** A page that says why there is nothing to answer; `restart` is the URL to start at. */
export const messagePage = (frame: Frame, header: string, text: string, restart?: string): Html =>
  page(
    frame,
    html`<h1>${header}</h1><p class="about">${text}</p>${
      restart === undefined
        ? NONE
        : html`<div class="actions"><a class="button" href="${restart}">${frame.texts.restart}</a></div>`
    }`,
  );
