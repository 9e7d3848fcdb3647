import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { calendarOf } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric, UnitHistory, UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { type ValueColumns, winsorise } from "#lib/experiments/results/units/outliers.ts";
import { stepOf, type Totals } from "#lib/experiments/results/units/sums.ts";
import { addsNothing, computeState, type UnitState } from "#lib/experiments/results/units/unit.ts";
import { createDayCounts, createDaySums } from "./day-sums.ts";

/** The days of an experiment up to a moment, by the project's clock. */
export type Days = {
  /** Number of the first one. */
  first: number;
  /** When each ends, exclusive; the last one at the moment itself. */
  ends: number[];
};

/** @param cut the moment, exclusive, in milliseconds since 1970 */
export function daysUntil(plan: Pick<Plan, "start" | "timezone">, cut: number): Days {
  const calendar = calendarOf(plan.timezone);
  const first = calendar.dayOf(plan.start);
  const ends: number[] = [];
  for (let day = first; ; day += 1) {
    const end = calendar.startOf(day + 1);
    ends.push(Math.min(end, Math.max(cut, plan.start)));
    if (end >= cut) return { first, ends };
  }
}

/** Exposed units by variant, and what they add up to, as of the end of a day. */
export type DayFigures = { units: Map<string, number>; totals: Totals[][] };

type Change = { day: number; unit: number; variant: string; value: number; covariate: number };

/** Everything as of the end of each day, from histories of units one after the other. */
export type Timeline = {
  /** Takes a unit in. @returns its state at the end, null for one that was not exposed */
  add(history: UnitHistory): UnitState | null;
  /** The figures of each day, totals for each of the plan's metrics. */
  byDay(): Promise<DayFigures[]>;
};

/** Days on which something happened to a unit, ascending. */
function daysOf(history: UnitHistory, dayAt: (at: number) => number): number[] {
  const first = history.exposures[0]?.at ?? 0;
  const days = new Set<number>();
  for (const { at } of history.exposures) days.add(dayAt(at));
  for (const hits of history.hits) for (const { at } of hits) if (at >= first) days.add(dayAt(at));
  return [...days].sort((a, b) => a - b);
}

const isSame = (a: UnitValue | null | undefined, b: UnitValue | null | undefined) =>
  a?.value === b?.value && a?.other === b?.other && a?.covariate === b?.covariate;

/** Yields to other requests. */
const yieldToRequests = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Totals of a winsorised metric by day: the bounds are those of each day. */
async function winsorisedByDay(
  changes: Change[],
  size: number,
  units: Map<string, number>[],
  winsor: NonNullable<PlannedMetric["winsor"]>,
): Promise<Totals[][]> {
  const variants = [...new Set(changes.map(({ variant }) => variant))].filter((variant) => variant !== "");
  const numbers = new Map(variants.map((variant, i) => [variant, i]));
  const value = new Float64Array(size);
  const columns: ValueColumns = {
    variants,
    variant: new Int16Array(size).fill(-1),
    value,
    covariate: new Float64Array(size),
  };
  const byDay = Map.groupBy(changes, ({ day }) => day);
  const totals: Totals[][] = [];
  for (const [day, counts] of units.entries()) {
    for (const change of byDay.get(day) ?? []) {
      columns.variant[change.unit] = numbers.get(change.variant) ?? -1;
      columns.value[change.unit] = change.value;
      columns.covariate[change.unit] = change.covariate;
    }
    totals.push(winsorise(columns, countedUnits(counts), winsor));
    await yieldToRequests();
  }
  return totals;
}

/** Units that count in metrics. */
export const countedUnits = (units: ReadonlyMap<string, number> | undefined): Map<string, number> =>
  new Map([...(units ?? [])].filter(([variant]) => variant !== MULTIPLE));

/** A timeline over the days of a plan, as far as they go. */
export function createTimeline(plan: Plan, days: Days): Timeline {
  const count = days.ends.length;
  const calendar = calendarOf(plan.timezone);
  const cut = days.ends.at(-1) ?? plan.start;
  const dayAt = (at: number) => Math.min(count - 1, Math.max(0, calendar.dayOf(at) - days.first));
  const exposed = createDayCounts(count);
  const daySums = plan.metrics.map(() => createDaySums(count));
  const changesOfUnits: Change[][] = plan.metrics.map(() => []);
  let unit = 0;

  const move = (day: number, metric: number, before: UnitState | null, after: UnitState) => {
    const [was, is] = [before?.values[metric], after.values[metric]];
    if (before?.variant === after.variant && isSame(was, is)) return;
    const planned = plan.metrics[metric];
    if (!planned) return;
    if (planned.winsor) {
      const { value = 0, covariate = 0 } = is ?? {};
      changesOfUnits[metric]?.push({ day, unit, variant: is ? after.variant : "", value, covariate });
      return;
    }
    if (before && was && !addsNothing(was))
      daySums[metric]?.add(day, before.variant, stepOf(planned, was), was, -1);
    if (is && !addsNothing(is)) daySums[metric]?.add(day, after.variant, stepOf(planned, is), is, 1);
  };

  return {
    add(history) {
      if (history.exposures.length === 0) return null;
      let before: UnitState | null = null;
      for (const day of daysOf(history, dayAt)) {
        const after = computeState(plan, history, days.ends[day] ?? cut);
        if (!after) continue;
        if (before?.variant !== after.variant) {
          if (before) exposed.add(day, before.variant, -1);
          exposed.add(day, after.variant, 1);
        }
        for (let metric = 0; metric < plan.metrics.length; metric += 1) move(day, metric, before, after);
        before = after;
      }
      unit += 1;
      return before;
    },
    async byDay() {
      const units = exposed.byDay();
      const totals: Totals[][][] = [];
      for (const [i, { winsor }] of plan.metrics.entries())
        totals.push(
          winsor
            ? await winsorisedByDay(changesOfUnits[i] ?? [], unit, units, winsor)
            : (daySums[i]?.byDay() ?? []),
        );
      return units.map((map, day) => ({ units: map, totals: totals.map((list) => list[day] ?? []) }));
    },
  };
}
