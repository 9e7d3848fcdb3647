import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import { settingsOf } from "#lib/statistics/settings.ts";
import type { Settings } from "#lib/statistics/types.ts";
import { cupedWords, methodWords, peekingOf, plainNumber, pValueText, tell } from "#lib/statistics/words.ts";
import { type ReportData, type ReportDefinitions, type ReportFigures, toldOf } from "./document.ts";
import { html, type Markup } from "./markup.ts";
import { isShare, metricsPart } from "./page_metrics.ts";

/** What a page is made of. The same function runs where it is written and where it is checked. */
export interface PageInput {
  readonly definitions: ReportDefinitions;
  readonly data: ReportData;
  readonly figures: ReportFigures;
}

const count = (value: number) => value.toLocaleString("en");
const minute = (moment: string | null) =>
  moment === null ? "–" : `${moment.slice(0, 16).replace("T", " ")} UTC`;
const day = (moment: string | null) => (moment === null ? "–" : moment.slice(0, 10));

function header(input: PageInput): Markup {
  const { definitions, data } = input;
  const { experiment } = definitions;
  const running = experiment.end_date ? `to ${day(experiment.end_date)}` : "still running";
  const hypothesis = experiment.launch_plan?.description ?? experiment.description;
  return html`<header><p class="kind">Experiment report</p><h1>${experiment.name}</h1>${
    hypothesis ? html`<p class="lead">${hypothesis}</p>` : null
  }<dl class="facts"><div><dt>Feature flag</dt><dd>${experiment.feature_flag_key}</dd></div><div><dt>Time</dt><dd>${day(experiment.start_date)} ${running}</dd></div><div><dt>Data as of</dt><dd>${minute(data.as_of)}</dd></div><div><dt>Conclusion</dt><dd>${experiment.conclusion?.replaceAll("_", " ") ?? "none yet"}${
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
function changesPart({ definitions }: PageInput): Markup | null {
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

function summary({ definitions, figures }: PageInput, settings: Settings): Markup {
  const sentences = definitions.metrics
    .filter(({ role }) => role === "primary")
    .flatMap((metric) => {
      const found = figures.metrics.find(({ id }) => id === metric.id);
      return (found?.variants ?? []).map(({ key, estimate }) =>
        estimate
          ? `${metric.name}: ${tell(key, definitions.baseline, toldOf(estimate), metric.goal, settings, isShare(metric))}`
          : `${metric.name}: ${key} cannot be compared with ${definitions.baseline} yet.`,
      );
    });
  if (sentences.length === 0) return html`<p>The experiment has no primary metric.</p>`;
  return html`<ul class="summary">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

function ratioSentence({ figures }: PageInput): string {
  const ratio = figures.sample_ratio;
  if (!ratio) return "There are too few exposures to judge the split.";
  return ratio.mismatch
    ? `The split differs from the configured shares more than chance allows (p ${pValueText(ratio.p_value)}). Do not trust the results below before the reason is found.`
    : `The split agrees with the configured shares (p ${pValueText(ratio.p_value)}).`;
}

function health(input: PageInput): Markup {
  const { definitions, data, figures } = input;
  const total = Object.values(data.exposures).reduce((a, b) => a + b, 0);
  const rows = [...definitions.variants, { key: MULTIPLE, name: null, share: null }]
    .filter(({ key }) => key !== MULTIPLE || (data.exposures[MULTIPLE] ?? 0) > 0)
    .map(({ key, share }) => {
      const seen = data.exposures[key] ?? 0;
      const expected = figures.sample_ratio?.expected[key];
      return html`<tr><th scope="row">${key === MULTIPLE ? "in several variants" : key}</th><td>${
        share === null ? "–" : `${plainNumber(share)} %`
      }</td><td>${count(seen)}</td><td>${expected === undefined ? "–" : count(Math.round(expected))}</td><td>${
        total > 0 ? `${((100 * seen) / total).toFixed(1)} %` : "–"
      }</td></tr>`;
    });
  return html`<section><h2>Who took part</h2><p class="${figures.sample_ratio?.mismatch ? "alarm" : ""}">${ratioSentence(input)}</p><div class="scroll" tabindex="0" role="group" aria-label="Exposed by variant"><table><caption>Exposed ${definitions.unit === "person" ? "people" : definitions.unit} by variant</caption><thead><tr><th scope="col">Variant</th><th scope="col">Share</th><th scope="col">Exposed</th><th scope="col">Expected</th><th scope="col">Of all</th></tr></thead><tbody>${rows}</tbody></table></div>${phasesPart(input)}${plan(input)}</section>`;
}

/** The splits one after the other, where there was more than one. */
function phasesPart({ definitions, data, figures }: PageInput): Markup | null {
  const { phases } = definitions;
  if (phases.length < 2) return null;
  const rows = phases.map(({ from, to, shares }, i) => {
    const seen = data.exposures_by_phase[i] ?? {};
    const split = Object.entries(shares).map(
      ([key, share]) => html`${key} ${plainNumber(share)}%: ${count(seen[key] ?? 0)}<br>`,
    );
    const p = figures.sample_ratio?.phases[i] ?? null;
    return html`<tr><th scope="row">${minute(from)}</th><td>${minute(to)}</td><td>${split}</td><td>${
      p === null ? "–" : pValueText(p)
    }</td></tr>`;
  });
  return html`<p>The split was changed while the experiment ran. Everybody is judged by the shares in force at the first exposure.</p><div class="scroll" tabindex="0" role="group" aria-label="Phases of the split"><table><caption>Phases of the split</caption><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Share and people first exposed</th><th scope="col">p</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function plan({ definitions, data }: PageInput): Markup | null {
  if (definitions.planned_sample === null) return null;
  const total = Object.entries(data.exposures)
    .filter(([key]) => key !== MULTIPLE)
    .reduce((sum, [, n]) => sum + n, 0);
  const reached = total >= definitions.planned_sample ? "reached" : "not reached yet";
  return html`<p>Planned sample ${count(definitions.planned_sample)}: ${reached} (${count(total)} so far).</p>`;
}

function method({ data }: PageInput, settings: Settings): Markup {
  const words = methodWords(settings);
  const peeking = peekingOf(
    data.looks.map(({ total }) => total),
    settings,
  );
  return html`<section><h2>How it was reckoned</h2><dl class="facts wide"><div><dt>Method</dt><dd>${words.method}</dd></div><div><dt>${words.interval}</dt><dd>${words.interval_means}</dd></div><div><dt>${words.evidence}</dt><dd>${words.evidence_means} ${words.significant}</dd></div>${cupedPart(settings)}<div><dt>Several questions</dt><dd>Holm's correction bounds the chance of any false alarm among the metrics of one kind and all variants; Benjamini and Hochberg's the share of false ones among those called significant.</dd></div><div><dt>Looks</dt><dd>${peeking.sentence}</dd></div></dl></section>`;
}

/** What CUPED does to comparisons; nothing where it is off. */
function cupedPart({ cuped }: Settings): Markup | null {
  if (!cuped) return null;
  const { name, means } = cupedWords(cuped);
  return html`<div><dt>CUPED: ${name}</dt><dd>Each value is reduced by what the same person's earlier value predicts. ${means}</dd></div>`;
}

function definitionsPart({ definitions }: PageInput): Markup {
  const pretty = (value: unknown) => JSON.stringify(value ?? null, null, 2);
  return html`<section><h2>Definitions</h2><details><summary>Statistics and exposure</summary><pre>${pretty({ stats_config: definitions.stats_config, exposure_criteria: definitions.exposure_criteria })}</pre></details>${definitions.metrics.map(
    (metric) =>
      html`<details><summary>${metric.name} (${metric.role})</summary><pre>${pretty(metric.definition)}</pre></details>`,
  )}</section>`;
}

/** Everything that is read in a report, as HTML without a script. */
export function reportBody(input: PageInput): string {
  const settings = settingsOf(input.definitions.stats_config);
  return html`${header(input)}<section><h2>In short</h2>${summary(input, settings)}</section>${health(input)}${metricsPart(input, settings)}${method(input, settings)}${definitionsPart(input)}`
    .html;
}
