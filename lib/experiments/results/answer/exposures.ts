import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { calendarOf, nameOfDay } from "#lib/experiments/metric_kinds/calendar.ts";
import type { Figures } from "#lib/experiments/results/days/series.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import type { ExposureResult } from "#lib/experiments/results/result-schema.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { checkSplit } from "./split.ts";

/** Days from the start to the end or the present. */
function daysOf({ plan }: Prepared, now: number): string[] {
  const calendar = calendarOf(plan.timezone);
  const first = calendar.dayOf(plan.start);
  const last = Math.max(first, calendar.dayOf(Math.min(now, plan.end ?? now)));
  return Array.from({ length: last - first + 1 }, (_, i) => nameOfDay(first + i));
}

/** Units exposed up to each day, by variant. */
export function buildExposures(
  prepared: Prepared,
  figures: Pick<Figures, "units" | "unit_days" | "phase_units">,
  now: number,
): ExposureResult {
  const { units, unit_days } = figures;
  const { experiment, plan } = prepared;
  const days = daysOf(prepared, now);
  const shown = plan.variants.filter((key) => !key.startsWith("holdout-") || (units.get(key) ?? 0) > 0);
  if ((units.get(MULTIPLE) ?? 0) > 0) shown.push(MULTIPLE);
  const timeseries = shown.map((variant) => {
    const byDay = new Map(
      unit_days.filter((row) => row.variant === variant).map((row) => [row.day, row.units]),
    );
    let count = 0;
    const exposure_counts = days.map((day) => {
      count += byDay.get(day) ?? 0;
      return count;
    });
    return { variant, days, exposure_counts };
  });
  const split = checkSplit(prepared, figures).check.all;
  return {
    kind: "ExperimentExposureQuery",
    timeseries,
    total_exposures: Object.fromEntries(shown.map((key) => [key, units.get(key) ?? 0])),
    date_range: {
      date_from: instant(new Date(plan.start)),
      date_to: instantOrNull(experiment.end_date),
    },
    sample_ratio_mismatch: split && { expected: split.expected_counts, p_value: split.p_value },
  };
}
