import { describe, expect, it } from "vitest";
import { feedDates, feedFlagKeys, hasRoom, isOpen, nextBoundary, samplingToday, stateOf } from "./state.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const [PAST, LATER, FUTURE] = ["2026-03-01T00:00:00Z", "2026-03-11T00:00:00Z", "2026-04-01T00:00:00Z"];
const survey = (start_date: string | null, end_date: string | null = null, archived = false) => ({
  start_date,
  end_date,
  archived,
});

describe("the state of a survey", () => {
  it.each([
    [survey(null), "draft", null],
    [survey(null, PAST), "draft", null],
    [survey(PAST), "running", null],
    [survey(NOW.toISOString()), "running", null],
    [survey(PAST, NOW.toISOString()), "complete", null],
    [survey(PAST, PAST), "complete", null],
    [survey(FUTURE), "scheduled", FUTURE],
    [survey(PAST, FUTURE), "running", FUTURE],
    [survey(LATER, FUTURE), "scheduled", LATER],
    [survey(FUTURE, PAST), "complete", FUTURE],
    [survey(PAST, FUTURE, true), "archived", null],
  ])("%j is %s and changes at %s", (dates, state, boundary) => {
    expect(stateOf(dates, NOW)).toBe(state);
    expect(isOpen(dates, NOW)).toBe(state === "running");
    expect(nextBoundary(dates, NOW)).toEqual(boundary && new Date(boundary));
  });

  it("reaches SDKs, which do not look at the clock", () => {
    const date = (text: string) => new Date(text);
    expect(feedDates(survey(FUTURE), NOW)).toEqual({ start_date: null, end_date: null });
    expect(feedDates(survey(PAST, FUTURE), NOW)).toEqual({ start_date: date(PAST), end_date: null });
    expect(feedDates(survey(PAST, PAST), NOW)).toEqual({ start_date: date(PAST), end_date: date(PAST) });
  });

  it.each([
    [null, 5, true],
    [0, 5, true],
    [5, 4, true],
    [5, 5, false],
    [5, 6, false],
  ])("a limit of %s with %i responses has room: %s", (responses_limit, responses, room) => {
    expect(hasRoom({ responses_limit }, responses)).toBe(room);
  });
});

describe("the sampling plan", () => {
  const plan = {
    response_sampling_interval_type: "day" as const,
    response_sampling_interval: 4,
    response_sampling_limit: 10,
    response_sampling_start_date: "2026-03-01T06:00:00Z",
  };
  it.each([
    ["2026-02-28T00:00:00Z", 0, 0, "2026-03-01T06:00:00.000Z"],
    ["2026-03-01T06:00:00Z", 25, 3, "2026-03-01T06:00:00.000Z"],
    ["2026-03-02T05:59:59Z", 25, 3, "2026-03-01T06:00:00.000Z"],
    ["2026-03-02T06:00:00Z", 50, 6, "2026-03-01T06:00:00.000Z"],
    ["2026-03-04T23:00:00Z", 100, 10, "2026-03-01T06:00:00.000Z"],
    ["2026-03-05T06:00:00Z", 25, 3, "2026-03-05T06:00:00.000Z"],
    ["2026-03-10T07:00:00Z", 50, 6, "2026-03-09T06:00:00.000Z"],
  ])("at %s invites %i %% for %i responses since %s", (now, rollout, limit, round) => {
    const today = samplingToday(plan, new Date(now));
    expect(today).toMatchObject({ rollout_percentage: rollout, daily_response_limit: limit });
    expect(today?.round_start.toISOString()).toBe(round);
  });

  it.each(["response_sampling_interval", "response_sampling_limit", "response_sampling_start_date"])(
    "is none without %s",
    (field) => expect(samplingToday({ ...plan, [field]: null }, NOW)).toBeNull(),
  );

  it.each([
    [null, null, null, { targeting_flag_key: null, linked_flag_key: null }],
    [null, null, "s", { targeting_flag_key: "s", linked_flag_key: null }],
    ["l", null, "s", { targeting_flag_key: "s", linked_flag_key: "l" }],
    [null, "t", "s", { targeting_flag_key: "t", linked_flag_key: "s" }],
    ["l", "t", "s", { targeting_flag_key: "t", linked_flag_key: "l" }],
  ])("reaches SDKs: linked %s, targeting %s and sampling %s", (linked, targeting, sampling, expected) => {
    const keys = {
      linked_flag_key: linked,
      targeting_flag_key: targeting,
      internal_targeting_flag_key: "i",
      internal_response_sampling_flag_key: sampling,
    };
    expect(feedFlagKeys(keys)).toEqual({ internal_targeting_flag_key: "i", ...expected });
  });
});
