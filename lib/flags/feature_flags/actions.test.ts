import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const root = "/api/projects/1/feature_flags";

beforeAll(async () => {
  service = await startService();
  await service.db.execute(sql`
    with people as (
      insert into persons (project_id, properties)
      select 1, jsonb_build_object('plan', case when n % 4 = 0 then 'pro' else 'free' end, 'n', n)
      from generate_series(1, 40) n returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'person-' || (properties->>'n'), id from people`);
});
afterAll(() => service.close());

let made = 0;
async function flag(body: object = {}) {
  made += 1;
  const reply = await service.api("POST", `${root}/`, { key: `flag-${made}`, ...body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}
const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };

describe("activity", () => {
  it("tells of every save, newest first, with what changed", async () => {
    const { id, key } = await flag({ name: "A" });
    await service.api("PATCH", `${root}/${id}/`, { name: "B" });
    const { json } = await service.api("GET", `${root}/${id}/activity/`);
    expect(json).toMatchObject({ total_count: 2, next: null, previous: null });
    expect(json.results[0]).toMatchObject({
      user: { first_name: "Admin", email: "admin@localhost.local" },
      activity: "updated",
      scope: "FeatureFlag",
      item_id: String(id),
      detail: { name: key, trigger: null, type: null, short_id: null },
    });
    expect(json.results[0].detail.changes).toEqual([
      { type: "FeatureFlag", action: "changed", field: "name", before: "A", after: "B" },
      { type: "FeatureFlag", action: "changed", field: "version", before: 1, after: 2 },
    ]);
    expect(json.results[1]).toMatchObject({ activity: "created", detail: { changes: [] } });
  });

  it("pages by number, and a page past the end is empty", async () => {
    const { id } = await flag();
    for (let i = 0; i < 3; i++) await service.api("PATCH", `${root}/${id}/`, {});
    const first = (await service.api("GET", `${root}/${id}/activity/?limit=3`)).json;
    expect(first.results).toHaveLength(3);
    expect(first.next).toContain("page=2");
    const past = (await service.api("GET", `${root}/${id}/activity/?limit=3&page=9`)).json;
    expect(past).toMatchObject({ results: [], total_count: 4 });
    const bad = await service.api("GET", `${root}/${id}/activity/?page=x`);
    expect(bad.json).toMatchObject({ code: "invalid_input", attr: "page" });
  });

  it("has an empty 404 for an unknown flag, and lists all flags' entries without one", async () => {
    const unknown = await service.api("GET", `${root}/999999/activity/`);
    expect([unknown.status, unknown.text]).toEqual([404, ""]);
    const all = (await service.api("GET", `${root}/activity/?limit=100`)).json;
    expect(new Set(all.results.map((r: { item_id: string }) => r.item_id)).size).toBeGreaterThan(1);
  });
});

describe("keys, reasons, values", () => {
  it("maps ids to keys", async () => {
    const { id, key } = await flag();
    const post = (body: unknown) => service.api("POST", `${root}/bulk_keys/`, body);
    expect((await post({ ids: [id, String(id), 999_999] })).json).toEqual({ keys: { [id]: key } });
    const mixed = (await post({ ids: [id, "x"] })).json;
    expect(mixed.keys).toEqual({ [id]: key });
    expect(mixed.warning).toContain("'x'");
    expect((await post({})).json).toEqual({ keys: {} });
    expect((await post({ ids: [] })).json).toEqual({ keys: {} });
    const bad = await post({ ids: ["x", null, {}] });
    expect(bad.status).toBe(400);
    expect(bad.json.error).toEqual(expect.any(String));
    expect((await post({ ids: "x" })).status).toBe(400);
  });

  it("gives every flag's value for a stored person, with the reason", async () => {
    const targeted = await flag({ filters: { groups: [{ properties: [pro], rollout_percentage: 100 }] } });
    const off = await flag({ active: false });
    const { json } = await service.api("GET", `${root}/evaluation_reasons/?distinct_id=person-4`);
    expect(json[targeted.key]).toEqual({
      value: true,
      evaluation: { reason: "condition_match", condition_index: 0 },
    });
    expect(json[off.key]).toEqual({
      value: false,
      evaluation: { reason: "disabled", condition_index: null },
    });
    const other = (await service.api("GET", `${root}/evaluation_reasons/?distinct_id=person-5`)).json;
    expect(other[targeted.key]).toMatchObject({ value: false, evaluation: { reason: "no_condition_match" } });
  });

  it.each([
    ["", "distinct_id"],
    ["?distinct_id=x&groups=nonsense", "groups"],
    ["?distinct_id=x&groups=[]", "groups"],
  ])("refuses reasons for %j", async (query, attr) => {
    const reply = await service.api("GET", `${root}/evaluation_reasons/${query}`);
    expect(reply.status).toBe(400);
    expect(reply.json.attr).toBe(attr);
  });

  it("lists the caller's own flags as a plain list", async () => {
    const on = await flag();
    const off = await flag({ active: false });
    const { json } = await service.api("GET", `${root}/my_flags/`);
    const of = (id: number) => json.find((f: { feature_flag: { id: number } }) => f.feature_flag.id === id);
    expect(of(on.id)).toMatchObject({ value: true, feature_flag: { team_id: 1, key: on.key } });
    expect(of(off.id).value).toBe(false);
    expect(json[0].feature_flag.id).toBe(off.id);
  });

  it("lists disabled remote configurations as false", async () => {
    const { id, key } = await flag({ is_remote_configuration: true, active: false });
    const { json } = await service.api("GET", `${root}/my_flags/`);
    expect(json.find((f: { feature_flag: { id: number } }) => f.feature_flag.id === id)?.value).toBe(false);
    const reasons = (await service.api("GET", `${root}/evaluation_reasons/?distinct_id=x`)).json;
    expect(reasons[key]?.evaluation.reason).toBe("disabled");
  });

  it("tells the status of an unknown flag in both words, the API's and its own", async () => {
    const { status, json } = await service.api("GET", `${root}/999999/status/`);
    expect(status).toBe(404);
    expect(json).toMatchObject({ type: "invalid_request", code: "not_found", attr: null, status: "unknown" });
  });
});

describe("ids, groups and payloads", () => {
  const post = (body: unknown) => service.api("POST", `${root}/bulk_keys/`, body);

  it("map ids to keys, without deleted flags and with a word on what is no id", async () => {
    const [kept, gone] = [await flag(), await flag()];
    await service.api("PATCH", `${root}/${gone.id}/`, { deleted: true });
    expect((await post({ ids: [kept.id, gone.id] })).json).toEqual({ keys: { [kept.id]: kept.key } });
    expect((await post({ ids: ["x", kept.id, 1.5, "1x", "-1"] })).json).toEqual({
      keys: { [kept.id]: kept.key },
      warning: "Invalid flag IDs ignored: ['x', '1.5', '1x', '-1']",
    });
    const none = await post({ ids: ["x1"] });
    expect([none.status, none.json]).toEqual([400, { error: "Invalid flag IDs provided" }]);
    const text = await post({ ids: "1" });
    expect([text.status, text.json.attr, text.json.detail]).toEqual([400, "ids", "ids must be a list."]);
  });

  it.each([
    ["", "distinct_id", "required", "This field is required."],
    ["?distinct_id=x&groups=nonsense", "groups", "invalid_input", "groups must be a JSON object."],
    ["?distinct_id=x&groups=[1]", "groups", "invalid_input", "groups must be a JSON object."],
    ["?distinct_id=x&groups=null", "groups", "invalid_input", "groups must be a JSON object."],
  ])("say what is wrong with the reasons for %j", async (query, attr, code, detail) => {
    const { status, json } = await service.api("GET", `${root}/evaluation_reasons/${query}`);
    expect([status, json.attr, json.code, json.detail]).toEqual([400, attr, code, detail]);
  });

  it("give values and reasons for groups too", async () => {
    await service.db.execute(
      sql`insert into group_types (project_id, group_type, group_type_index) values (1, 'harbour', 1)`,
    );
    service.runtime.definitions.changed(1);
    await service.db.execute(sql`
      insert into groups (project_id, group_type_index, group_key, properties)
      values (1, 1, '17', '{"tier":"gold"}'), (1, 1, 'zoo', '{}')`);
    const tier = { key: "tier", type: "group", group_type_index: 1, operator: "exact", value: ["gold"] };
    const { key } = await flag({
      filters: { aggregation_group_type_index: 1, groups: [{ properties: [tier], rollout_percentage: 100 }] },
    });
    const reasons = async (groups: string) =>
      (await service.api("GET", `${root}/evaluation_reasons/?distinct_id=x${groups}`)).json[key];
    const of = (groups: object) => `&groups=${encodeURIComponent(JSON.stringify(groups))}`;
    const type = "harbour";
    expect(await reasons(of({ [type]: 17 }))).toMatchObject({ value: true });
    expect(await reasons(of({ [type]: "zoo" }))).toMatchObject({
      value: false,
      evaluation: { reason: "no_condition_match" },
    });
    expect((await reasons("")).evaluation.reason).toBe("no_group_type");
    const mine = await service.api("GET", `${root}/my_flags/?${of({ [type]: "17" }).slice(1)}`);
    const found = mine.json.find((each: { feature_flag: { key: string } }) => each.feature_flag.key === key);
    expect(found.value).toBe(true);
  });

  it("tell the status in small letters, with the reason", async () => {
    const { id } = await flag({ active: false });
    const status = async () => (await service.api("GET", `${root}/${id}/status/`)).json;
    expect(await status()).toEqual({ status: "active", reason: "The flag is disabled." });
    await service.api("PATCH", `${root}/${id}/`, { deleted: true });
    expect(await status()).toEqual({ status: "deleted", reason: "The flag is deleted." });
    expect((await service.api("GET", `${root}/999999/status/`)).json.reason).toBe(
      "The flag could not be found.",
    );
  });

  it("give the payload of a flag that is off, and none of a flag's own activity under another name", async () => {
    const filters = { groups: [{}], payloads: { true: '"on"' } };
    const { id, key } = await flag({ is_remote_configuration: true, active: false, filters });
    for (const name of [id, key])
      expect((await service.api("GET", `${root}/${name}/remote_config/`)).json).toBe('"on"');
    for (const name of [`${id}x`, `x${id}`, key]) {
      const reply = await service.api("GET", `${root}/${name}/activity/`);
      expect([reply.status, reply.text]).toEqual([404, ""]);
    }
  });
});

describe("why a usage dashboard is not enriched", () => {
  it.each<[string, object, (flag: { usage_dashboard: number }) => Promise<unknown>, string]>([
    [
      "there is none",
      { _should_create_usage_dashboard: false },
      async () => undefined,
      "Usage dashboard not found",
    ],
    [
      "it is gone",
      { has_enriched_analytics: true },
      ({ usage_dashboard }) => service.db.execute(sql`delete from dashboards where id = ${usage_dashboard}`),
      "Usage dashboard not found",
    ],
    [
      "the flag captures nothing",
      {},
      async () => undefined,
      "No enriched analytics available for this feature flag",
    ],
  ])("%s", async (_, body, change, error) => {
    const made = await flag(body);
    await change(made);
    const reply = await service.api("POST", `${root}/${made.id}/enrich_usage_dashboard/`);
    expect([reply.status, reply.json]).toEqual([400, { success: false, error }]);
  });

  it("it is already", async () => {
    const { id } = await flag({ has_enriched_analytics: true });
    const enrich = () => service.api("POST", `${root}/${id}/enrich_usage_dashboard/`);
    expect((await enrich()).json).toEqual({ success: true });
    expect((await enrich()).json).toEqual({
      success: false,
      error: "Usage dashboard already has enriched data",
    });
    expect((await service.api("POST", `${root}/999999/enrich_usage_dashboard/`)).status).toBe(404);
    expect((await service.api("POST", `${root}/999999/dashboard/`)).status).toBe(404);
  });
});

describe("who matches", () => {
  const radius = (body: unknown) => service.api("POST", `${root}/user_blast_radius/`, body);

  it("counts the persons that a set matches, whatever its rollout", async () => {
    const { json } = await radius({ condition: { properties: [pro], rollout_percentage: 1 } });
    expect(json).toEqual({ users_affected: 10, total_users: 40 });
    expect((await radius({ condition: { properties: [] } })).json).toEqual({
      users_affected: 40,
      total_users: 40,
    });
    expect((await radius({ condition: {}, group_type_index: 0 })).json).toEqual({
      users_affected: 0,
      total_users: 0,
    });
  });

  it.each([
    [{}, null],
    [{ condition: 3 }, null],
    [{ condition: { properties: [{ key: "a", type: "group", value: 1 }] } }, "condition"],
    [{ condition: {}, group_type_index: 9 }, "group_type_index"],
  ])("refuses %j", async (body, attr) => {
    const reply = await radius(body);
    expect(reply.status).toBe(400);
    expect(reply.json.attr).toBe(attr);
  });

  it("makes a static cohort of exactly those people", async () => {
    const { id } = await flag({ filters: { groups: [{ properties: [pro], rollout_percentage: 100 }] } });
    const reply = await service.api("POST", `${root}/${id}/create_static_cohort_for_flag/`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.cohort).toMatchObject({ is_static: true, count: 10 });
    const { rows } = await service.db.execute(
      sql`select count(*)::int as n from cohort_people c join persons p on p.id = c.person_id
          where c.cohort_id = ${reply.json.cohort.id} and p.properties->>'plan' = 'pro'`,
    );
    expect(rows[0]).toEqual({ n: 10 });
  });
});

describe("dashboards", () => {
  it("makes a new one at every call, and enriches it once", async () => {
    const { id, usage_dashboard } = await flag();
    const enrich = () => service.api("POST", `${root}/${id}/enrich_usage_dashboard/`);
    expect((await enrich()).json).toMatchObject({ success: false });
    await service.api("PATCH", `${root}/${id}/`, { has_enriched_analytics: true });
    expect((await service.api("POST", `${root}/${id}/dashboard/`)).json).toEqual({ success: true });
    expect((await service.api("GET", `${root}/${id}/`)).json.usage_dashboard).not.toBe(usage_dashboard);
    expect((await enrich()).json).toEqual({ success: true });
    const again = await enrich();
    expect([again.status, again.json.success]).toEqual([400, false]);
    const bare = await flag({ _should_create_usage_dashboard: false });
    const none = await service.api("POST", `${root}/${bare.id}/enrich_usage_dashboard/`);
    expect([none.status, none.json.success]).toEqual([400, false]);
  });
});

describe("remote configuration", () => {
  const filters = { groups: [{}], payloads: { true: '{"limit":5}' } };

  it("is found by key and by id, as JSON text that holds JSON", async () => {
    const { id, key } = await flag({ is_remote_configuration: true, filters });
    for (const path of [
      `${root}/${id}/remote_config/`,
      `/api/projects/@current/feature_flags/${key}/remote_config?token=${service.token}`,
    ])
      expect((await service.api("GET", path)).text).toBe('"{\\"limit\\":5}"');
  });

  it("has empty answers: 404 where there is none, 200 without a payload", async () => {
    const plain = await flag();
    const bare = await flag({ is_remote_configuration: true });
    const gone = await flag({ is_remote_configuration: true, filters });
    await service.api("PATCH", `${root}/${gone.id}/`, { deleted: true });
    for (const [id, status] of [
      [plain.id, 404],
      ["no-such-key", 404],
      [gone.id, 404],
      [bare.id, 200],
    ]) {
      const reply = await service.api("GET", `${root}/${id}/remote_config/`);
      expect([reply.status, reply.text]).toEqual([status, ""]);
    }
  });

  it("keeps encrypted payloads unreadable at rest, in the log and to secret keys", async () => {
    const secret = '{"password":"hunter2"}';
    const { id } = await flag({
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      filters: { groups: [{}], payloads: { true: secret } },
    });
    const stored = await service.db.execute(
      sql`select filters::text as t from feature_flags where id = ${id}`,
    );
    expect(stored.rows[0]?.t).not.toContain("hunter2");
    const read = await service.api("GET", `${root}/${id}/`);
    expect(read.json.filters.payloads.true).toBe(secret);
    const project = await service.db.execute(sql`select secret_api_token as s from projects where id = 1`);
    const key = String(project.rows[0]?.s);
    const redacted = await service.api("GET", `${root}/${id}/remote_config/`, undefined, { key });
    expect(redacted.status).toBe(200);
    expect(redacted.text).not.toContain("hunter2");
    const marker = redacted.json;
    await service.api("PATCH", `${root}/${id}/`, {
      filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: marker } },
    });
    expect((await service.api("GET", `${root}/${id}/`)).json.filters.payloads.true).toBe(secret);
    await service.api("PATCH", `${root}/${id}/`, {
      filters: { groups: [{}], payloads: { true: '"other"' } },
    });
    const log = await service.db.execute(sql`select string_agg(detail::text, '') as t from activity_log`);
    expect(log.rows[0]?.t).not.toContain("hunter2");
    const plain = await service.api("PATCH", `${root}/${id}/`, { has_encrypted_payloads: false });
    expect(plain.json.filters.payloads.true).toBe('"other"');
  });
});

