import { expect, type Page } from "@playwright/test";

const RUN = "window.__xss=1";

/** Texts that run something where a page takes them for HTML, for an attribute, for a script or for an address. */
export const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg/onload=${RUN}>`,
  `"><img src=x onerror=${RUN}>`,
  `' autofocus onfocus='${RUN}`,
  `</textarea></title></style></script><script>${RUN}</script>`,
  `<a href="javascript:${RUN}">Open</a>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<details open ontoggle=${RUN}>more</details>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=${RUN}>">`,
  `<style>@keyframes x{}</style><b style="animation-name:x" onanimationstart="${RUN}">b</b>`,
  `{{constructor.constructor('${RUN}')()}}\${${RUN}}`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `]]></script><script>${RUN}//`,
] as const;

/** Watches a page: whatever a payload does there makes the result of the watching not empty. */
export function watchScripts(page: Page): string[] {
  const ran: string[] = [];
  page.on("dialog", (dialog) => {
    ran.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return ran;
}

/** Nothing has run, and nothing is there that would run at a touch. */
export async function expectInert(page: Page, ran: string[]): Promise<void> {
  const found = await page.evaluate(() => {
    const parts: (Document | ShadowRoot)[] = [document];
    for (const element of document.querySelectorAll("*"))
      if (element.shadowRoot) parts.push(element.shadowRoot);
    const active =
      "[onerror],[onload],[onfocus],[ontoggle],[onanimationstart],[href^='javascript:'],[srcdoc]";
    const left = parts.flatMap((part) => [...part.querySelectorAll(active)].map((one) => one.outerHTML));
    return { ran: "__xss" in window, left };
  });
  expect({ ...found, dialogs: ran }).toEqual({ ran: false, left: [], dialogs: [] });
}
