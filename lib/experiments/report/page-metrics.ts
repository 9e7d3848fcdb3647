import { html } from "hono/html";
import { isObject } from "#lib/engines/json.ts";
import { correctedChance } from "#lib/engines/statistics/corrections.ts";
import { amountText, differenceText, pValueText, type ValueUnit } from "#lib/engines/statistics/numbers.ts";
import { chanceToBeBetter, excludesZero } from "#lib/engines/statistics/planning/goal.ts";
import { isRefusalCode, refuse } from "#lib/engines/statistics/refusals.ts";
import { SAMPLE_TYPES, type Sample, type Settings } from "#lib/engines/statistics/types.ts";
import { chanceText, columnText, evidenceText, methodWords } from "#lib/engines/statistics/words.ts";
import { currencyOf } from "#lib/experiments/metric_kinds/amounts.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import {
  type EstimateFigures,
  type MetricFigures,
  type ReportData,
  type ReportDefinitions,
  type ReportFigures,
  type ReportMetric,
  type ReportSums,
  reportedResult,
  type VariantFigures,
} from "./document.ts";
import { computeScale, drawInterval, drawSeries, drawSwatch } from "./drawing.ts";

/** Input of a page. The same function runs where a page is written and where it is checked. */
export interface PageInput {
  readonly definitions: ReportDefinitions;
  readonly data: ReportData;
  readonly figures: ReportFigures;
}

/** What a metric's values are. */
export function unitOf({ metric_type, definition }: ReportMetric): ValueUnit {
  if (SAMPLE_TYPES[metric_type].isShare) return "share";
  const currency = isObject(definition) ? currencyOf(definition) : null;
  return currency === null ? "number" : { currency };
}

/** A metric's value as it is read: a share in percent, anything else as a number. */
function valueText(metric: ReportMetric, value: number | null, figures: MetricFigures): string {
  if (value === null) return "–";
  const unit = unitOf(metric);
  if (unit === "share") return formatPercent(value, 2);
  const column = [figures.baseline, ...figures.variants].flatMap((row) => row.value ?? []);
  return columnText(value, column, unit);
}

function correctedText(p: number, estimate: EstimateFigures, metric: ReportMetric): string {
  if (estimate.chance_to_win === null) return pValueText(p);
  return chanceText(chanceToBeBetter(correctedChance(p, estimate.chance_to_win), metric.goal));
}

function reasonOf({ failures, refusal }: VariantFigures): string {
  if (refusal && isRefusalCode(refusal)) return refuse(refusal).reason;
  return failures.length > 0
    ? failures.join(", ").replaceAll("-", " ")
    : "the baseline cannot be used for comparison";
}

function comparison(
  variant: VariantFigures,
  metric: ReportMetric,
  settings: Settings,
  drawing: ReturnType<typeof html> | null,
) {
  const { estimate } = variant;
  if (!estimate) return html`<td colspan="6" class="why">Not compared: ${reasonOf(variant)}</td>`;
  const text = (value: number) => differenceText(value, settings.difference_type, 1, unitOf(metric));
  return html`<td>${text(estimate.effect)}</td><td>${text(estimate.low)} to ${text(estimate.high)}</td><td class="drawn">${drawing}</td><td>${evidenceText(reportedResult(estimate, settings), metric.goal)}${excludesZero([estimate.low, estimate.high]) ? " *" : ""}</td><td>${correctedText(estimate.p_holm, estimate, metric)}</td><td>${correctedText(estimate.p_bh, estimate, metric)}</td>`;
}

function metricRows(
  metric: ReportMetric,
  figures: MetricFigures,
  input: PageInput,
  settings: Settings,
  scale: readonly [number, number],
) {
  const { definitions, data } = input;
  const totals = data.metrics[metric.id]?.totals ?? {};
  const index = (key: string) => definitions.variants.findIndex((variant) => variant.key === key);
  const row = (key: string, value: number | null, rest: ReturnType<typeof html>) => {
    const sums = totals[key];
    return html`<tr><th scope="row" class="variant">${drawSwatch(index(key))}${key}</th><td>${formatCount(sums?.n ?? 0)}</td><td>${amountText(sums?.sum ?? 0, unitOf(metric))}</td><td>${valueText(metric, value, figures)}</td>${rest}</tr>`;
  };
  return html`${row(definitions.baseline, figures.baseline.value, html`<td colspan="6" class="why">baseline</td>`)}${figures.variants.map(
    (variant) => {
      const drawing = variant.estimate ? drawInterval(variant.estimate, scale, index(variant.key)) : null;
      return row(variant.key, variant.value, comparison(variant, metric, settings, drawing));
    },
  )}`;
}

