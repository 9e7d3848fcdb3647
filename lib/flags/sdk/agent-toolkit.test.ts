import { PostHogAgentToolkit } from "@posthog/agent-toolkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenOnLoopback } from "#testing/loopback.ts";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

/** The tools that agents are given, unmodified, over a loopback port. */
let service: SdkService;
let host = "";
let close = async () => {};
/** What the tools have requested, as `GET /api/...`. */
const requested: string[] = [];

beforeAll(async () => {
  service = await startSdkService();
  const listening = await listenOnLoopback((request) => {
    requested.push(`${request.method} ${request.url.slice(host.length)}`);
    return service.handle(request);
  });
  host = listening.address;
  close = listening.close;
});

afterAll(async () => {
  await close();
  await service.close();
});

const toolkit = (key = service.key) =>
  new PostHogAgentToolkit({ posthogApiToken: key, posthogApiBaseUrl: host });

/** Calls a tool as an agent does: found by its name, its input parsed by its own schema. */
async function use(name: string, input: Record<string, unknown> = {}, kit = toolkit()) {
  const tool = (await kit.getTools()).find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const { content } = await tool.handler(kit.getContext(), tool.schema.parse(input));
  const text: string = content[0].text;
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
}

const flagNames = [
  "create-feature-flag",
  "delete-feature-flag",
  "feature-flag-get-all",
  "feature-flag-get-definition",
];
const surveyNames = [
  "survey-create",
  "survey-delete",
  "survey-get",
  "survey-stats",
  "survey-update",
  "surveys-get-all",
  "surveys-global-stats",
];

describe("the start", () => {
  const keyWith = async (...scopes: string[]) => {
    const made = await service.api("POST", "/api/personal_api_keys/", { label: "agent", scopes });
    expect(made.status, made.text).toBe(201);
    return made.json.value as string;
  };
  const offered = async (key: string) =>
    (await toolkit(key).getTools())
      .map(({ name }) => name)
      .filter((name) => /flag|survey/.test(name))
      .sort();

  it("finds out by itself what the key may do and which project it is about", async () => {
    requested.length = 0;
    await use("feature-flag-get-all");
    expect(requested).toEqual([
      "GET /api/personal_api_keys/@current",
      "GET /api/users/@me/",
      "GET /api/projects/1/feature_flags/",
    ]);
  });

  it("offers what the key's scopes allow", async () => {
    expect(await offered(service.key)).toEqual([...flagNames, ...surveyNames, "update-feature-flag"]);
    expect(await offered(await keyWith("feature_flag:write", "survey:read"))).toEqual([
      ...flagNames,
      "survey-get",
      "survey-stats",
      "surveys-get-all",
      "surveys-global-stats",
      "update-feature-flag",
    ]);
    expect(await offered(await keyWith("project:read"))).toEqual([]);
    expect(await offered("phx_nobody-has-this-key")).toEqual([]);
  });

  it("works in the project that the key is bound to", async () => {
    const project = (await service.api("POST", "/api/projects/", { name: "Another" })).json;
    const made = await service.api("POST", "/api/personal_api_keys/", {
      label: "bound",
      scopes: ["feature_flag:write", "user:read"],
      scoped_teams: [project.id],
    });
    const bound = toolkit(made.json.value);
    await use("create-feature-flag", flag("bound-flag"), bound);
    expect((await use("feature-flag-get-all", {}, bound)).map(({ key }: { key: string }) => key)).toEqual([
      "bound-flag",
    ]);
    expect((await service.api("GET", "/api/projects/1/feature_flags/?search=bound-flag")).json.count).toBe(0);
  });
});

const flag = (key: string) => ({
  key,
  name: `About ${key}`,
  description: "Made by an agent",
  active: true,
  tags: ["agent"],
  filters: {
    groups: [
      { properties: [{ key: "plan", value: "pro", operator: "exact" }], rollout_percentage: 100 },
      { properties: [], rollout_percentage: 0 },
    ],
  },
});

