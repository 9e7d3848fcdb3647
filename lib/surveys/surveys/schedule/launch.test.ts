import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

const PAST = "2026-01-01T00:00:00Z";
const AHEAD = "2999-01-01T00:00:00Z";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const call = (id: string, verb: "launch" | "stop") => service.api("POST", `${ROOT}${id}/${verb}/`);
const isRecent = (moment: string | null) =>
  moment !== null && Math.abs(Date.now() - Date.parse(moment)) < 60_000;

describe("launch", () => {
  it.each([
    ["a draft", {}, true],
    ["a scheduled survey", { start_date: AHEAD }, true],
    ["a stopped survey", { start_date: PAST, end_date: PAST }, false],
    ["a running survey", { start_date: PAST }, false],
  ])("lets %s ask now", async (_, fields, starts) => {
    const { id } = await createSurvey(service, fields);
    const { status, json } = await call(id, "launch");
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, end_date: null, internal_targeting_flag: { active: true } });
    expect(isRecent(json.start_date)).toBe(starts);
    expect((await call(id, "launch")).json.start_date).toBe(json.start_date);
  });

  it("is refused for an archived survey", async () => {
    const { id } = await createSurvey(service, { archived: true });
    expect((await call(id, "launch")).status).toBe(400);
  });

  it("is refused for rules that can only be mistakes", async () => {
    const questions = [{ question: "?", branching: { type: "specific_question", index: 0 } }];
    const { id } = await createSurvey(service, { questions });
    expect(await call(id, "launch")).toMatchObject({ status: 400, json: { attr: "questions" } });
  });
});

describe("stop", () => {
  it.each([
    ["a running survey", { start_date: PAST }],
    ["a survey that ends later", { start_date: PAST, end_date: AHEAD }],
    ["a scheduled survey", { start_date: AHEAD }],
  ])("ends %s now", async (_, fields) => {
    const { id } = await createSurvey(service, fields);
    const { status, json } = await call(id, "stop");
    expect(status).toBe(200);
    expect(isRecent(json.end_date)).toBe(true);
    expect(json.internal_targeting_flag.active).toBe(false);
    expect((await call(id, "stop")).json.end_date).toBe(json.end_date);
  });

  it("is refused for a draft", async () => {
    const { id } = await createSurvey(service);
    expect((await call(id, "stop")).status).toBe(400);
  });
});

it.each(["launch", "stop"] as const)("%s of a survey that is not there is 404", async (verb) => {
  expect((await call("0199aa10-7c01-7000-9d3e-2b1f00c0ffee", verb)).status).toBe(404);
});
