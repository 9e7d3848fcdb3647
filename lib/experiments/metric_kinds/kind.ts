import type { z } from "zod";
import type { Json } from "#lib/engines/json.ts";
import type { CalculatorMetric } from "#lib/engines/statistics/planning/running-time.ts";
import type { SampleType } from "#lib/engines/statistics/types.ts";
import type { MetricSource, MetricType, SourceMath, WindowUnit } from "./metric-schema.ts";

/** What only some kinds decide. */
export type MetricRules = {
  /** funnel: whether steps must happen in order. */
  ordered: boolean;
  /** retention: when a return counts, and whether the last start is the one that counts. */
  retention: { from: number; to: number; unit: WindowUnit; last: boolean } | null;
  /** mean: quantiles at which outliers are capped. */
  winsor: { lower: number | null; upper: number | null; ignore_zeros: boolean } | null;
};

export const NO_RULES: MetricRules = { ordered: true, retention: null, winsor: null };

/** What counts for a metric, apart from what all kinds share. */
type MetricPlan = MetricRules & {
  sources: MetricSource[];
  /** Whether CUPED can adjust it by the same number before the exposure. */
  isAdjustable: boolean;
};

/** A metric of an experiment's plan. */
export type PlannedMetric = MetricRules & {
  type: MetricType;
  /** Its sources among those of the plan, in the kind's order. */
  sources: number[];
  /** How long after the first exposure events count, in milliseconds; null: until the experiment's end. */
  window: number | null;
  /** How long before the exposure the covariate is counted; null without one. */
  lookback: number | null;
};

/** What a metric is counted by: an experiment's plan, as far as kinds need it. */
export type CountingPlan = {
  end: number | null;
  timezone: string;
  group_type: string | null;
  sources: readonly { math: SourceMath }[];
};

/** An event that a source counts. */
export type Hit = {
  at: number;
  /** Its place among the unit's events: of two at the same moment, which comes first. */
  position: number;
  /** What sum, avg, min and max take; null where it has no number. */
  value: number | null;
  /** The key that distinct counts compare; null where there is none. */
  key: string | null;
};

/** What a unit did, in order. */
export type UnitHistory = {
  exposures: { at: number; variant: string }[];
  /** For each of the plan's sources. */
  hits: Hit[][];
};

/** From when until when events count, in milliseconds; the end is exclusive. */
export type Span = { from: number; to: number };

/**
 * What a unit adds to a metric. `value`: its number, or 1 for one that converted or came back; `other`: the
 * denominator, the funnel's steps reached, or 1 for one that started; `covariate`: its number before the exposure.
 * `mark` adds nothing, but is needed to go on from here: when one started whose return is awaited, in milliseconds;
 * 1 for one with several exposures, each of which opened a window of a funnel.
 */
export type UnitValue = { value: number; other: number; covariate: number; mark: number };

/** New events of a unit by time, in a history of their own. */
export type NewEvents = {
  history: UnitHistory;
  /** Events before this moment may be older than some that are counted already; later ones are not. */
  since: number;
  /** Whether two of the events happened at the same moment, so that their order is not known. */
  tied: boolean;
};

/** New events are not enough: the outcome might differ from that of all events together. */
export const RECOMPUTE = "recompute";
export type Recompute = typeof RECOMPUTE;

/** A unit's value after new events; the same object where nothing changes. */
type Update = (unit: { first_at: number }, stored: UnitValue, added: NewEvents) => UnitValue | Recompute;

/** The value follows from the steps reached, so that it is not stored: 1 for all of them. */
export const ALL_STEPS = "all steps";

/** At which place among its numbers a metric stores what; null: nowhere, it is 0. */
export type Layout = {
  value: number | typeof ALL_STEPS;
  other: number | null;
  covariate: number | null;
  mark: number | null;
};

/** Everything that is particular to a kind of metric. What it is called in the dashboard is in components. */
export interface MetricKind<Definition> {
  readonly schema: z.ZodType<Definition>;
  /** Its members that hold a source, or a list of them, and what the one at an index is called. */
  readonly parts: readonly {
    readonly field: keyof Definition & string;
    readonly isList: boolean;
    readonly what: (index: number) => string;
  }[];
  /** The members that a new metric has besides the common ones. */
  createEmpty(): Json;
  /** What a draft lacks, apart from its sources; null if nothing. */
  findProblem(draft: Json): string | null;
  /**
   * Whether its value counts things that get likelier, rather than amounts, and how the rule of thumb treats it; null:
   * there is none.
   */
  planning(draft: Json): { isCount: boolean; calculator: CalculatorMetric | null };
  /** Its name where nobody gave it one, from the names of its events. */
  defaultName(events: readonly string[]): string;
  plan(metric: Definition): MetricPlan;
  /** Which formulas its sums are for. */
  readonly statistics: SampleType;
  readonly sums: {
    /** Whether units are added up separately by the steps that they reached, which `other` counts. */
    readonly bySteps: boolean;
    /** Whether `other` is a denominator. */
    readonly denominator: boolean;
    /** Whose number a sample has: everybody exposed, or those whose `other` is 1. */
    readonly units: "exposed" | "started";
  };
  layout(metric: Pick<PlannedMetric, "lookback" | "window">): Layout;
  /**
   * What a unit adds to the metric, from all that it did.
   *
   * @param first moment of its first exposure
   * @param cut the present, exclusive
   * @returns null where it does not count
   */
  count(
    plan: CountingPlan,
    metric: PlannedMetric,
    history: UnitHistory,
    first: number,
    cut: number,
  ): UnitValue | null;
  /** The same from what is stored and new events, so that its history need not be read again. */
  createUpdate(plan: CountingPlan, metric: PlannedMetric): Update;
}
