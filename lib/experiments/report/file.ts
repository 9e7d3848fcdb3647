import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { ReportDocument } from "./document.ts";
import engine from "./engine.json" with { type: "json" };
import { reportBody } from "./page.ts";
import { STYLE } from "./style.ts";

/** The engine that every report carries: its version and the hash of its text. */
export const ENGINE = { version: engine.version, sha256: engine.sha256 };

const base64 = (text: string) => createHash("sha256").update(text, "utf8").digest("base64");

/** Nothing may be loaded, sent or run but the style and the engine in this very file. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${base64(engine.source)}'`,
  `style-src 'sha256-${base64(STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** JSON that cannot close the element that contains it. */
const embedded = (value: unknown) => raw(JSON.stringify(value).replaceAll("<", "\\u003c"));

function seals({ seals: of, engine: by, made_at }: ReportDocument) {
  return html`<section class="seals"><h2>Seal</h2><p class="note">Created ${made_at}. The seal changes with any change to the data or the definitions. When a report is recorded, the same code is written to the experiment's history.</p><dl class="facts wide"><div><dt>Seal</dt><dd><code>${of.all}</code></dd></div><div><dt>Definitions</dt><dd><code>${of.definitions}</code></dd></div><div><dt>Data</dt><dd><code>${of.data}</code></dd></div>${of.signature ? html`<div><dt>Signature</dt><dd><code>${of.signature}</code></dd></div>` : null}<div><dt>Engine ${by.version}</dt><dd><code>${by.sha256}</code></dd></div></dl></section>`;
}

/** One HTML file that shows a report and checks itself, offline. */
export function reportFile(report: ReportDocument): string {
  const title = `${report.definitions.experiment.name}: experiment report`;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<div class="page">
<div id="verdict" class="verdict" role="status"><strong>Not verified yet</strong><p>The numbers are recomputed when a browser opens this file and runs its script. If this message stays, the script did not run or was changed.</p></div>
<main id="report">${raw(reportBody(report))}</main>
<aside aria-label="Seal and comparison">${seals(report)}
<section class="compare"><h2>Compare with another report</h2><p><label for="other">Another sealed report of this or any experiment</label></p><input id="other" type="file" accept=".html,text/html"><div id="comparison" role="status"></div></section>
</aside>
</div>
<script type="application/json" id="document">${embedded(report)}</script>
<script id="engine">${raw(engine.source)}</script>
</body>
</html>
`);
}
