import type { ReportDocument } from "./document.ts";
import { reportBody } from "./page.ts";
import type { Difference } from "./verify.ts";

/** What a report's file holds and shows, read in a browser. */

/** The report in a file's page; null where it holds none. */
export function reportIn(page: Document): ReportDocument | null {
  try {
    const parsed = JSON.parse(page.getElementById("document")?.textContent ?? "") as ReportDocument;
    return parsed.format === "switchyard.experiment_report" ? parsed : null;
  } catch {
    return null;
  }
}

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

/** Where what a page shows differs from what the figures would show. */
export function shownDifference(shown: ParentNode, report: ReportDocument): Difference | null {
  const template = document.createElement("template");
  template.innerHTML = reportBody(report);
  const [there, right] = [textsOf(shown), textsOf(template.content)];
  const at = Array.from({ length: Math.max(there.length, right.length) }, (_, i) => i).find(
    (i) => there[i]?.text !== right[i]?.text,
  );
  if (at === undefined) return null;
  return {
    where: `what the page shows (${(there[at] ?? right[at])?.where ?? "the page"})`,
    stated: there[at]?.text ?? "nothing",
    found: right[at]?.text ?? "nothing",
  };
}
