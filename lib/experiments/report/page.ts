import { html } from "hono/html";
import { cupedWords } from "#lib/engines/statistics/cuped-words.ts";
import { plainNumber, pValueText } from "#lib/engines/statistics/numbers.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { describePeeking, describeResult, methodWords } from "#lib/engines/statistics/words.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import { reportedResult } from "./document.ts";
import { metricsPart, type PageInput, unitOf } from "./page-metrics.ts";

const minute = (moment: string | null) =>
  moment === null ? "–" : `${moment.slice(0, 16).replace("T", " ")} UTC`;
const day = (moment: string | null) => (moment === null ? "–" : moment.slice(0, 10));

function header(input: PageInput) {
  const { definitions, data } = input;
  const { experiment } = definitions;
  const running = experiment.end_date ? `to ${day(experiment.end_date)}` : "until now (running)";
  const hypothesis = experiment.launch_plan?.description ?? experiment.description;
  return html`<header><p class="kind">Experiment report</p><h1>${experiment.name}</h1>${
    hypothesis ? html`<p class="lead">${hypothesis}</p>` : null
  }<dl class="facts"><div><dt>Feature flag</dt><dd>${experiment.feature_flag_key}</dd></div><div><dt>Period</dt><dd>${day(experiment.start_date)} ${running}</dd></div><div><dt>Data as of</dt><dd>${minute(data.as_of)}</dd></div><div><dt>Conclusion</dt><dd>${experiment.conclusion?.replaceAll("_", " ") ?? "none yet"}${
    experiment.concluded_at ? ` on ${day(experiment.concluded_at)}` : ""
  }</dd></div>${
    experiment.shipped_variant
      ? html`<div><dt>Shipped to everybody</dt><dd>${experiment.shipped_variant}</dd></div>`
      : null
  }</dl>${
    experiment.conclusion_comment ? html`<blockquote>${experiment.conclusion_comment}</blockquote>` : null
  }${changesPart(input)}</header>`;
}

const PLAN_WORDS: Readonly<Record<string, string>> = {
  description: "Hypothesis",
  metrics: "Primary metrics",
  stats_config: "Statistics",
};

const withoutFingerprint = (definition: unknown) => ({ ...(definition as object), fingerprint: undefined });

/** What was changed of the plan after the launch: the wording at launch beside the present one. */
function changesPart({ definitions }: PageInput) {
  const { launch_plan: plan, description } = definitions.experiment;
  if (!plan || plan.changes.length === 0) return null;
  const text = (value: unknown) => JSON.stringify(value ?? null, null, 2);
  const primary = definitions.metrics.filter(({ role }) => role === "primary");
  const sides: Readonly<Record<string, readonly [string, string]>> = {
    description: [plan.description || "None", description || "None"],
    metrics: [text(plan.metrics), text(primary.map(({ definition }) => withoutFingerprint(definition)))],
    stats_config: [text(plan.stats_config), text(definitions.stats_config)],
  };
  return html`<section class="changed"><h2>Changed after launch</h2>${plan.changes.map(
    ({ field, at, by }) => {
      const [before, after] = sides[field] ?? ["", ""];
      const when = `${at ? ` on ${minute(at)}` : ""}${by ? ` by ${by}` : ""}`;
      return html`<h3>${PLAN_WORDS[field] ?? field}</h3><p>Changed${when || " after launch"}.</p><dl class="facts wide"><div><dt>At launch</dt><dd><pre>${before}</pre></dd></div><div><dt>Now</dt><dd><pre>${after}</pre></dd></div></dl>`;
    },
  )}</section>`;
}

