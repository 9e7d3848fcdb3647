import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT, surveyBody } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const STARTED = "2026-01-01T00:00:00Z";
const AHEAD = "2999-01-01T00:00:00Z";
const open = (text: string, branching?: unknown) => ({
  type: "open",
  question: text,
  ...(branching !== undefined && { branching }),
});
const rating = (responseValues: unknown, more = {}) => ({
  type: "rating",
  question: "How was it?",
  scale: 5,
  display: "number",
  branching: { type: "response_based", responseValues },
  ...more,
});

const LOOP = [open("A"), open("B", { type: "specific_question", index: 0 })];
const MISTAKES: [string, unknown[], RegExp][] = [
  ["a loop", LOOP, /Questions 1 and 2 never end/],
  ["a loop with a way out", [open("A"), rating({ negative: 0 })], /loop through questions 1 and 2 forever/],
  ["an index past the end", [open("A", { type: "specific_question", index: 1 })], /leads to question 2/],
  ["an index before the start", [rating({ negative: -1, positive: "end" })], /leads to question 0/],
  ["a bucket of another scale", [rating({ promoters: "end" }), open("B")], /rule for "promoters"/],
  ["rules on a scale without buckets", [rating({}, { scale: 4 })], /it leads nowhere/],
];
const refused = (pattern: RegExp) => ({
  status: 400,
  json: {
    type: "validation_error",
    code: "invalid_input",
    attr: "questions",
    detail: expect.stringMatching(pattern),
  },
});

describe.each(MISTAKES)("%s", (_, questions, pattern) => {
  it("is stored in a draft, and reported by its check", async () => {
    const { id } = await createSurvey(service, { questions });
    const { status, json } = await service.api("GET", `${ROOT}${id}/check/`);
    expect(status).toBe(200);
    expect(json.launchable).toBe(false);
    expect(json.problems[0].severity).toBe("error");
    expect(json.problems[0].message).toMatch(pattern);
    expect((await service.api("POST", `${ROOT}check/`, { questions })).json.problems).toEqual(json.problems);
  });

  it("is refused when the survey is launched", async () => {
    const { id } = await createSurvey(service, { questions });
    const launch = await service.api("PATCH", `${ROOT}${id}/`, { start_date: STARTED });
    expect(launch).toMatchObject(refused(pattern));
    expect(launch.json.extra.path[1]).toBe("branching");
    const after = await service.api("GET", `${ROOT}${id}/`);
    expect(after.json.start_date).toBeNull();
    const created = await service.api("POST", ROOT, surveyBody({ questions, start_date: STARTED }));
    expect(created).toMatchObject(refused(pattern));
  });

  it("is refused in a survey that asks, that will, and that is to ask again", async () => {
    const running = await createSurvey(service, { questions: [open("A")], start_date: STARTED });
    expect(await service.api("PATCH", `${ROOT}${running.id}/`, { questions })).toMatchObject(
      refused(pattern),
    );
    const later = await service.api("POST", ROOT, surveyBody({ questions, start_date: AHEAD }));
    expect(later).toMatchObject(refused(pattern));
    const stopped = await createSurvey(service, { questions, start_date: STARTED, end_date: STARTED });
    const resumed = await service.api("PATCH", `${ROOT}${stopped.id}/`, { end_date: null });
    expect(resumed).toMatchObject(refused(pattern));
  });
});

describe("a launch", () => {
  it.each<[string, unknown]>([
    ["no questions", undefined],
    ["an empty list", []],
    ["a next question after the last", [open("A", { type: "next_question" })]],
    ["an optional rating with rules", [rating({ negative: "end" }, { optional: true }), open("B")]],
    ["a question that nobody gets to", [open("A", { type: "end" }), open("B")]],
    ["rules of an unknown kind", [open("A", { type: "jump" })]],
  ])("goes through with %s", async (_, questions) => {
    const { id } = await createSurvey(service, { questions });
    const { status } = await service.api("PATCH", `${ROOT}${id}/`, { start_date: STARTED });
    expect(status).toBe(200);
  });

  it("leaves a running survey alone that was broken before the check was there", async () => {
    const { id } = await createSurvey(service, { questions: [open("A"), open("B")], start_date: STARTED });
    const { db } = service;
    await db.execute(
      sql`update surveys set questions = ${JSON.stringify(LOOP)}::json where id = ${id}::uuid`,
    );
    expect((await service.api("PATCH", `${ROOT}${id}/`, { description: "x" })).status).toBe(200);
    expect((await service.api("PATCH", `${ROOT}${id}/`, { questions: LOOP.slice(0, 1) })).status).toBe(200);
  });
});

describe("the check", () => {
  it("answers lengths, edges and what to play", async () => {
    const questions = [rating({ negative: 2, positive: "end" }), open("B"), open("C")];
    const { json } = await service.api("POST", `${ROOT}check/`, { questions });
    expect(json).toMatchObject({
      every_path_ends: true,
      launchable: true,
      problems: [],
      reachable: [0, 1, 2],
      lengths: { shortest: 1, longest: 3, expected: 2 },
    });
    expect(json.outcomes[0]).toEqual({
      from: 0,
      answer: {
        key: "negative",
        kind: "bucket",
        label: "1 to 2 (negative)",
        response: 1,
        rule_key: "negative",
      },
      to: 2,
      ruled: true,
    });
  });

  it("knows of shuffled questions", async () => {
    const questions = [rating({ negative: "end" }), open("B")];
    const asked = await service.api("POST", `${ROOT}check/`, {
      questions,
      appearance: { shuffleQuestions: true },
    });
    expect(asked.json.problems).toMatchObject([{ code: "shuffled", severity: "warning" }]);
  });

  it.each([
    ["no questions", {}],
    ["questions that are a text", { questions: "A" }],
    ["a question without text", { questions: [{ type: "open", question: " " }] }],
  ])("refuses %s", async (_, body) => {
    const { status, json } = await service.api("POST", `${ROOT}check/`, body);
    expect([status, json.attr]).toEqual([400, "questions"]);
  });

  it("is 404 for a survey that is not there", async () => {
    const { status } = await service.api("GET", `${ROOT}0199aa10-7c01-7000-9d3e-2b1f00c0ffee/check/`);
    expect(status).toBe(404);
  });
});
