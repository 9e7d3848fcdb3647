import { describe, expect, it } from "vitest";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import { planWith } from "#testing/experiment-plans.ts";
import { buildExposures } from "./exposures.ts";

const at = (text: string) => Date.parse(text);

type Given = { plan?: Partial<Plan>; units?: Record<string, number>; days?: [string, string, number][] };

function exposures(now: string, { plan: fields, units = {}, days = [] }: Given) {
  const plan = planWith({ start: at("2026-03-02T09:00:00Z"), ...fields });
  const variants = ["control", "test"].map((key) => ({ key, rollout_percentage: 50 }));
  const end_date = plan.end === null ? null : new Date(plan.end);
  const phases = [{ from: new Date(plan.start), to: end_date, variants }];
  const counts = new Map(Object.entries(units));
  return buildExposures(
    { plan, phases, experiment: { end_date } } as unknown as Prepared,
    {
      units: counts,
      unit_days: days.map(([day, variant, n]) => ({ day, variant, units: n })),
      phase_units: [counts],
    },
    at(now),
  );
}

describe("exposures by day", () => {
  it("add up from day to day, for each variant", () => {
    const { timeseries, total_exposures } = exposures("2026-03-05T12:00:00Z", {
      units: { control: 6, test: 2 },
      days: [
        ["2026-03-02", "control", 4],
        ["2026-03-04", "control", 2],
        ["2026-03-03", "test", 2],
      ],
    });
    const days = ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
    expect(timeseries).toEqual([
      { variant: "control", days, exposure_counts: [4, 4, 6, 6] },
      { variant: "test", days, exposure_counts: [0, 2, 2, 2] },
    ]);
    expect(total_exposures).toEqual({ control: 6, test: 2 });
  });

  it.each([
    { name: "to the present", now: "2026-03-04T00:00:00Z", end: null, days: 3 },
    { name: "to the end", now: "2026-03-20T00:00:00Z", end: at("2026-03-03T00:00:00Z"), days: 2 },
    { name: "to the present before the end", now: "2026-03-03T01:00:00Z", end: at("2026-03-09"), days: 2 },
    { name: "for one day at the least", now: "2026-02-01T00:00:00Z", end: null, days: 1 },
  ])("go $name", ({ now, end, days }) => {
    expect(exposures(now, { plan: { end } }).timeseries.map((row) => row.days.length)).toEqual([days, days]);
  });

  it("are by the project's clock", () => {
    const { timeseries } = exposures("2026-03-03T23:30:00Z", {
      plan: { timezone: "Asia/Tokyo", start: at("2026-03-02T16:00:00Z") },
    });
    expect(timeseries[0]?.days).toEqual(["2026-03-03", "2026-03-04"]);
  });

  it("show a holdout and several variants where there are such units", () => {
    const plan = { variants: ["control", "test", "holdout-4"] };
    const shown = (units: Record<string, number>) =>
      Object.entries(exposures("2026-03-05", { plan, units }).total_exposures);
    expect(shown({ control: 3 })).toEqual([
      ["control", 3],
      ["test", 0],
    ]);
    expect(shown({ control: 3, "holdout-4": 1, [MULTIPLE]: 2 })).toEqual([
      ["control", 3],
      ["test", 0],
      ["holdout-4", 1],
      [MULTIPLE, 2],
    ]);
    expect(shown({ "holdout-4": 0, [MULTIPLE]: 0 })).toHaveLength(2);
  });

  it("have the experiment's dates, and a check of the split where there are enough", () => {
    const end = at("2026-03-09T10:00:00Z");
    expect(exposures("2026-03-05", { plan: { end }, units: { control: 60, test: 40 } })).toMatchObject({
      kind: "ExperimentExposureQuery",
      date_range: { date_from: "2026-03-02T09:00:00.000000Z", date_to: "2026-03-09T10:00:00.000000Z" },
      // Chi-square of 4 with one degree of freedom.
      sample_ratio_mismatch: { expected: { control: 50, test: 50 }, p_value: expect.closeTo(0.0455, 4) },
    });
    expect(exposures("2026-03-05", { units: { control: 60, test: 39 } })).toMatchObject({
      date_range: { date_to: null },
      sample_ratio_mismatch: null,
    });
  });
});
