import { html } from "hono/html";
import { formatCount } from "#lib/platform/format.ts";
import type { ReportDocument } from "./document.ts";
import { reportBody } from "./page.ts";
import { sha256Hex } from "./seal.ts";
import { compareReports, type Difference, verify } from "./verify.ts";

/** What runs when a report is opened: it checks everything, here, without any network. */

const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the report lacks its part "${id}"`);
  return found;
};

/** The texts of a page in reading order, each with its row and section. */
function textsOf(root: ParentNode): { text: string; where: string }[] {
  const walker = document.createTreeWalker(root as Node, NodeFilter.SHOW_TEXT);
  const texts: { text: string; where: string }[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? "";
    const row = node.parentElement?.closest("tr")?.querySelector("th")?.textContent;
    const part = node.parentElement?.closest("section")?.querySelector("h2, h3")?.textContent;
    texts.push({ text, where: [part, row].filter(Boolean).join(", ") || "the head of the page" });
  }
  return texts;
}

/** Where what is shown differs from what the recomputed figures would show. */
function shownDifference(report: ReportDocument): Difference | null {
  const template = document.createElement("template");
  template.innerHTML = reportBody(report);
  const [shown, right] = [textsOf(byId("report")), textsOf(template.content)];
  const at = Array.from({ length: Math.max(shown.length, right.length) }, (_, i) => i).find(
    (i) => shown[i]?.text !== right[i]?.text,
  );
  if (at === undefined) return null;
  return {
    where: `what the page shows (${(shown[at] ?? right[at])?.where ?? "the page"})`,
    stated: shown[at]?.text ?? "nothing",
    found: right[at]?.text ?? "nothing",
  };
}

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
    ? (engineDifference(report) ?? shownDifference({ ...report, figures: verdict.figures }))
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
    `${formatCount(numbers)} numbers were recomputed from the data in this file with engine ${report.engine.version}. They all match what is shown, and the seal is intact.`,
  );
}

/** Takes the report out of another file's text. */
function reportIn(text: string): ReportDocument | null {
  const other = new DOMParser().parseFromString(text, "text/html").getElementById("document");
  try {
    const parsed = JSON.parse(other?.textContent ?? "") as ReportDocument;
    return parsed.format === "switchyard.experiment_report" ? parsed : null;
  } catch {
    return null;
  }
}

async function compareWith(report: ReportDocument, file: File): Promise<void> {
  const other = reportIn(await file.text());
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