const SUMS: readonly (readonly [keyof Sample, string])[] = [
  ["n", "Units"],
  ["sum", "Sum"],
  ["sum_squares", "Sum of squares"],
  ["denominator_sum", "Denominator"],
  ["denominator_sum_squares", "Denominator squares"],
  ["numerator_denominator_sum_product", "Products"],
  ["covariate_sum", "Earlier sum"],
  ["covariate_sum_squares", "Earlier squares"],
  ["covariate_sum_product", "Products with earlier values"],
];

function dataTable(metric: ReportMetric, sums: ReportSums | undefined, keys: readonly string[]) {
  const days = Object.entries(sums?.days ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [...days, ["total", sums?.totals ?? {}] as const];
  const used = SUMS.filter(([name]) =>
    all.some(([, of]) => Object.values(of).some((sample) => sample[name] != null)),
  );
  const rows = all.flatMap(([day, of]) =>
    keys.flatMap((key) => {
      const sample = of[key];
      return sample
        ? [
            html`<tr><th scope="row">${day}</th><td>${key}</td>${used.map(([name]) => html`<td>${String(sample[name] ?? "")}</td>`)}</tr>`,
          ]
        : [];
    }),
  );
  return html`<details><summary>Data of ${metric.name}: cumulative sums by day</summary><table><thead><tr><th scope="col">Day</th><th scope="col">Variant</th>${used.map(([, label]) => html`<th scope="col">${label}</th>`)}</tr></thead><tbody>${rows}</tbody></table></details>`;
}

function metricPart(
  metric: ReportMetric,
  input: PageInput,
  settings: Settings,
  scale: readonly [number, number],
) {
  const figures = input.figures.metrics.find(({ id }) => id === metric.id);
  if (!figures) return null;
  const words = methodWords(settings);
  const less = metric.goal === "decrease" ? "  Lower is better." : "";
  const keys = input.definitions.variants.map(({ key }) => key);
  return html`<section class="metric"><h3>${metric.name}</h3><p class="note">${metric.role === "primary" ? "Primary" : "Secondary"} metric, ${metric.metric_type.replace("_", " ")}.${less}</p><div class="scroll" tabindex="0" role="group" aria-label="${metric.name}"><table><caption class="sr">${metric.name} by variant</caption><thead><tr><th scope="col">Variant</th><th scope="col">Units</th><th scope="col">Sum</th><th scope="col">Value</th><th scope="col">Difference</th><th scope="col">${words.interval}</th><th scope="col"><span class="sr">Interval</span></th><th scope="col">${words.evidence}</th><th scope="col">Holm</th><th scope="col">B.-H.</th></tr></thead><tbody>${metricRows(metric, figures, input, settings, scale)}</tbody></table></div>${seriesPart(metric, figures, input, settings)}${dataTable(metric, input.data.metrics[metric.id], keys)}</section>`;
}

function seriesPart(metric: ReportMetric, figures: MetricFigures, input: PageInput, settings: Settings) {
  const text = (value: number) => differenceText(value, settings.difference_type, 0, unitOf(metric));
  const drawing = drawSeries(figures, input.definitions.variants, text);
  if (!drawing) return null;
  const [first, last] = [figures.days[0]?.day ?? "", figures.days.at(-1)?.day ?? ""];
  return html`<figure>${drawing}<figcaption>${metric.name}: difference from ${input.definitions.baseline} with its interval, ${first} to ${last}. The horizontal line marks no difference.</figcaption></figure>`;
}

/** The metrics with their tables, drawings and data; all intervals on one scale. */
export function metricsPart(input: PageInput, settings: Settings) {
  const all = input.figures.metrics;
  // Differences in different units share no scale.
  const isCommon = settings.difference_type === "relative";
  const scaleFor = (metric: ReportMetric) =>
    computeScale(isCommon ? all : all.filter(({ id }) => id === metric.id));
  return html`<section><h2>Results</h2><p class="note">* the interval excludes zero, before any correction. ${isCommon ? "All intervals share" : "The intervals of a metric share"} one scale.</p>${input.definitions.metrics.map(
    (metric) => metricPart(metric, input, settings, scaleFor(metric)),
  )}</section>`;
}