describe("local evaluation", () => {
  it("answers 304 to the tag it gave, until a flag changes", async () => {
    const { id } = await flag();
    const get = (tag?: string) =>
      service.api(
        "GET",
        `${root}/local_evaluation/?send_cohorts`,
        undefined,
        tag ? { headers: { "if-none-match": tag } } : {},
      );
    const first = await get();
    expect(Object.keys(first.json)).toEqual([
      "flags",
      "group_type_mapping",
      "cohorts",
      "property_matching_version",
    ]);
    const tag = first.headers.get("etag") ?? "";
    const same = await get(tag);
    expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", tag]);
    await service.api("PATCH", `${root}/${id}/`, { active: false });
    const next = await get(tag);
    expect(next.status).toBe(200);
    expect(next.headers.get("etag")).not.toBe(tag);
  });

  it("leaves remote configurations and deleted flags out, and keeps disabled ones", async () => {
    const remote = await flag({ is_remote_configuration: true });
    const off = await flag({ active: false });
    const gone = await flag();
    await service.api("PATCH", `${root}/${gone.id}/`, { deleted: true });
    const { json } = await service.api("GET", `${root}/local_evaluation`);
    const keys = json.flags.map((f: { key: string }) => f.key);
    expect(keys).toContain(off.key);
    expect(keys).not.toContain(remote.key);
    expect(keys).not.toContain(gone.key);
  });
});
