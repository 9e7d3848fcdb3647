import type { ReportData, ReportDefinitions, ReportDocument } from "#lib/experiments/report/document.ts";
import { computeFigures } from "#lib/experiments/report/figures.ts";
import { ENGINE } from "#lib/experiments/report/file.ts";
import { computeSeals } from "#lib/experiments/report/seal.ts";

const conversions = (n: number, sum: number) => ({ n, sum, sum_squares: sum });

/** A report of an invented experiment with two metrics, three variants and ten days. */
export function sampleReport(): ReportDocument {
  const definitions: ReportDefinitions = {
    experiment: {
      id: 7,
      name: "Shorter <checkout>",
      description: "Fewer fields & one page",
      feature_flag_key: "short-checkout",
      start_date: "2026-03-01T09:00:00Z",
      end_date: null,
      conclusion: null,
      conclusion_comment: null,
      shipped_variant: null,
      concluded_at: null,
      launch_plan: null,
    },
    unit: "person",
    baseline: "control",
    variants: [
      { key: "control", name: null, share: 34 },
      { key: "short", name: "Short form", share: 33 },
      { key: "one-page", name: null, share: 33 },
    ],
    phases: [{ from: "2026-03-01T09:00:00Z", to: null, shares: { control: 34, short: 33, "one-page": 33 } }],
    stats_config: { method: "bayesian", bayesian: { ci_level: 0.95, difference_type: "RELATIVE" } },
    exposure_criteria: { filterTestAccounts: true },
    planned_sample: 9000,
    metrics: [
      { id: "a", role: "primary", name: "Purchase", metric_type: "funnel", goal: "increase", definition: {} },
      {
        id: "b",
        role: "primary",
        name: "Support requests",
        metric_type: "mean",
        goal: "decrease",
        definition: { kind: "ExperimentMetric" },
      },
    ],
  };
  const days = Array.from({ length: 10 }, (_, i) => `2026-03-${String(i + 1).padStart(2, "0")}`);
  const purchase = (k: number) => ({
    control: conversions(340 * k, 34 * k),
    short: conversions(330 * k, 41 * k),
    "one-page": conversions(330 * k, 30 * k),
  });
  const support = (k: number) => ({
    control: { n: 340 * k, sum: 170 * k, sum_squares: 420 * k },
    short: { n: 330 * k, sum: 140 * k, sum_squares: 330 * k },
    "one-page": { n: 330 * k, sum: 160 * k, sum_squares: 400 * k },
  });
  const byDay = <T>(make: (k: number) => T) => Object.fromEntries(days.map((day, i) => [day, make(i + 1)]));
  const data: ReportData = {
    as_of: "2026-03-10T12:00:00Z",
    exposures: { control: 3400, short: 3300, "one-page": 3300 },
    exposures_by_phase: [{ control: 3400, short: 3300, "one-page": 3300 }],
    exposures_by_day: byDay((k) => ({ control: 340 * k, short: 330 * k, "one-page": 330 * k })),
    metrics: {
      a: { totals: purchase(10), days: byDay(purchase) },
      b: { totals: support(10), days: byDay(support) },
    },
    looks: [
      { at: "2026-03-04T10:00:00Z", total: 4000 },
      { at: "2026-03-10T10:00:00Z", total: 10_000 },
    ],
  };
  return {
    format: "switchyard.experiment_report",
    format_version: 1,
    made_at: "2026-03-10T12:00:05Z",
    engine: ENGINE,
    definitions,
    data,
    figures: computeFigures(definitions, data),
    seals: computeSeals(definitions, data),
  };
}
