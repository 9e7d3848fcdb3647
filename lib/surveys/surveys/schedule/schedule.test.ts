import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { endOfDay, startOfDay } from "#lib/surveys/surveys/dates.ts";
import { checkLaunch } from "#lib/surveys/surveys/questions/check.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { blank } from "#lib/surveys/surveys/writing.ts";
import { type Service, startService } from "#testing/service.ts";
import { scheduleNext } from "./schedule.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const NOW = new Date("2026-03-10T12:00:00Z");
const row = (fields: Partial<SurveyRow>): SurveyRow => ({
  ...blank({ project_id: 1, user_id: 1, now: NOW }),
  id: randomUUID(),
  ...fields,
});
const date = (text: string) => new Date(`${text}:00Z`);

/** When a survey is next seen to. */
async function next(fields: Partial<SurveyRow>): Promise<string | null> {
  const survey = row(fields);
  await scheduleNext(service.db, survey, NOW);
  const job = await readJobState(service.db, "surveys.due", survey.id);
  return job?.run_at?.toISOString().slice(0, 16) ?? null;
}

describe("a survey is next seen to", () => {
  const started = { start_date: date("2026-03-01T06:00") };
  const weekly = { ...started, iteration_count: 4, iteration_frequency_days: 7, current_iteration: 2 };
  const sampled = {
    ...started,
    response_sampling_interval_type: "day" as const,
    response_sampling_interval: 30,
    response_sampling_limit: 100,
    response_sampling_start_date: date("2026-03-05T09:30"),
  };

  it.each<[string, Partial<SurveyRow>, string | null]>([
    ["never as a draft", {}, null],
    ["never where it runs without an end", started, null],
    [
      "at its start",
      { start_date: date("2026-03-12T06:00"), end_date: date("2026-03-20T06:00") },
      "2026-03-12T06:00",
    ],
    ["at its end", { ...started, end_date: date("2026-03-20T06:00") }, "2026-03-20T06:00"],
    ["never after its end", { ...weekly, end_date: date("2026-03-09T06:00") }, null],
    ["never where it is archived", { ...weekly, archived: true }, null],
    ["at its next iteration", weekly, "2026-03-15T06:00"],
    [
      "at once where somebody moved it ahead: no, at its next iteration by date",
      { ...weekly, current_iteration: 3 },
      "2026-03-15T06:00",
    ],
    ["in a minute where it is behind", { ...weekly, current_iteration: 1 }, "2026-03-10T12:01"],
    [
      "in a minute where its first iteration is not noted",
      { ...weekly, current_iteration: null },
      "2026-03-10T12:01",
    ],
    ["in a minute where its iterations are over", { ...weekly, iteration_count: 1 }, "2026-03-10T12:01"],
    ["at the end of its last iteration", { ...weekly, iteration_count: 2 }, "2026-03-15T06:00"],
    ["on the next day of its sampling", sampled, "2026-03-11T09:30"],
    [
      "on the next day of its sampling, from the very moment on",
      { ...sampled, response_sampling_start_date: NOW },
      "2026-03-11T12:00",
    ],
    [
      "when its sampling begins",
      { ...sampled, response_sampling_start_date: date("2026-03-14T08:00") },
      "2026-03-14T08:00",
    ],
    [
      "at the first of several",
      { ...weekly, ...sampled, end_date: date("2026-03-10T18:00") },
      "2026-03-10T18:00",
    ],
  ])("%s", async (_, fields, moment) => {
    expect(await next(fields)).toBe(moment);
  });
});

describe("a day", () => {
  it("begins and ends in UTC", () => {
    expect(startOfDay(NOW).toISOString()).toBe("2026-03-10T00:00:00.000Z");
    expect(startOfDay(startOfDay(NOW))).toEqual(startOfDay(NOW));
    expect(endOfDay(NOW).toISOString()).toBe("2026-03-10T23:59:59.999Z");
    expect(endOfDay(startOfDay(NOW))).toEqual(endOfDay(NOW));
  });
});

describe("a launch", () => {
  const past = (index: number) => ({
    type: "open",
    question: "?",
    branching: { type: "specific_question", index },
  });
  const running = { start_date: NOW };
  const launched = (
    questions: object[],
    before: Partial<SurveyRow> = {},
    after: Partial<SurveyRow> = running,
  ) =>
    checkLaunch(
      row({ questions: questions as never, ...before }),
      row({ questions: questions as never, ...after }),
      NOW,
    );

  it("is refused with the number of mistakes", () => {
    expect(() => launched([past(5)])).toThrow(/^This survey cannot be launched\. [^(]*$/);
    expect(() => launched([past(5), past(6)])).toThrow(/ \(and 1 more\)$/);
    expect(() => launched([past(5), past(6), past(7)])).toThrow(/ \(and 2 more\)$/);
  });

  it.each<[string, Partial<SurveyRow>, Partial<SurveyRow>, boolean]>([
    ["a draft stays one", {}, {}, false],
    ["it is launched", {}, running, true],
    ["it is scheduled", {}, { start_date: date("2026-04-01T00:00") }, true],
    ["it runs on unchanged", running, { ...running, name: "Other" }, false],
    ["it is resumed", { ...running, end_date: NOW }, running, true],
    ["it is stopped", running, { ...running, end_date: NOW }, false],
    ["its questions change while it runs", { ...running, questions: [] }, running, true],
  ])("checks the questions where %s: %s %s %s", (_, before, after, isRefused) => {
    const attempt = () => launched([past(5)], before, after);
    if (isRefused) expect(attempt).toThrow(expect.objectContaining({ attr: "questions" }));
    else expect(attempt).not.toThrow();
  });
});
