import { levelOf } from "#lib/engines/statistics/settings.ts";
import type { Goal, Sample, SampleType, Settings } from "#lib/engines/statistics/types.ts";
import type { ReportedResult } from "#lib/engines/statistics/words.ts";

/** What a sealed report holds. Everything in it is plain JSON. */
export interface ReportDocument {
  readonly format: "switchyard.experiment_report";
  readonly format_version: 1;
  /** ISO 8601. */
  readonly made_at: string;
  readonly engine: { readonly version: string; readonly sha256: string };
  readonly definitions: ReportDefinitions;
  readonly data: ReportData;
  /** What the service showed when the report was made. */
  readonly figures: ReportFigures;
  readonly seals: ReportSeals;
}

/** SHA-256 in hexadecimal of the canonical JSON of each part; `all` is that of both together. */
export interface ReportSeals {
  readonly definitions: string;
  readonly data: string;
  readonly all: string;
  /** The service's own, over everything else in the report; absent in reports of earlier releases. */
  readonly signature?: string;
}

/** The definitions of the experiment and its metrics. */
export interface ReportDefinitions {
  readonly experiment: {
    readonly id: number;
    readonly name: string;
    readonly description: string;
    readonly feature_flag_key: string;
    readonly start_date: string | null;
    readonly end_date: string | null;
    readonly conclusion: string | null;
    readonly conclusion_comment: string | null;
    /** Variant that was given to everybody at the end. */
    readonly shipped_variant: string | null;
    readonly concluded_at: string | null;
    /** The plan as it was at launch, with the fields that were changed afterwards. */
    readonly launch_plan: ReportPlan | null;
  };
  readonly unit: string;
  readonly baseline: string;
  readonly variants: readonly ReportVariant[];
  /** The splits that were in force from the start to the end, oldest first. */
  readonly phases: readonly ReportPhase[];
  readonly stats_config: unknown;
  readonly exposure_criteria: unknown;
  readonly planned_sample: number | null;
  readonly metrics: readonly ReportMetric[];
}

export interface ReportPlan {
  readonly launched_at: string;
  /** The hypothesis. */
  readonly description: string;
  readonly metrics: readonly unknown[];
  readonly stats_config: unknown;
  readonly changes: readonly {
    readonly field: string;
    readonly at: string | null;
    readonly by: string | null;
  }[];
}

interface ReportPhase {
  readonly from: string;
  /** Null while it lasts. */
  readonly to: string | null;
  /** Percent by variant. */
  readonly shares: Readonly<Record<string, number>>;
}

export interface ReportVariant {
  readonly key: string;
  readonly name: string | null;
  /** Percent; null where the flag gives none (a holdout). */
  readonly share: number | null;
}

export interface ReportMetric {
  /** Its index in `data.metrics`. */
  readonly id: string;
  readonly role: "primary" | "secondary";
  readonly name: string;
  readonly metric_type: SampleType;
  readonly goal: Goal;
  /** The whole definition, as stored. */
  readonly definition: unknown;
}

/** What was counted: sums per variant, at the end and day by day (each day counts from the start). */
export interface ReportData {
  readonly as_of: string | null;
  readonly exposures: Readonly<Record<string, number>>;
  /** Units by the phase of the split in which they were first exposed, per variant. */
  readonly exposures_by_phase: readonly Readonly<Record<string, number>>[];
  /** Exposed units by the end of each day, per variant. */
  readonly exposures_by_day: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly metrics: Readonly<Record<string, ReportSums>>;
  readonly looks: readonly { readonly at: string; readonly total: number }[];
}

export interface ReportSums {
  readonly totals: Readonly<Record<string, Sample>>;
  readonly days: Readonly<Record<string, Readonly<Record<string, Sample>>>>;
}

/** Every number that follows from the data. */
export interface ReportFigures {
  readonly sample_ratio: {
    readonly p_value: number;
    readonly mismatch: boolean;
    readonly expected: Readonly<Record<string, number>>;
    /** Of each phase by itself; null where it cannot be judged. */
    readonly phases: readonly (number | null)[];
  } | null;
  readonly peeking: { readonly distinct_looks: number; readonly actual: number };
  readonly metrics: readonly MetricFigures[];
}

export interface MetricFigures {
  readonly id: string;
  readonly baseline: { readonly value: number | null; readonly failures: readonly string[] };
  readonly variants: readonly VariantFigures[];
  readonly days: readonly DayFigures[];
}

export interface VariantFigures {
  readonly key: string;
  readonly value: number | null;
  readonly failures: readonly string[];
  /** Code of a refusal of the arithmetic. */
  readonly refusal: string | null;
  readonly estimate: EstimateFigures | null;
}

export interface EstimateFigures {
  readonly effect: number;
  readonly low: number;
  readonly high: number;
  readonly significant: boolean;
  readonly chance_to_win: number | null;
  readonly p_value: number | null;
  readonly p_two_sided: number;
  readonly p_holm: number;
  readonly p_bh: number;
}

export interface DayFigures {
  readonly day: string;
  /** Null where the day has no estimate. */
  readonly variants: Readonly<Record<string, { effect: number; low: number; high: number } | null>>;
}

/** An estimate in the form that sentences need. */
export const reportedResult = (estimate: EstimateFigures, settings: Settings): ReportedResult => ({
  ...estimate,
  interval: [estimate.low, estimate.high],
  significant_holm: estimate.p_holm < 1 - levelOf(settings),
});

/** JSON with the members of every object in order, so that equal content is equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
