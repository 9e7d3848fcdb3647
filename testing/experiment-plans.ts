import {
  type Hit,
  NO_RULES,
  type PlannedMetric,
  type UnitValue,
} from "#lib/experiments/metric_kinds/kind.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { Source } from "#lib/experiments/results/plan/sources.ts";

/** A metric of a plan: a mean until the experiment's end, unless told otherwise. */
export const plannedMetric = (fields: Partial<PlannedMetric> = {}): PlannedMetric => ({
  ...NO_RULES,
  type: "mean",
  sources: [0],
  window: null,
  lookback: null,
  ...fields,
});

/** A source of a plan: counts orders, unless told otherwise. */
export const plannedSource = (fields: Partial<Source> = {}): Source => ({
  event: "order",
  math: "total",
  property: null,
  group_type: null,
  filtered: [],
  matches: () => true,
  ...fields,
});

/** A plan that starts in 1970 and has no end, unless told otherwise. */
export const planWith = (fields: Partial<Plan> = {}): Plan => ({
  exposure: {
    event: "$feature_flag_called",
    flag: "checkout",
    property: "$feature_flag_response",
    filtered: [],
    matches: () => true,
  },
  variants: ["control", "test"],
  handling: "exclude",
  group_type: null,
  start: 0,
  end: null,
  timezone: "UTC",
  sources: [],
  metrics: [],
  ...fields,
});

export const hitAt = (at: number, fields: Partial<Hit> = {}): Hit => ({
  at,
  position: at,
  key: null,
  value: null,
  ...fields,
});

export const unitValue = (fields: Partial<UnitValue> = {}): UnitValue => ({
  value: 0,
  other: 0,
  covariate: 0,
  mark: 0,
  ...fields,
});
