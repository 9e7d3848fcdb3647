import { html, raw } from "hono/html";
import { type Html, NONE } from "./card/control.ts";
import { classesFor, stylesOf } from "./card/styles.ts";
import type { Texts } from "./card/texts.ts";
import type { Theme } from "./card/theme.ts";

/** What all pages of a survey share. */
export type Frame = {
  title: string;
  lang: string;
  dir: "ltr" | "rtl";
  texts: Texts;
  theme: Theme;
  embed: boolean;
  /** Where it begins, if somebody of the team tries it out. */
  preview: string | null;
  /** Nonce of the page's style, for its content security policy. */
  nonce: string;
};

/**
 * A card as a whole document.
 *
 * @param share progress from 0 to 1; null where there is nothing to answer
 */
export function page(frame: Frame, card: Html, share: number | null = null): Html {
  const { lang, dir, theme, nonce, preview } = frame;
  const bar =
    share === null
      ? html`<div></div>`
      : html`<div class="steps" aria-hidden="true"><span style="width: ${Math.round(share * 100)}%"></span></div>`;
  return html`<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${theme.scheme}">
<title>${frame.title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(stylesOf(theme))}</style>
</head>
<body class="${classesFor(theme, frame.embed ? "embed" : "")}">
${bar}
${
  preview === null
    ? NONE
    : html`<aside class="preview" lang="en" dir="ltr" aria-label="Preview">Preview: nothing is recorded here. <a
href="${preview}">Start again</a></aside>`
}
<main class="card">
${card}
</main>
</body>
</html>
`;
}

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
