import { describe, expect, it } from "vitest";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import { forecast, paceOf, reachedBy } from "./plan.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

const day = (date: string, count: number): SurveyResults["over_time"][number] => {
  const counted = { count, rows: {} };
  return { date, shown: counted, dismissed: counted, answered: counted, completed: counted };
};

describe("the plan of a survey", () => {
  it("is compared with the responses up to each of its days that has come", () => {
    const plan = ["2026-03-08", "2026-03-09", "2026-03-10", "2026-03-11"].map((date, place) => ({
      date: `${date}T00:00:00Z`,
      daily_response_limit: 10 * (place + 1),
      rollout_percentage: 25,
    }));
    const days = [day("2026-03-07", 9), day("2026-03-08", 4), day("2026-03-10", 3)];
    expect(reachedBy(plan, days, NOW)).toEqual([
      { at: "2026-03-08", value: 4 },
      { at: "2026-03-09", value: 4 },
      { at: "2026-03-10", value: 7 },
    ]);
  });

  it("is measured by the last seven days", () => {
    expect(paceOf([day("2026-03-03", 100), day("2026-03-04", 7), day("2026-03-10", 14)], NOW)).toBe(3);
    expect(paceOf([], NOW)).toBe(0);
  });

  it.each([
    [100, 3, /reached around 12 Mar/],
    [94, 3, /are reached\.$/],
    [100, 0, /more than a year away/],
    [100, 0.001, /more than a year away/],
  ])("says when %i responses are reached at %d a day", (wanted, pace, sentence) => {
    expect(forecast(95, wanted, pace, NOW)).toMatch(sentence);
  });
});
