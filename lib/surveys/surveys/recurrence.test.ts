import { describe, expect, it } from "vitest";
import { addDays } from "./dates.ts";
import {
  type Iterations,
  iterationAt,
  iterationStart,
  iterationsOf,
  type Sampling,
  samplingDays,
  samplingPlan,
} from "./recurrence.ts";

const START = new Date("2026-03-01T06:00:00Z");
const survey = (fields: Partial<Iterations> = {}): Iterations => ({
  iteration_count: 3,
  iteration_frequency_days: 7,
  start_date: START,
  current_iteration: null,
  current_iteration_start_date: null,
  ...fields,
});
const NONE = { iteration_start_dates: [], current_iteration: null, current_iteration_start_date: null };

describe("iterations", () => {
  it("begin one after another, the first with the survey", () => {
    expect(iterationsOf(survey())).toEqual({
      iteration_start_dates: ["2026-03-01T06:00:00Z", "2026-03-08T06:00:00Z", "2026-03-15T06:00:00Z"],
      current_iteration: 1,
      current_iteration_start_date: START,
    });
  });

  it("stay where they are", () => {
    const current = { current_iteration: 2, current_iteration_start_date: addDays(START, 7) };
    expect(iterationsOf(survey(current))).toMatchObject(current);
    expect(iterationsOf(survey({ ...current, start_date: null }))).toEqual({
      ...current,
      iteration_start_dates: null,
    });
  });

  it.each([
    [{ iteration_count: 0 }],
    [{ iteration_count: null }],
    [{ iteration_frequency_days: null }],
    [{ iteration_frequency_days: 0 }],
  ])("are none with %j", (fields) => {
    expect(iterationsOf(survey({ ...fields, current_iteration: 2 }))).toEqual(NONE);
    expect(iterationAt(survey(fields), START)).toBeNull();
  });

  it.each([
    [-5, 1],
    [0, 1],
    [6.99, 1],
    [7, 2],
    [13.99, 2],
    [14, 3],
    [20.99, 3],
    [21, "over"],
    [500, "over"],
  ])("%d days after the start are in %s", (days, iteration) => {
    expect(iterationAt(survey(), addDays(START, days))).toBe(iteration);
  });

  it("have no moment without a start", () => {
    expect(iterationAt(survey({ start_date: null }), START)).toBeNull();
    expect(iterationStart(survey({ start_date: null }), 2)).toBeNull();
  });

  it.each([
    [1, 0],
    [2, 7],
    [4, 21],
  ])("%d begins %d days after the start", (iteration, days) => {
    expect(iterationStart(survey(), iteration)).toEqual(addDays(START, days));
  });
});

describe("a sampling plan", () => {
  const sampling = (fields: Partial<Sampling> = {}): Sampling => ({
    response_sampling_interval_type: "day",
    response_sampling_interval: 3,
    response_sampling_limit: 8,
    response_sampling_start_date: START,
    ...fields,
  });

  it("spreads responses evenly, the rest over the first days, and reaches everybody on the last", () => {
    expect(samplingPlan(sampling())).toEqual([
      { date: "2026-03-01T06:00:00Z", daily_response_limit: 3, rollout_percentage: 33.33 },
      { date: "2026-03-02T06:00:00Z", daily_response_limit: 6, rollout_percentage: 66.67 },
      { date: "2026-03-03T06:00:00Z", daily_response_limit: 8, rollout_percentage: 100 },
    ]);
    const limits = (limit: number) =>
      samplingPlan(sampling({ response_sampling_limit: limit }))?.map((day) => day.daily_response_limit);
    expect([limits(1), limits(2), limits(3), limits(7)]).toEqual([
      [1, 1, 1],
      [1, 2, 2],
      [1, 2, 3],
      [3, 5, 7],
    ]);
  });

  it.each([
    ["day", 3],
    ["week", 21],
    ["month", 90],
  ] as const)("of three intervals of a %s runs %d days", (response_sampling_interval_type, days) => {
    expect(samplingDays(sampling({ response_sampling_interval_type }))).toBe(days);
    expect(samplingPlan(sampling({ response_sampling_interval_type }))).toHaveLength(days);
  });

  it.each([
    [{ response_sampling_interval_type: null }],
    [{ response_sampling_interval: null }],
    [{ response_sampling_interval: 0 }],
    [{ response_sampling_limit: null }],
    [{ response_sampling_limit: 0 }],
    [{ response_sampling_start_date: null }],
  ])("is none with %j", (fields) => {
    expect([samplingDays(sampling(fields)), samplingPlan(sampling(fields))]).toEqual([null, null]);
  });
});
