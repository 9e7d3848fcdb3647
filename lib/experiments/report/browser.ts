import { html } from "hono/html";
import { formatCount } from "#lib/platform/format.ts";
import type { ReportDocument } from "./document.ts";
import { sha256Hex } from "./seal.ts";
import { reportIn, shownDifference } from "./shown.ts";
import { compareReports, type Difference, verify } from "./verify.ts";

/** What runs when a report is opened: it checks everything, here, without any network. */

const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the report lacks its part "${id}"`);
  return found;
};

function engineDifference(report: ReportDocument): Difference | null {
  const found = sha256Hex(byId("engine").textContent ?? "");
  const stated = report.engine.sha256;
  return found === stated ? null : { where: "the engine in this file", stated, found };
}

function show(state: "verified" | "failed", title: string, text: string): void {
  const box = byId("verdict");
  box.dataset.state = state;
  box.innerHTML = String(html`<strong>${title}</strong><p>${text}</p>`);
}

function check(report: ReportDocument): void {
  const verdict = verify(report);
  const wrong = verdict.verified
    ? (engineDifference(report) ?? shownDifference(byId("report"), { ...report, figures: verdict.figures }))
    : verdict.difference;
  if (wrong) {
    show(
      "failed",
      "Not verified",
      `First difference: ${wrong.where}. The report says ${wrong.stated}; recomputed: ${wrong.found}.`,
    );
    return;
  }
  const numbers = verdict.verified ? verdict.numbers : 0;
  show(
    "verified",
    "Verified",
    `${formatCount(numbers)} numbers were recomputed from the data in this file with engine ${report.engine.version}. They all match what is shown, and the seal is intact. To know that your Switchyard made it, use “Check a report” on the page of an experiment.`,
  );
}

async function compareWith(report: ReportDocument, file: File): Promise<void> {
  const other = reportIn(new DOMParser().parseFromString(await file.text(), "text/html"));
  const out = byId("comparison");
  if (!other) {
    out.innerHTML = String(html`<p class="alarm">${file.name} is not a sealed experiment report.</p>`);
    return;
  }
  const sound = verify(other);
  const rows = compareReports(report, other).map(
    ({ part, same, first }) =>
      html`<tr><th scope="row">${part}</th><td class="why">${same ? "unchanged" : "changed"}</td><td class="why">${
        first ? `${first.where}: ${first.stated} here, ${first.found} there` : ""
      }</td></tr>`,
  );
  const state = sound.verified
    ? "The other report's numbers match its data."
    : `The other report is not valid: ${sound.difference.where}.`;
  out.innerHTML = String(
    html`<p>${state}</p><div class="scroll" tabindex="0" role="group" aria-label="Comparison"><table><caption>This report and ${file.name} (created ${other.made_at})</caption><thead><tr><th scope="col">Part</th><th scope="col" class="why">Status</th><th scope="col" class="why">First difference</th></tr></thead><tbody>${rows}</tbody></table></div>`,
  );
}

function start(): void {
  const report = JSON.parse(byId("document").textContent ?? "") as ReportDocument;
  check(report);
  byId("other").addEventListener("change", (event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (file) void compareWith(report, file);
  });
}

try {
  start();
} catch (error) {
  show(
    "failed",
    "Not verified",
    `This file cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
  );
}
