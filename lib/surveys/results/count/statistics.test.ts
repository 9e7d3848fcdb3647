import { describe, expect, it } from "vitest";
import { figuresOf, latestResponses, type SurveyEvent, surveyFigures } from "./statistics.ts";

const at = (hour: number) => `2026-02-01T${String(hour).padStart(2, "0")}:00:00Z`;
let made = 0;
const event = (
  name: string,
  person: string,
  hour: number,
  fields: Partial<SurveyEvent> = {},
): SurveyEvent => {
  made += 1;
  return {
    uuid: `u${String(made).padStart(3, "0")}`,
    event: `survey ${name}`,
    person,
    timestamp: at(hour),
    ...fields,
  };
};

const LATEST = event("sent", "ann", 10, { submission_id: "x", survey_id: "s1", uuid: "last" });
const EVENTS: SurveyEvent[] = [
  ...["ann", "bob", "cy", "cy", "dee", "eve", "fay", "gus"].map((person, i) => event("shown", person, i + 1)),
  event("dismissed", "bob", 9),
  event("dismissed", "ann", 4),
  event("dismissed", "cy", 5, { partially_completed: true }),
  event("sent", "ann", 9, { submission_id: "x", survey_id: "s1" }),
  LATEST,
  event("sent", "ann", 11),
  event("sent", "hal", 12, { submission_id: "x", survey_id: "s2" }),
  event("clicked", "ann", 13),
];
const ALL = { date_from: null, date_to: null };

describe("the public figures of surveys", () => {
  it("count events, responses and persons, and when they were first and last", () => {
    const { stats, rates } = surveyFigures(EVENTS, ALL);
    expect(stats).toEqual({
      "survey shown": {
        total_count: 8,
        unique_persons: 7,
        first_seen: at(1),
        last_seen: at(8),
        // 8 less 2 dismissals and 3 responses; 7 persons less one who dismissed and two who answered.
        total_count_only_seen: 3,
        unique_persons_only_seen: 4,
      },
      "survey dismissed": {
        total_count: 2,
        unique_persons: 1,
        first_seen: at(4),
        last_seen: at(9),
        total_count_only_seen: 0,
        unique_persons_only_seen: 0,
      },
      "survey sent": {
        total_count: 3,
        unique_persons: 2,
        first_seen: at(10),
        last_seen: at(12),
        total_count_only_seen: 0,
        unique_persons_only_seen: 0,
      },
    });
    expect(rates).toEqual({
      response_rate: 37.5,
      dismissal_rate: 25,
      unique_users_response_rate: 28.57,
      unique_users_dismissal_rate: 14.29,
    });
  });

  it("count what lies within both bounds, which are included", () => {
    const within = (from: number, to: number) =>
      Object.values(surveyFigures(EVENTS, { date_from: at(from), date_to: at(to) }).stats).map(
        ({ total_count }) => total_count,
      );
    expect(within(1, 8)).toEqual([8, 1, 0]);
    expect(within(2, 7)).toEqual([6, 1, 0]);
    // Up to nine the first state of the response was the latest.
    expect(within(9, 9)).toEqual([0, 1, 1]);
    expect(within(9, 12)).toEqual([0, 1, 3]);
    expect(within(13, 13)).toEqual([0, 0, 0]);
  });

  it("leave out archived responses, and do not fall back to earlier states", () => {
    const { stats } = surveyFigures(EVENTS, ALL, new Set(["last"]));
    expect(stats["survey sent"]).toMatchObject({ total_count: 2, unique_persons: 2 });
    // Who dismissed it has still answered.
    expect(stats["survey dismissed"].unique_persons).toBe(1);
  });

  it("are zeros and nulls of nothing", () => {
    const { stats, rates } = surveyFigures([], ALL);
    expect(stats["survey shown"]).toMatchObject({ total_count: 0, first_seen: null, last_seen: null });
    expect(rates.response_rate).toBe(0);
  });

  it("have no negative numbers of those who only saw it", () => {
    const none = { total: 0, persons: 0, first: null, last: null };
    const some = { total: 5, persons: 2, first: 1, last: 1_500 };
    const { stats, rates } = figuresOf(
      { "survey shown": { ...some, total: 4, persons: 1 }, "survey dismissed": none, "survey sent": some },
      3,
    );
    expect(stats["survey shown"]).toMatchObject({
      total_count_only_seen: 0,
      unique_persons_only_seen: 0,
      first_seen: "1970-01-01T00:00:00.001Z",
      last_seen: "1970-01-01T00:00:01.500Z",
    });
    expect(stats["survey dismissed"].unique_persons).toBe(0);
    expect(rates).toMatchObject({ response_rate: 125, unique_users_response_rate: 200, dismissal_rate: 0 });
  });
});

describe("the event that stands for a response", () => {
  it("is the latest of a submission, of simultaneous ones that with the greater uuid", () => {
    const sent = (uuid: string, hour: number, submission_id: string | null, survey_id?: string) =>
      event("sent", "ann", hour, { uuid, submission_id, ...(survey_id && { survey_id }) });
    const latest = latestResponses([
      sent("b", 2, "x"),
      sent("c", 2, "x"),
      sent("a", 2, "x"),
      sent("d", 1, "x"),
      sent("e", 1, null),
      sent("f", 1, null),
      sent("g", 1, ""),
      sent("h", 0, "x", "s2"),
    ]);
    expect(latest.map(({ uuid }) => uuid)).toEqual(["c", "e", "f", "g", "h"]);
  });
});
