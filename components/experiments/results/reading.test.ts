import { describe, expect, it } from "vitest";
import {
  computeCommonScale,
  computeScale,
} from "#components/experiments/results/metric-table/interval-scale.ts";
import { buildEstimateSeries } from "#components/experiments/results/metric-table/series.ts";
import { columnText } from "#lib/engines/statistics/words.ts";
import { unitCount, unitWord } from "#lib/experiments/results/unit-words.ts";
import { listExperimentEvents } from "./experiment-events.ts";
import { peopleHref } from "./links.ts";
import type { MetricResult, Variant } from "./model.ts";
import { describePeople, readPeopleQuery } from "./people-query.ts";

const entry = (created_at: string, ...fields: string[]) => ({
  activity: "updated",
  created_at,
  detail: { changes: fields.map((field) => ({ field })) },
});

describe("what happened to an experiment", () => {
  const launched = { start_date: "2026-03-02T09:00:00Z", end_date: "2026-03-09T12:00:00Z" };

  it("is its launch, the changes that can affect a result, and its end", () => {
    const log = [
      entry("2026-03-05T10:00:00Z", "name", "metrics"),
      entry("2026-03-05T11:00:00Z", "metrics"),
      entry("2026-03-01T10:00:00Z", "stats_config"),
      entry("2026-03-04T10:00:00Z", "exposure_criteria"),
    ];
    expect(listExperimentEvents(launched, log)).toEqual([
      { at: "2026-03-02", label: "Launched" },
      { at: "2026-03-04", label: "Exposure changed" },
      { at: "2026-03-05", label: "Metrics changed" },
      { at: "2026-03-09", label: "Stopped" },
    ]);
  });

  it("is nothing before the launch", () => {
    expect(
      listExperimentEvents({ start_date: null, end_date: null }, [entry("2026-03-05", "metrics")]),
    ).toEqual([]);
  });
});

describe("addresses of people", () => {
  it.each([
    [{ kind: "exposed", variant: "a b" }, { kind: "exposed", variant: "a b" }, "Exposed in a b"],
    [{ kind: "multiple" }, { kind: "multiple" }, "Exposed to several variants"],
    [
      { kind: "step", metric_uuid: "u", step: "2", offset: "50" },
      { kind: "step", metric_uuid: "u", step: 2, offset: 50 },
      "Paid: step 2",
    ],
  ] as const)("reads %j", (given, query, words) => {
    expect(readPeopleQuery(given)).toEqual(query);
    expect(describePeople(query, "Paid")).toBe(words);
    const { searchParams } = new URL(peopleHref("1", 7, query), "http://switchyard.test");
    expect(readPeopleQuery(Object.fromEntries(searchParams))).toEqual(query);
  });

  it("is everybody exposed where the URL says nothing", () => {
    expect(readPeopleQuery({})).toEqual({ kind: "exposed" });
  });

  it.each([{ kind: "everyone" }, { kind: "converted" }, { kind: ["exposed", "step"] }])(
    "finds nothing in %j",
    (given) => {
      expect(readPeopleQuery(given)).toBeNull();
    },
  );
});

describe("estimates by day", () => {
  const variants: Variant[] = [
    { key: "control", name: null, share: 50, is_baseline: true },
    { key: "test", name: null, share: 50, is_baseline: false },
  ];
  const days = {
    "2026-03-03": { variant_results: [{ key: "test", credible_interval: [-0.1, 0.3] }] },
    "2026-03-02": null,
    "2026-03-04": { variant_results: [{ key: "test" }] },
  };
  const estimate = { effect: 0.2, interval: [0.1, 0.3] };
  const metric = { variants: [{ key: "test", estimate }] } as unknown as MetricResult;

  it("are the middles of the stored intervals, with gaps, and today's as of now", () => {
    const [series] = buildEstimateSeries(days, variants, { day: "2026-03-05", metric });
    expect(series?.colorIndex).toBe(1);
    expect(
      series?.points.map(({ at, value }) => [at, value === null ? null : Number(value.toFixed(3))]),
    ).toEqual([
      ["2026-03-02", null],
      ["2026-03-03", 0.1],
      ["2026-03-04", null],
      ["2026-03-05", 0.2],
    ]);
  });

  it("keep one estimate for a day that is stored and still running", () => {
    const [series] = buildEstimateSeries(days, variants, { day: "2026-03-03", metric });
    expect(series?.points.filter(({ at }) => at === "2026-03-03")).toEqual([
      { at: "2026-03-03", value: 0.2, interval: [0.1, 0.3] },
    ]);
  });

  it("are drawn on a scale that holds every interval and zero", () => {
    const { low, high } = computeScale([metric]);
    expect(low).toBeLessThan(0);
    expect(high).toBe(0.3);
  });

  it("share one scale over all metrics, which is no use alone where they are far apart", () => {
    const reaching = (...interval: [number, number]) => ({ variants: [{ estimate: { interval } }] });
    const near = [reaching(-0.1, 0.2), reaching(-0.9, 0.4)];
    expect(computeCommonScale(near)).toEqual({ scale: { low: -0.9, high: 0.4 }, isFarApart: false });
    const far = [reaching(-0.01, 0.02), reaching(-0.1, 0.6)];
    expect(computeCommonScale(far)).toEqual({ scale: { low: -0.1, high: 0.6 }, isFarApart: true });
    expect(computeCommonScale([{ variants: [{ estimate: null }] }])).toBeNull();
  });
});

it.each([
  { column: [0.0202, 0.023], texts: ["0.0202", "0.0230"] },
  { column: [10.91, 14.9], texts: ["10.9", "14.9"] },
  { column: [1_844_551_006.4, 1_102_220_058.2], texts: ["1,844,551,006", "1,102,220,058"] },
  { column: [2, 3], texts: ["2", "3"] },
  { column: [-0.5, 0], texts: ["−0.500", "0.000"] },
  { column: [0, 0], texts: ["0", "0"] },
])("values of one column, $column, have decimals alike", ({ column, texts }) => {
  expect(column.map((value) => columnText(value, column))).toEqual(texts);
});

it.each([
  ["person", "people", "2 people"],
  ["company", "companies", "2 companies"],
  ["survey", "surveys", "2 surveys"],
  ["business", "businesses", "2 businesses"],
  ["team", "teams", "2 teams"],
])("several of the unit %s are called %s", (unit, many, two) => {
  expect(unitWord(unit)).toBe(many);
  expect(unitCount(2, unit)).toBe(two);
  expect(unitCount(1, unit)).toBe(`1 ${unit}`);
});
