import { describe, expect, it } from "vitest";
import { DAY_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import { layOutSlots } from "#lib/experiments/results/units/layout.ts";
import { createTotalsBuilder } from "#lib/experiments/results/units/totals.ts";
import { plannedMetric, plannedSource, planWith, unitValue } from "#testing/experiment-plans.ts";
import { buildCells, countChange, createDayChanges, rollupFor } from "./changes.ts";
import { dayAt, dayEnds, type StoredMetric } from "./series.ts";

describe("units by day", () => {
  it("change by those that come and go, by the project's clock", () => {
    const changes = createDayChanges("Asia/Tokyo");
    const [control, test] = ["control", "test"].map((variant) => ({ variant, first_at: DAY_MS / 2 }));
    const late = { variant: "test", first_at: DAY_MS - 1 };
    for (const unit of [control, test, test, late]) if (unit) changes.add(unit, 1);
    if (control) changes.add(control, -1);
    changes.add({ variant: "control", first_at: 5 * DAY_MS }, -1);
    expect(changes.list()).toEqual([
      { variant: "control", day: "1970-01-06", units: -1 },
      { variant: "test", day: "1970-01-01", units: 2 },
      { variant: "test", day: "1970-01-02", units: 1 },
    ]);
  });
});

const plan = planWith({
  sources: [plannedSource({ event: "a" }), plannedSource({ event: "b" })],
  metrics: [
    plannedMetric({ sources: [0] }),
    plannedMetric({ type: "funnel", sources: [1, 0] }),
    plannedMetric({ type: "ratio", sources: [1, 0] }),
  ],
});

describe("the rollup of an experiment", () => {
  const stored = (index: number, id: number, place: number) =>
    ({ planned: plan.metrics[index], series: { id, place } }) as StoredMetric;

  it("has some of its metrics, each in its slot", () => {
    const prepared = { plan, experiment: { id: 4, project_id: 2 } } as Prepared;
    const rollup = rollupFor(prepared, [stored(2, 30, 5), stored(0, 31, 3)]);
    expect(rollup).toMatchObject({ experiment_id: 4, project_id: 2, series: [30, 31] });
    expect(rollup.plan.metrics.map(({ type }) => type)).toEqual(["ratio", "mean"]);
    expect(rollup.slots.map(({ offset, metric }) => [offset, metric.type])).toEqual([
      [5, "ratio"],
      [3, "mean"],
    ]);
  });
});

describe("the numbers of a unit", () => {
  const slots = layOutSlots(1, plan.metrics);

  it("are what it adds to each metric, 0 where that is nothing", () => {
    const values = [unitValue({ value: 5 }), null, unitValue({ value: 2, other: 3 })];
    expect(buildCells(slots, values)).toEqual([0, 5, 0, 2, 3]);
    expect(buildCells(slots, [])).toEqual([0, 0, 0, 0, 0]);
  });

  it("are as many as there were", () => {
    expect(buildCells(slots, [unitValue({ value: 5 })], 7)).toEqual([0, 5, 0, 0, 0, 0, 0]);
  });
});

describe("a unit that changes", () => {
  const rollup = {
    experiment_id: 1,
    project_id: 1,
    plan,
    series: [10, 11, 12],
    slots: layOutSlots(0, plan.metrics),
  };
  type State = Parameters<typeof countChange>[2];

  function changes(before: State, after: State) {
    const totals = createTotalsBuilder();
    countChange(rollup, totals, before, after);
    return totals
      .list()
      .map(({ series_id, variant, step, units, sums }) => [series_id, variant, step, units, Number(sums[0])]);
  }
  const state = (variant: string, ...values: number[]) => ({
    variant,
    values: values.map((value) => (value === 0 ? null : unitValue({ value, other: value }))),
  });

  it("adds what it has now, and takes away what it had", () => {
    expect(changes(null, state("test", 5, 1))).toEqual([
      [10, "test", 0, 1, 5],
      [11, "test", 1, 1, 1],
    ]);
    expect(changes(state("test", 5, 1), null)).toEqual([
      [10, "test", 0, -1, -5],
      [11, "test", 1, -1, -1],
    ]);
    expect(changes(state("test", 5, 1, 4), state("test", 7, 2, 4))).toEqual([
      [10, "test", 0, 0, 2],
      [11, "test", 1, -1, -1],
      [11, "test", 2, 1, 2],
    ]);
  });

  it("moves all of it where it counts for another variant", () => {
    expect(changes(state("test", 5, 0, 4), state("control", 5, 0, 4))).toEqual([
      [10, "test", 0, -1, -5],
      [10, "control", 0, 1, 5],
      [12, "test", 0, -1, -4],
      [12, "control", 0, 1, 4],
    ]);
  });

  it("changes nothing where it stays as it is", () => {
    expect(changes(state("test", 5, 1, 4), state("test", 5, 1, 4))).toEqual([]);
    expect(changes(null, null)).toEqual([]);
  });
});

describe("the ends of days", () => {
  const at = (text: string) => Date.parse(text);
  const start = at("2026-03-28T12:00:00Z");
  const berlin = planWith({ start, timezone: "Europe/Berlin" });
  const ends = (from: string, to: string) =>
    dayEnds(berlin, at(from), at(to)).map((end) => new Date(end).toISOString());

  it("are those after one moment and not after another", () => {
    const list = ["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z", "2026-03-30T22:00:00.000Z"];
    expect(ends("2026-03-28T12:00:00Z", "2026-03-30T22:00:00Z")).toEqual(list);
    expect(ends("2026-03-28T12:00:00Z", "2026-03-30T21:59:59Z")).toEqual(list.slice(0, 2));
    expect(ends("2026-03-28T23:00:00Z", "2026-03-30T22:00:00Z")).toEqual(list.slice(1));
    expect(ends("2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z")).toEqual(list.slice(0, 1));
    expect(ends("2026-03-30T22:00:00Z", "2026-03-30T22:00:00Z")).toEqual([]);
  });

  it("are none before the start", () => {
    expect(ends("2026-01-01T00:00:00Z", "2026-03-28T23:00:00Z")).toEqual(["2026-03-28T23:00:00.000Z"]);
  });

  it("belong to the day that a clock shows in the project", () => {
    expect([dayAt(berlin, at("2026-03-28T22:59:59Z")), dayAt(berlin, at("2026-03-28T23:00:00Z"))]).toEqual([
      "2026-03-28",
      "2026-03-29",
    ]);
  });
});