describe("feature flags", () => {
  it("are created, and serve as they say", async () => {
    const made = await use("create-feature-flag", flag("by-agent"));
    expect(made).toMatchObject({ key: "by-agent", name: "About by-agent", active: true });
    expect(made.url).toBe(`${host}/project/1/feature_flags/${made.id}`);
    const served = (plan: string) =>
      service.valuesFor({ distinct_id: "u", person_properties: { plan } }).then((all) => all["by-agent"]);
    expect([await served("pro"), await served("free")]).toEqual([true, false]);
  });

  it("are not created twice, nor with a key that is none", async () => {
    await expect(use("create-feature-flag", flag("by-agent"))).rejects.toThrow("unique");
    await expect(use("create-feature-flag", flag("no key"))).rejects.toThrow("invalid_key");
  });

  it("are all listed, however many pages they fill", async () => {
    for (let i = 0; i < 105; i++) await service.createFlag(`many-${i}`);
    requested.length = 0;
    const keys = (await use("feature-flag-get-all")).map(({ key }: { key: string }) => key);
    expect(keys).toHaveLength(106);
    expect(new Set(keys).size).toBe(106);
    expect(requested.filter((one) => one.includes("/feature_flags/"))).toHaveLength(2);
  });

  it("are found by their key and by their id", async () => {
    const found = await use("feature-flag-get-definition", { flagKey: "many-0" });
    expect(found).toMatchObject({ id: service.ids["many-0"], key: "many-0", active: true });
    expect(found.filters.groups).toEqual([{ properties: [], rollout_percentage: 100 }]);
    expect(await use("feature-flag-get-definition", { flagId: found.id })).toEqual(found);
    expect(await use("feature-flag-get-definition", { flagKey: "missing" })).toContain("not found");
  });

  it("are changed by their key", async () => {
    const data = { name: "Paused by an agent", active: false };
    const changed = await use("update-feature-flag", { flagKey: "many-1", data });
    expect(changed).toMatchObject({ key: "many-1", name: "Paused by an agent", active: false });
    expect((await service.valuesFor({ distinct_id: "u" }))["many-1"]).toBe(false);
    const filters = { groups: [{ properties: [], rollout_percentage: 0 }] };
    await use("update-feature-flag", { flagKey: "many-2", data: { filters } });
    expect((await service.valuesFor({ distinct_id: "u" }))["many-2"]).toBe(false);
  });

  it("are deleted by their key, and are gone from the list", async () => {
    expect(await use("delete-feature-flag", { flagKey: "many-3" })).toMatchObject({ success: true });
    expect(await use("delete-feature-flag", { flagKey: "many-3" })).toContain("already deleted");
    expect(await service.valuesFor({ distinct_id: "u" })).not.toHaveProperty("many-3");
  });
});

describe("surveys", () => {
  const survey = {
    name: "How was it?",
    description: "After the first order",
    type: "popover",
    questions: [
      {
        type: "rating",
        question: "How was it?",
        scale: 5,
        display: "emoji",
        lowerBoundLabel: "Bad",
        upperBoundLabel: "Good",
      },
      { type: "open", question: "Why?", optional: true },
    ],
    appearance: { displayThankYouMessage: true, thankYouMessageHeader: "Thanks" },
    targeting_flag_filters: {
      groups: [{ properties: [{ key: "plan", value: "pro", operator: "exact" }], rollout_percentage: 100 }],
    },
  };
  let id = "";

  it("are created as drafts, and read again", async () => {
    const made = await use("survey-create", survey);
    id = made.id;
    expect(made).toMatchObject({ name: "How was it?", type: "popover", start_date: null });
    expect(await use("survey-get", { surveyId: id })).toMatchObject(made);
    expect(made.targeting_flag.filters.groups[0].properties[0]).toMatchObject({ key: "plan", value: "pro" });
  });

  it("are launched and changed, with conditions as the agent gave them", async () => {
    const conditions = {
      url: "/orders",
      urlMatchType: "icontains",
      events: { values: [{ name: "ordered" }] },
    };
    const start_date = "2026-01-05T10:00:00Z";
    const changed = await use("survey-update", { surveyId: id, start_date, conditions, responses_limit: 50 });
    expect(changed).toMatchObject({ conditions, responses_limit: 50, status: "active" });
    expect((await use("survey-get", { surveyId: id })).conditions).toEqual(conditions);
  });

  it("are searched and paged", async () => {
    for (let i = 0; i < 3; i++) await use("survey-create", { ...survey, name: `Another ${i}` });
    expect((await use("surveys-get-all")).results).toHaveLength(4);
    const names = async (input: Record<string, unknown>) =>
      (await use("surveys-get-all", input)).results.map(({ name }: { name: string }) => name);
    expect(await names({ search: "how was" })).toEqual(["How was it?"]);
    const pages = [...(await names({ limit: 2 })), ...(await names({ limit: 2, offset: 2 }))];
    expect(new Set(pages).size).toBe(4);
  });

  it("tell what people did, of one survey and of all", async () => {
    const happened = (event: string, distinct_id: string) => ({
      event,
      distinct_id,
      timestamp: new Date().toISOString(),
      properties: { $survey_id: id, $survey_response: "5", $survey_completed: true },
    });
    const people = ["a", "b", "c", "d"];
    const batch = [
      ...people.map((person) => happened("survey shown", person)),
      happened("survey sent", "a"),
      happened("survey dismissed", "b"),
    ];
    const sent = await service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null });
    expect(sent.status, sent.text).toBe(200);
    const expected = {
      stats: {
        "survey shown": { total_count: 4, unique_persons: 4, unique_persons_only_seen: 2 },
        "survey sent": { total_count: 1, unique_persons: 1 },
        "survey dismissed": { total_count: 1, unique_persons: 1 },
      },
      rates: { response_rate: 25, dismissal_rate: 25, unique_users_response_rate: 25 },
    };
    expect(await use("survey-stats", { survey_id: id })).toMatchObject({ survey_id: id, ...expected });
    const date_from = new Date(Date.now() - 3_600_000).toISOString();
    expect(await use("surveys-global-stats", { date_from })).toMatchObject(expected);
    const date_to = "2026-01-06T00:00:00Z";
    const before = await use("survey-stats", { survey_id: id, date_to });
    expect(before.rates).toMatchObject({ response_rate: 0 });
  });

  it("are archived when they are deleted", async () => {
    expect(await use("survey-delete", { surveyId: id })).toMatchObject({ success: true });
    expect(await use("survey-get", { surveyId: id })).toMatchObject({ archived: true });
    await expect(use("survey-get", { surveyId: "no-such-survey" })).rejects.toThrow("Failed to get survey");
  });
});