function summary({ definitions, figures }: PageInput, settings: Settings) {
  const sentences = definitions.metrics
    .filter(({ role }) => role === "primary")
    .flatMap((metric) => {
      const found = figures.metrics.find(({ id }) => id === metric.id);
      return (found?.variants ?? []).map(({ key, estimate }) =>
        estimate
          ? `${metric.name}: ${describeResult(key, definitions.baseline, reportedResult(estimate, settings), metric.goal, settings, unitOf(metric))}`
          : `${metric.name}: ${key} cannot be compared with ${definitions.baseline} yet.`,
      );
    });
  if (sentences.length === 0) return html`<p>The experiment has no primary metric.</p>`;
  return html`<ul class="summary">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

function ratioSentence({ figures }: PageInput): string {
  const ratio = figures.sample_ratio;
  if (!ratio) return "There are too few exposures to check the split.";
  return ratio.mismatch
    ? `The split differs from the configured shares by more than chance (p ${pValueText(ratio.p_value)}). Do not trust the results below until you find the reason.`
    : `The split matches the configured shares (p ${pValueText(ratio.p_value)}).`;
}

function health(input: PageInput) {
  const { definitions, data, figures } = input;
  const total = Object.values(data.exposures).reduce((a, b) => a + b, 0);
  const rows = [...definitions.variants, { key: MULTIPLE, name: null, share: null }]
    .filter(({ key }) => key !== MULTIPLE || (data.exposures[MULTIPLE] ?? 0) > 0)
    .map(({ key, share }) => {
      const seen = data.exposures[key] ?? 0;
      const expected = figures.sample_ratio?.expected[key];
      return html`<tr><th scope="row">${key === MULTIPLE ? "several variants" : key}</th><td>${
        share === null ? "–" : `${plainNumber(share)}%`
      }</td><td>${formatCount(seen)}</td><td>${expected === undefined ? "–" : formatCount(Math.round(expected))}</td><td>${
        total > 0 ? formatPercent(seen / total) : "–"
      }</td></tr>`;
    });
  return html`<section><h2>Who took part</h2><p class="${figures.sample_ratio?.mismatch ? "alarm" : ""}">${ratioSentence(input)}</p><div class="scroll" tabindex="0" role="group" aria-label="Exposed by variant"><table><caption>Exposed ${definitions.unit === "person" ? "people" : definitions.unit} by variant</caption><thead><tr><th scope="col">Variant</th><th scope="col">Share</th><th scope="col">Exposed</th><th scope="col">Expected</th><th scope="col">Share of total</th></tr></thead><tbody>${rows}</tbody></table></div>${phasesPart(input)}${plan(input)}</section>`;
}

/** The splits one after the other, where there was more than one. */
function phasesPart({ definitions, data, figures }: PageInput) {
  const { phases } = definitions;
  if (phases.length < 2) return null;
  const rows = phases.map(({ from, to, shares }, i) => {
    const seen = data.exposures_by_phase[i] ?? {};
    const split = Object.entries(shares).map(
      ([key, share]) => html`${key} ${plainNumber(share)}%: ${formatCount(seen[key] ?? 0)}<br>`,
    );
    const p = figures.sample_ratio?.phases[i] ?? null;
    return html`<tr><th scope="row">${minute(from)}</th><td>${minute(to)}</td><td>${split}</td><td>${
      p === null ? "–" : pValueText(p)
    }</td></tr>`;
  });
  return html`<p>The split was changed while the experiment ran. The check uses the shares in force when people were first exposed.</p><div class="scroll" tabindex="0" role="group" aria-label="Phases of the split"><table><caption>Phases of the split</caption><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Share and first exposed</th><th scope="col">p</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function plan({ definitions, data }: PageInput) {
  if (definitions.planned_sample === null) return null;
  const total = Object.entries(data.exposures)
    .filter(([key]) => key !== MULTIPLE)
    .reduce((sum, [, n]) => sum + n, 0);
  const reached = total >= definitions.planned_sample ? "reached" : "not reached yet";
  return html`<p>Planned sample ${formatCount(definitions.planned_sample)}: ${reached} (${formatCount(total)} so far).</p>`;
}

function method({ data }: PageInput, settings: Settings) {
  const words = methodWords(settings);
  const peeking = describePeeking(
    data.looks.map(({ total }) => total),
    settings,
  );
  return html`<section><h2>Method and settings</h2><dl class="facts wide"><div><dt>Method</dt><dd>${words.method}</dd></div><div><dt>${words.interval}</dt><dd>${words.interval_means}</dd></div><div><dt>${words.evidence}</dt><dd>${words.evidence_means} ${words.significant}</dd></div>${cupedPart(settings)}<div><dt>Multiple comparisons</dt><dd>Across all variants and the metrics of one role, the Holm correction limits the chance of any false positive; the Benjamini–Hochberg correction limits the share of false positives among significant results.</dd></div><div><dt>Looks</dt><dd>${peeking.sentence}</dd></div></dl></section>`;
}

/** What CUPED does to comparisons; nothing where it is off. */
function cupedPart({ cuped }: Settings) {
  if (!cuped) return null;
  const { name, means } = cupedWords(cuped);
  return html`<div><dt>CUPED: ${name}</dt><dd>Each value is adjusted by what the person's earlier behaviour predicts. ${means}</dd></div>`;
}

function definitionsPart({ definitions }: PageInput) {
  const pretty = (value: unknown) => JSON.stringify(value ?? null, null, 2);
  return html`<section><h2>Definitions</h2><details><summary>Statistics and exposure</summary><pre>${pretty({ stats_config: definitions.stats_config, exposure_criteria: definitions.exposure_criteria })}</pre></details>${definitions.metrics.map(
    (metric) =>
      html`<details><summary>${metric.name} (${metric.role})</summary><pre>${pretty(metric.definition)}</pre></details>`,
  )}</section>`;
}

/** Everything that is read in a report, as HTML without a script. */
export function reportBody(input: PageInput): string {
  const settings = readSettings(input.definitions.stats_config);
  return String(
    html`${header(input)}<section><h2>In short</h2>${summary(input, settings)}</section>${health(input)}${metricsPart(input, settings)}${method(input, settings)}${definitionsPart(input)}`,
  );
}
