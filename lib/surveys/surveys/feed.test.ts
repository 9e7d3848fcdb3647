import { Hono } from "hono";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMounting } from "#lib/platform/http/mount.ts";
import { type Service, startService } from "#testing/service.ts";
import { createFlag, createSurvey, ROOT } from "#testing/surveys.ts";
import { hasSurveys, mountSurveyFeed } from "./feed.ts";

const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
const TARGETING = { groups: [{ properties: [PRO], rollout_percentage: 50 }] };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const read = (query: string, headers: Record<string, string> = {}) =>
  service.api("GET", `/api/surveys/${query}`, undefined, { key: null, headers });

it("knows whether a project has surveys to ask", async () => {
  expect(await hasSurveys(service.runtime, 1)).toBe(false);
  const { id } = await createSurvey(service);
  expect(await hasSurveys(service.runtime, 1)).toBe(true);
  await service.api("PATCH", `${ROOT}${id}/`, { archived: true });
  expect(await hasSurveys(service.runtime, 1)).toBe(false);
});

it("gives SDKs what they need of every survey that is not archived, and nothing else", async () => {
  const linked = await createFlag(service, "feed-linked", TARGETING);
  const made = await createSurvey(service, {
    description: "secret",
    linked_flag_id: linked,
    targeting_flag_filters: TARGETING,
    questions: [{ type: "open", question: "Why?" }],
    conditions: { url: null, selector: "#a", events: { values: [{ name: "x", propertyFilters: null }] } },
    appearance: { backgroundColor: "#fff", borderColor: null },
    start_date: "2026-03-02T09:00:00Z",
    enable_partial_responses: true,
    responses_limit: 5,
  });
  const draft = await createSurvey(service, { type: "widget" });
  await createSurvey(service, { archived: true });
  const { status, json } = await read(`?token=${service.token}`);
  expect(status).toBe(200);
  expect(json.survey_config).toBeNull();
  expect(json.surveys.map((s: { id: string }) => s.id)).toEqual([draft.id, made.id]);
  expect(json.surveys[1]).toEqual({
    id: made.id,
    name: made.name,
    type: "popover",
    linked_flag_key: "feed-linked",
    targeting_flag_key: made.targeting_flag.key,
    internal_targeting_flag_key: made.internal_targeting_flag.key,
    questions: made.questions,
    conditions: { selector: "#a", events: { values: [{ name: "x" }] } },
    appearance: { backgroundColor: "#fff" },
    start_date: "2026-03-02T09:00:00Z",
    end_date: null,
    current_iteration: null,
    current_iteration_start_date: null,
    schedule: "once",
    enable_partial_responses: true,
  });
  expect("linked_flag_key" in json.surveys[0]).toBe(false);
  expect("targeting_flag_key" in json.surveys[0]).toBe(false);
  expect(json.surveys[0].questions).toBeNull();
});

it.each([
  { query: "", code: "missing_api_key" },
  { query: "?token=", code: "missing_api_key" },
  { query: "?token=phc_nobody", code: "invalid_api_key" },
])("refuses $query, readable for pages of any origin", async ({ query, code }) => {
  const { status, json, headers } = await read(query, { origin: "https://shop.example" });
  expect([status, json.type, json.code]).toEqual([401, "authentication_error", code]);
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

it("follows a date that comes by itself, and a flag that is renamed, without any change of the survey", async () => {
  const own = await createFlag(service, "feed-follows", TARGETING);
  const soon = new Date(Date.now() + 1_500).toISOString();
  const { id } = await createSurvey(service, { start_date: soon, linked_flag_id: own });
  const fed = async () => {
    const { json } = await read(`?token=${service.token}`);
    return json.surveys.find((survey: { id: string }) => survey.id === id);
  };
  expect(await fed()).toMatchObject({ start_date: null, linked_flag_key: "feed-follows" });
  await service.api("PATCH", `/api/projects/1/feature_flags/${own}/`, { key: "feed-renamed" });
  expect((await fed()).linked_flag_key).toBe("feed-renamed");
  await expect.poll(async () => (await fed()).start_date, { timeout: 60_000 }).not.toBeNull();
});

it.each(["POST", "PUT", "DELETE"])("is read and never written: %s", async (method) => {
  const answer = await service.api(method, `/api/surveys/?token=${service.token}`, {}, { key: null });
  expect([answer.status, answer.json.code]).toEqual([405, "method_not_allowed"]);
});

it("is open to pages of any origin, with either slash form and cache buster", async () => {
  const origin = { origin: "https://shop.example" };
  expect((await read(`?token=${service.token}&_=1700000000000`, origin)).status).toBe(200);
  const bare = await service.api("GET", `/api/surveys?token=${service.token}`, undefined, {
    key: null,
    headers: origin,
  });
  expect([bare.status, bare.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  const preflight = await service.api("OPTIONS", "/api/surveys/", undefined, { key: null, headers: origin });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
});

it("waits for the project's turn, so that one project's flood does not delay others", async () => {
  const app = new Hono();
  const mounting = createMounting(app, service.runtime, { management: 0, definitions: 0, events: 0 });
  const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  const toBegin = (...which: unknown[]) => {
    asked.push(which);
    return turn;
  };
  mountSurveyFeed({ ...mounting, admission: { ...mounting.admission, toBegin } });
  let isAnswered = false;
  const answer = Promise.resolve(app.request(`/api/surveys?token=${service.token}`)).finally(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([asked, isAnswered]).toEqual([[["evaluation", 1]], false]);
  begin();
  expect((await answer).status).toBe(200);
});
