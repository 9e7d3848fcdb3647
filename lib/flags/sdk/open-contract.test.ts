import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type SdkService, startSdkService } from "#testing/sdk.ts";
import { openContract } from "./contract.ts";

let service: SdkService;
let id: string;
beforeAll(async () => {
  service = await startSdkService();
  await service.createFlag("first", { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
  const questions = [{ type: "open", question: "Why?" }];
  const survey = { name: "Why", type: "external_survey", questions, start_date: "2026-01-01T00:00:00Z" };
  const made = await service.api("POST", "/api/projects/1/surveys/", survey);
  expect(made.status, made.text).toBe(201);
  id = made.json.id;
});
afterAll(() => service.close());

type Name = keyof typeof openContract;
const asked = { context: { targetingKey: "ada", plan: "pro" } };
const filling: Record<string, () => string> = {
  token: () => service.token,
  id: () => id,
  key: () => "first",
  script: () => "array.js",
  version: () => JSON.parse(readFileSync("node_modules/posthog-js/package.json", "utf8")).version,
};
const queries: Partial<Record<Name, () => string>> = {
  surveys: () => `?token=${service.token}`,
  flags: () => "?v=2",
  flags_stream: () => `?token=${service.token}`,
  flags_by_query: () => `?token=${service.token}&distinct_id=ada`,
};
const keys: Record<string, () => string> = {
  bearer_project_token: () => service.token,
  personal_or_secret_key: () => service.key,
};
const bodies: Partial<Record<Name, () => unknown>> = {
  flags: () => ({ token: service.token, distinct_id: "ada" }),
  ofrep_flags: () => asked,
  ofrep_flag: () => asked,
  capture: () => ({ api_key: service.token, batch: [{ event: "seen", distinct_id: "ada" }, { event: "" }] }),
};

it.each(Object.keys(openContract) as Name[])("%s is served as it is described", async (name) => {
  const { method, path, params, body, response, status, credential, media } = {
    params: undefined,
    body: undefined,
    response: undefined,
    media: undefined,
    ...openContract[name],
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, one: string) => filling[one]?.() ?? one);
  const sent = bodies[name]?.();
  if (body) expect(body.safeParse(sent).error).toBeUndefined();
  expect(Object.keys(params?.shape ?? {})).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one));
  const answer = await service.api(method, `${filled}${queries[name]?.() ?? ""}`, sent, {
    key: keys[credential ?? ""]?.() ?? null,
  });
  if (name === "answer_hosted_survey") expect(answer.status).toBe(400);
  else expect(answer.status, answer.text).toBe(status);
  if (response) expect(response.safeParse(answer.json).error).toBeUndefined();
  else expect(answer.headers.get("content-type")).toContain(media?.[0]);
});

it("is in the document", async () => {
  const { json } = await service.api("GET", "/api/schema/", undefined, { key: null });
  for (const { path, method, summary, credential } of Object.values(openContract)) {
    const operation = json.paths[path]?.[method.toLowerCase()];
    expect(operation).toMatchObject({ summary });
    expect(operation.security.length > 0, path).toBe(credential !== undefined && credential in keys);
  }
});
