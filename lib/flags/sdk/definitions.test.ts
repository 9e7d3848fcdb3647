import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { group_types } from "#lib/platform/db/tables/events.ts";
import { cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { everyone, person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;
let secret = "";
const cohortIds: Record<string, number> = {};

const DEFINITIONS = "/flags/definitions";
const inCohort = (name: string, more: object = {}) => ({
  type: "cohort",
  key: "id",
  value: cohortIds[name],
  operator: "in",
  ...more,
});
const all = (...values: unknown[]) => ({ type: "AND", values });
const any = (...values: unknown[]) => ({ type: "OR", values });

async function createCohort(name: string, tree: unknown, is_static = false) {
  const filters = is_static ? {} : { properties: tree };
  const [row] = await service.db
    .insert(cohorts)
    .values({ project_id: 1, name, filters, is_static })
    .returning();
  cohortIds[name] = row?.id ?? 0;
}

const get = (query = "", headers: Record<string, string> = {}, path = DEFINITIONS) =>
  service.api("GET", `${path}?token=${service.token}${query}`, undefined, { headers });

async function definition(key: string, query = "&send_cohorts") {
  const { json } = await get(query);
  return json.flags.find((flag: { key: string }) => flag.key === key);
}

beforeAll(async () => {
  service = await startSdkService();
  const [project] = await service.db.select().from(projects).where(eq(projects.id, 1));
  secret = project?.secret_api_token ?? "";
  const nl = person("country", ["NL"]);
  const pro = person("plan", ["pro"]);
  await createCohort("dutch", any(all(nl)));
  await createCohort("dutch-pro", all(all(nl, pro)));
  await createCohort("dutch-or-pro", any(all(nl), any(pro, person("plan", ["team"]))));
  await createCohort("both", all(any(nl), any(pro, person("plan", ["team"]))));
  await createCohort("not-dutch", any(all({ ...nl, negation: true })));
  await createCohort("list", null, true);
  await createCohort("nested", any(all(inCohort("dutch"))));
  service.runtime.cohorts.changed(1);
  service.runtime.definitions.changed(1);
  await service.createFlag("plain", {
    name: "Plain",
    filters: { ...everyone, payloads: { true: '{"a":1}' } },
  });
  await service.createFlag("off", { active: false });
  await service.createFlag("gone");
  await service.changeFlag("gone", { deleted: true });
  await service.createFlag("config", {
    is_remote_configuration: true,
    has_encrypted_payloads: true,
    filters: { ...everyone, payloads: { true: '"top secret"' } },
  });
});
afterAll(() => service.close());

describe("the document", () => {
  it("has every live flag, inactive ones too, and the group types", async () => {
    const { status, json, headers } = await get();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("private, must-revalidate");
    expect(json.group_type_mapping).toEqual({ "0": "company" });
    expect(json.cohorts).toEqual({});
    expect(json.flags.map((flag: { key: string }) => flag.key).toSorted()).toEqual([
      "config",
      "off",
      "plain",
    ]);
    expect(await definition("plain")).toEqual({
      id: service.ids.plain,
      team_id: 1,
      name: "Plain",
      key: "plain",
      filters: { ...everyone, payloads: { true: '{"a":1}' } },
      deleted: false,
      active: true,
      ensure_experience_continuity: false,
      has_encrypted_payloads: false,
      version: 1,
      evaluation_runtime: "all",
      evaluation_tags: [],
    });
  });

  it.each([
    "/flags/definitions/",
    "/api/feature_flag/local_evaluation",
    "/api/feature_flag/local_evaluation/",
  ])("is the same at %s", async (path) => {
    expect((await get("", {}, path)).text).toBe((await get()).text);
  });

  it("of the management API leaves remote configurations out", async () => {
    const { status, json } = await service.api("GET", "/api/projects/1/feature_flags/local_evaluation/");
    expect(status).toBe(200);
    expect(json.flags.map((flag: { key: string }) => flag.key).toSorted()).toEqual(["off", "plain"]);
  });

  it("shows encrypted payloads to personal keys only", async () => {
    expect((await definition("config")).filters.payloads.true).toBe('"top secret"');
    const { json } = await service.api("GET", DEFINITIONS, undefined, { key: secret });
    const config = json.flags.find((flag: { key: string }) => flag.key === "config");
    expect(config.filters.payloads.true).toMatch(/\*+ \(encrypted\)/);
    const { json: answer } = await service.ask({ distinct_id: "u", flag_keys: ["config"] });
    expect(answer.flags.config.metadata.payload).toMatch(/\*+ \(encrypted\)/);
  });

  it("names dependencies by key, and says what to evaluate first", async () => {
    const on = (key: string) => ({
      key: String(service.ids[key]),
      type: "flag",
      value: true,
      operator: "flag_evaluates_to",
    });
    await service.createFlag("second", { filters: when(on("plain")) });
    await service.createFlag("third", { filters: when(on("second"), person("plan", ["pro"])) });
    const [dependency, other] = (await definition("third")).filters.groups[0].properties;
    expect(dependency).toEqual({ ...on("second"), key: "second", dependency_chain: ["plain", "second"] });
    expect(other).toEqual(person("plan", ["pro"]));
    await service.changeFlag("plain", { key: "plainer" });
    expect((await definition("third")).filters.groups[0].properties[0].dependency_chain).toEqual([
      "plainer",
      "second",
    ]);
    await service.changeFlag("plain", { key: "plain" });
  });
});

describe("cohorts", () => {
  it("are included on request, with those they refer to, without static ones", async () => {
    await service.createFlag("for-nested", { filters: when(inCohort("nested")) });
    await service.createFlag("for-list", { filters: when(inCohort("list")) });
    const { json } = await get("&send_cohorts");
    expect(Object.keys(json.cohorts).toSorted()).toEqual(
      [cohortIds.nested, cohortIds.dutch].map(String).toSorted(),
    );
    expect(json.cohorts[String(cohortIds.dutch)]).toEqual(any(all(person("country", ["NL"]))));
    expect((await definition("for-nested")).filters.groups[0].properties[0].value).toBe(cohortIds.nested);
    for (const query of ["&send_cohorts=true", "&send_cohorts=1"])
      expect((await get(query)).text).toBe((await get("&send_cohorts")).text);
    expect((await get("&send_cohorts=false")).json.cohorts).toEqual({});
  });

  const nl = person("country", ["NL"]);
  it.each([
    { cohort: "dutch", conditions: [[nl]] },
    { cohort: "dutch-pro", conditions: [[nl, person("plan", ["pro"])]] },
    { cohort: "dutch-or-pro", conditions: [[nl], [person("plan", ["pro"])], [person("plan", ["team"])]] },
  ])("are written out as conditions where they are not: $cohort", async ({ cohort, conditions }) => {
    await service.createFlag(`for-${cohort}`, {
      filters: { groups: [{ properties: [inCohort(cohort)], rollout_percentage: 40 }] },
    });
    const { groups } = (await definition(`for-${cohort}`, "")).filters;
    expect(groups).toEqual(conditions.map((properties) => ({ properties, rollout_percentage: 40 })));
  });

  it.each([
    { why: "ANDs of ORs", filters: () => when(inCohort("both")) },
    { why: "a negation", filters: () => when(inCohort("not-dutch")) },
    { why: "another cohort inside", filters: () => when(inCohort("nested")) },
    { why: "a static list", filters: () => when(inCohort("list")) },
    { why: "not_in", filters: () => when(inCohort("dutch", { operator: "not_in" })) },
    { why: "another condition beside it", filters: () => when(inCohort("dutch"), person("plan", ["pro"])) },
    {
      why: "two cohorts",
      filters: () => ({ groups: [...when(inCohort("dutch")).groups, ...when(inCohort("both")).groups] }),
    },
  ])("stay where they cannot be written out: $why", async ({ why, filters }) => {
    const key = why.replaceAll(/\W/g, "-");
    await service.createFlag(key, { filters: filters() });
    expect((await definition(key, "")).filters.groups).toEqual(filters().groups);
  });
});

describe("the entity tag", () => {
  it.each([
    { form: "as sent", of: (tag: string) => tag },
    { form: "strong", of: (tag: string) => tag.replace("W/", "") },
    { form: "without quotes", of: (tag: string) => tag.replace(/^W\/"(.*)"$/, "$1") },
    { form: "in a list", of: (tag: string) => `"other", ${tag}` },
    { form: "with the ending of a proxy", of: (tag: string) => tag.replace(/"$/, '-gzip"') },
  ])("is recognised $form, and answered 304 without a body", async ({ of }) => {
    const tag = (await get("&send_cohorts")).headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{23}\.[\w-]{12}"$/);
    const again = await get("&send_cohorts", { "if-none-match": of(tag) });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
    expect(again.headers.get("cache-control")).toBe("private, must-revalidate");
  });

  it("is another for each instance, of the same content", async () => {
    const tags = await Promise.all([1, 2, 3].map(async () => (await get()).headers.get("etag") ?? ""));
    expect(new Set(tags).size).toBe(3);
    expect(new Set(tags.map((tag) => tag.split(".")[0])).size).toBe(1);
    expect((await get("", { "if-none-match": "*" })).status).toBe(304);
  });

  it("is another for every change", async () => {
    let last: string | undefined;
    const note = async () => {
      const tag = (await get("&send_cohorts")).headers.get("etag")?.split(".")[0];
      expect(tag).not.toBe(last);
      last = tag;
    };
    await note();
    await service.changeFlag("plain", { active: false });
    await note();
    await service.changeFlag("plain", { active: true });
    await note();
    await service.createFlag("one-more");
    await note();
    await service.changeFlag("one-more", { deleted: true });
    await note();
    await service.db.update(cohorts).set({ filters: { properties: any(all(person("x", ["y"]))) } });
    service.runtime.cohorts.changed(1);
    await service.runtime.cohorts.settled(null);
    await note();
    await service.db.insert(group_types).values({ project_id: 1, group_type_index: 1, group_type: "team" });
    service.runtime.definitions.changed(1);
    await service.runtime.definitions.settled(null);
    await note();
    expect((await get("", { "if-none-match": '"something-else"' })).status).toBe(200);
  });
});

describe("a caller", () => {
  const bearer = (key: string) => ({ key });
  it.each([
    { who: "without a key", call: () => ({ key: null }), status: 401, code: "not_authenticated" },
    { who: "with a wrong key", call: () => bearer("phx_wrong"), status: 401, code: "authentication_failed" },
    {
      who: "with a wrong secret",
      call: () => bearer("phs_wrong"),
      status: 401,
      code: "authentication_failed",
    },
    {
      who: "with the project token as key",
      call: () => bearer(service.token),
      status: 401,
      code: "authentication_failed",
    },
    {
      who: "on a page of another site",
      call: () => ({ headers: { origin: "https://shop.example" } }),
      status: 401,
      code: "authentication_failed",
    },
    {
      who: "with a wrong token",
      query: "?token=phc_wrong",
      call: () => ({}),
      status: 401,
      code: "authentication_failed",
    },
    { who: "with the secret key", call: () => bearer(secret), status: 200 },
    { who: "without a token", query: "", call: () => ({}), status: 200 },
  ])("$who is answered $status", async ({ call, status, code, query }) => {
    const path = `${DEFINITIONS}${query ?? `?token=${service.token}`}`;
    const answer = await service.api("GET", path, undefined, call());
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it.each([
    { scopes: ["feature_flag:read"], status: 200 },
    { scopes: ["feature_flag:write"], status: 200 },
    { scopes: ["*"], status: 200 },
    { scopes: ["survey:write", "activity_log:read"], status: 403 },
  ])("with the scopes $scopes is answered $status", async ({ scopes, status }) => {
    const made = await service.api("POST", "/api/personal_api_keys/", { label: "test", scopes });
    expect(made.status, made.text).toBe(201);
    const answer = await service.api("GET", DEFINITIONS, undefined, { key: made.json.value });
    expect(answer.status).toBe(status);
  });
});
