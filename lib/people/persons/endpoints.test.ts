import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "#testing/accounts.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { selectPersonByDistinctId, selectPersonsByDistinctIds } from "./store.ts";

let service: Service;
let away: number;

const root = "/api/projects/1";
const get = (path: string) => service.api("GET", path);
const named = (reply: Awaited<ReturnType<typeof get>>) =>
  reply.json.results.map((person: { name: string }) => person.name);

const PEOPLE = 250;
const plans = ["free", "pro", "team"];

beforeAll(async () => {
  service = await startService();
  away = (await addOrganization(service.db, "away")).project.id;
  service.runtime.directory.drop();
  const people = Array.from({ length: PEOPLE }, (_, n) =>
    eventOf("signed up", `user-${n}`, {
      $set: { plan: plans[n % 3], age: n % 100, ...(n % 2 === 0 && { email: `Person${n}@Example.com` }) },
    }),
  );
  await service.runtime.events.write(1, people);
  await service.runtime.events.write(1, [
    eventOf("$identify", "zoe", { $anon_distinct_id: "anon_100%", $set: { name: "Zoe Ångström" } }),
    eventOf("$groupidentify", "zoe", {
      $group_type: "company",
      $group_key: "acme",
      $group_set: { name: "Acme Inc" },
    }),
    eventOf("$groupidentify", "zoe", { $group_type: "company", $group_key: "bolt", $group_set: {} }),
  ]);
  await service.runtime.events.write(away, [
    eventOf("e", "their-user", { $set: { email: "their@example.com" } }),
  ]);
});
afterAll(() => service.close());

describe("the list of persons", () => {
  it("is paged, newest first, with an honest count", async () => {
    const seen: string[] = [];
    let address = `${root}/persons/?limit=100`;
    for (let page = 0; address; page += 1) {
      const { status, json } = await get(address);
      expect(status).toBe(200);
      expect(json.count).toBe(PEOPLE + 1);
      expect(json.previous === null).toBe(page === 0);
      seen.push(...json.results.map((person: { id: string }) => person.id));
      address = json.next ? json.next.replace("http://switchyard.test", "") : "";
    }
    expect(new Set(seen).size).toBe(PEOPLE + 1);
  });

  it("shows a person in full", async () => {
    const { json } = await get(`${root}/persons/?distinct_id=anon_100%25`);
    const [person] = json.results;
    expect(json.count).toBe(1);
    expect(person).toEqual({
      id: person.uuid,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Zoe Ångström",
      distinct_ids: ["anon_100%", "zoe"],
      properties: { name: "Zoe Ångström" },
      is_identified: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it.each([
    { query: "search=PERSON42@example", names: ["Person42@Example.com"] },
    { query: "search=user-249", names: ["user-249"] },
    { query: "search=%C3%A5ngstr%C3%B6m", names: ["Zoe Ångström"] },
    { query: "search=00%25", names: ["Zoe Ångström"] },
    { query: "search=Zo", names: ["Zoe Ångström"] },
    { query: "search=0%25", names: [] },
    { query: "search=n_1", names: ["Zoe Ångström"] },
    { query: "search=nobody", names: [] },
    { query: "search=their", names: [] },
    { query: "distinct_id=user-3", names: ["user-3"] },
    { query: "distinct_id=their-user", names: [] },
    { query: "distinct_id=user-3&search=user-4", names: [] },
  ])("finds $names by $query", async ({ query, names }) => {
    const reply = await get(`${root}/persons/?${query}`);
    expect(reply.status).toBe(200);
    expect(named(reply)).toEqual(names);
    expect(reply.json.count).toBe(names.length);
  });

  it("says where it stopped counting, and goes on from there to the last person", async () => {
    const { id } = (await service.api("POST", "/api/projects/", { name: "Crowd" })).json;
    await service.db.execute(sql`
      with people as (
        insert into persons (project_id, properties)
        select ${id}, jsonb_build_object('email', 'one' || n || '@crowd.example') from generate_series(1, 10050) n
        returning id
      )
      insert into person_distinct_ids (project_id, distinct_id, person_id)
      select ${id}, 'crowd-' || id || '-' || n, id from people, generate_series(1, 2) n`);
    const address = `/api/projects/${id}/persons/?search=crowd&limit=1000`;
    const first = (await get(address)).json;
    expect(first).toMatchObject({ count: 10_000, count_is_exact: false });
    const seen = new Set<string>();
    for (let at: string | null = address; at; ) {
      const { json } = await get(at.replace("http://switchyard.test", ""));
      for (const person of json.results) seen.add(person.id);
      at = json.next;
    }
    expect(seen.size).toBe(10_050);
    const all = (await get(`/api/projects/${id}/persons/?limit=1`)).json;
    expect(all).toMatchObject({ count: 10_050, count_is_exact: true });
  });

  it("finds a person by UUID", async () => {
    const { json } = await get(`${root}/persons/?distinct_id=zoe`);
    expect(named(await get(`${root}/persons/?search=${json.results[0].id.toUpperCase()}`))).toEqual([
      "Zoe Ångström",
    ]);
  });

  it.each<{ rows: unknown[]; search?: string; count: number }>([
    { rows: [{ key: "plan", value: ["pro"], operator: "exact", type: "person" }], count: 83 },
    { rows: [{ key: "plan", value: "PRO" }], count: 83 },
    {
      rows: [
        { key: "age", value: 98, operator: "gte" },
        { key: "plan", value: "free" },
      ],
      count: 2,
    },
    { rows: [{ key: "email", operator: "is_not_set" }], count: 126 },
    { rows: [{ key: "email", operator: "is_not_set" }], search: "user-1", count: 56 },
    { rows: [], count: PEOPLE + 1 },
  ])("keeps $count by $rows", async ({ rows, search, count }) => {
    const query = new URLSearchParams({
      properties: JSON.stringify(rows),
      limit: "50",
      ...(search && { search }),
    });
    const seen = new Set<string>();
    for (let offset = 0; offset < count; offset += 50) {
      const { json } = await get(`${root}/persons/?${query}&offset=${offset}`);
      expect(json.count).toBe(count);
      for (const person of json.results) seen.add(person.id);
    }
    expect(seen.size).toBe(count);
  });

  it.each([
    { properties: "{", attr: "properties" },
    { properties: "{}", attr: "properties" },
    { properties: "[7]", attr: "properties__0" },
    { properties: '[{"key": "a", "operator": "like", "value": 1}]', attr: "properties__0__operator" },
    { properties: '[{"value": 1}]', attr: "properties__0__key" },
    { properties: '[{"key": "a"}]', attr: "properties__0__value" },
    { properties: '[{"key": "a", "operator": "regex", "value": "("}]', attr: "properties__0__value" },
    { properties: '[{"key": "a", "type": "group", "value": 1}]', attr: "properties__0__type" },
    { properties: '[{"key": "id", "type": "cohort", "value": 999}]', attr: "properties__0__value" },
  ])("refuses the conditions $properties", async ({ properties, attr }) => {
    const reply = await get(`${root}/persons/?properties=${encodeURIComponent(properties)}`);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ type: "validation_error", attr });
  });

  it("can be narrowed to a static cohort", async () => {
    const ids = (await get(`${root}/persons/?limit=3`)).json.results.map((p: { id: string }) => p.id);
    const cohort = await service.api("POST", `${root}/cohorts/`, {
      name: "Three",
      is_static: true,
      person_ids: ids,
    });
    const rows = [{ type: "cohort", key: "id", value: cohort.json.id, operator: "in" }];
    const { json } = await get(`${root}/persons/?properties=${encodeURIComponent(JSON.stringify(rows))}`);
    expect(json.results.map((p: { id: string }) => p.id)).toEqual(ids);
  });
});

describe("one person", () => {
  it("is found by UUID and by number, in its own project only", async () => {
    const [{ id }] = (await get(`${root}/persons/?distinct_id=zoe`)).json.results;
    const person = await selectPersonByDistinctId(service.db, 1, "zoe");
    expect(person).toMatchObject({ uuid: id, properties: { name: "Zoe Ångström" }, is_identified: true });
    expect((await get(`${root}/persons/${id}/`)).json.id).toBe(id);
    expect((await get(`${root}/persons/${person?.id}/`)).json.id).toBe(id);
    const theirs = await selectPersonByDistinctId(service.db, away, "their-user");
    for (const unknown of [theirs?.uuid, theirs?.id, "00000000-0000-7000-8000-000000000000", 999_999, "zoe"])
      for (const rest of ["", "cohorts/", "feature_flags/"])
        expect((await get(`${root}/persons/${unknown}/${rest}`)).status).toBe(404);
  });

  it("is read in batches, those of nobody left out", async () => {
    const found = await selectPersonsByDistinctIds(service.db, 1, [
      "zoe",
      "anon_100%",
      "nobody",
      "their-user",
    ]);
    expect([...found.keys()].sort()).toEqual(["anon_100%", "zoe"]);
    expect(await selectPersonByDistinctId(service.db, 1, "nobody")).toBeNull();
  });

  it("is in cohorts by conditions, by what they did, and by lists", async () => {
    const cohort = (name: string, body: object) =>
      service.api("POST", `${root}/cohorts/`, { name, ...body }).then(({ json }) => json.id as number);
    const filters = (...values: object[]) => ({ filters: { properties: { type: "AND", values } } });
    const named = (value: string) => filters({ type: "person", key: "name", operator: "exact", value });
    // Such cohorts are made by experiments, of people who were exposed.
    const did = async (id: number, key: string) => {
      const row = { type: "behavioral", key, value: "performed_event", event_type: "events" };
      const tree = JSON.stringify({ properties: { type: "AND", values: [row] } });
      await service.db.execute(sql`update cohorts set filters = ${tree}::json where id = ${id}`);
      return id;
    };
    const token = service.token;
    await service.api("POST", "/capture/", { api_key: token, event: "checked in", distinct_id: "zoe" });
    const ids = {
      list: await cohort("In a list", { is_static: true, distinct_ids: ["zoe"] }),
      conditions: await cohort("By conditions", named("Zoe Ångström")),
      behavior: await did(await cohort("By what they did", named("Bob")), "checked in"),
      others: await cohort("Others", named("Bob")),
      idle: await did(await cohort("By what they did not do", named("Bob")), "checked out"),
      gone: await cohort("Deleted", named("Zoe Ångström")),
    };
    await service.api("PATCH", `${root}/cohorts/${ids.gone}/`, { deleted: true });
    const person = await selectPersonByDistinctId(service.db, 1, "zoe");
    const { json } = await get(`${root}/persons/${person?.uuid}/cohorts/`);
    const ours = new Set<number>(Object.values(ids));
    expect(json.results.filter(({ id }: { id: number }) => ours.has(id))).toEqual([
      { id: ids.conditions, name: "By conditions", is_static: false },
      { id: ids.behavior, name: "By what they did", is_static: false },
      { id: ids.list, name: "In a list", is_static: true },
    ]);
  });

  it("has the flags that an SDK would see, and why", async () => {
    const pro = {
      properties: [{ key: "plan", type: "person", value: ["pro"], operator: "exact" }],
      rollout_percentage: 100,
    };
    const made = await service.api("POST", `${root}/feature_flags/`, {
      key: "pro-only",
      filters: { groups: [pro], payloads: { true: '{"a":1}' } },
    });
    expect(made.status).toBe(201);
    await service.api("POST", `${root}/feature_flags/`, {
      key: "off",
      active: false,
      filters: { groups: [{}] },
    });
    // The flag that a survey keeps for its own audience is in no list of flags, nor in this one.
    const survey = await service.api("POST", `${root}/surveys/`, {
      name: "Why?",
      type: "popover",
      questions: [{ type: "open", question: "Why?" }],
      targeting_flag_filters: { groups: [pro] },
    });
    expect(survey.json.targeting_flag, survey.text).toMatchObject({ active: expect.any(Boolean) });
    const flagsOf = async (distinctId: string) => {
      const [{ id }] = (await get(`${root}/persons/?distinct_id=${distinctId}`)).json.results;
      return (await get(`${root}/persons/${id}/feature_flags/`)).json;
    };
    const paying = await flagsOf("user-1");
    expect(paying.distinct_id).toBe("user-1");
    expect(paying.results).toEqual([
      expect.objectContaining({
        key: "off",
        active: false,
        value: false,
        payload: null,
        evaluation: { reason: "disabled", condition_index: null },
      }),
      expect.objectContaining({
        id: made.json.id,
        key: "pro-only",
        active: true,
        value: true,
        payload: '{"a":1}',
        evaluation: { reason: "condition_match", condition_index: 0 },
      }),
    ]);
    expect((await flagsOf("user-0")).results[1]).toMatchObject({
      value: false,
      evaluation: { reason: "no_condition_match" },
    });
  });

  it("has beside them what applications received last, and which ids get something else", async () => {
    const halves = { groups: [{ properties: [], rollout_percentage: 50 }] };
    expect(
      (await service.api("POST", `${root}/feature_flags/`, { key: "half", filters: halves })).status,
    ).toBe(201);
    const at = Date.parse("2026-04-01T12:00:00Z");
    const called = (id: string, flag: string, value: unknown, minutes: number, more = {}) => ({
      ...eventOf("$feature_flag_called", id, {
        $feature_flag: flag,
        ...(value === undefined ? {} : { $feature_flag_response: value }),
        ...more,
      }),
      at: at + minutes * 60_000,
    });
    const ids = Array.from({ length: 8 }, (_, n) => `served-${n}`);
    await service.runtime.events.write(1, [
      eventOf("$identify", "served-0", { $set: { plan: "pro" } }),
      ...ids.slice(1).map((alias) => eventOf("$create_alias", "served-0", { alias })),
      called("served-1", "pro-only", false, 3, {
        $lib: "posthog-node",
        $lib_version: "5.1.0",
        $feature_flag_version: 2,
      }),
      called("served-0", "pro-only", true, 1),
      called("served-0", "off", false, 2, { $lib: 7, $feature_flag_version: "two" }),
      called("served-0", "gone", true, 4),
      called("served-0", "half", undefined, 5),
      called("zoe", "pro-only", "other", 9),
    ]);
    const person = await selectPersonByDistinctId(service.db, 1, "served-0");
    const read = async (query = "") =>
      (await get(`${root}/persons/${person?.uuid}/feature_flags/${query}`)).json;
    const found = await read();
    expect(found).toMatchObject({ distinct_id: "served-0", served_since: null });
    const byKey = new Map(found.results.map((flag: { key: string }) => [flag.key, flag]));
    expect(byKey.get("pro-only")).toMatchObject({
      value: true,
      differs: true,
      other_ids: [],
      served: {
        value: false,
        timestamp: "2026-04-01T12:03:00.000000Z",
        distinct_id: "served-1",
        lib: "posthog-node",
        lib_version: "5.1.0",
        flag_version: 2,
      },
    });
    expect(byKey.get("off")).toMatchObject({
      differs: false,
      served: { value: false, lib: null, lib_version: null, flag_version: null },
    });
    expect(byKey.has("gone")).toBe(false);
    expect(byKey.get("half")).toMatchObject({ differs: true, served: { value: null } });
    // What is said of the other ids is what each of them gets when it is evaluated.
    const half = async (id: string) =>
      (await read(`?distinct_id=${id}`)).results.find((flag: { key: string }) => flag.key === "half");
    const values = await Promise.all(ids.map(async (id) => [id, (await half(id)).value] as const));
    expect(new Set(values.map(([, value]) => value)).size).toBe(2);
    const own = values[0]?.[1];
    const others = values.filter(([, value]) => value !== own);
    expect((await half("served-0")).other_ids).toEqual(
      others.map(([distinct_id, value]) => ({ distinct_id, value })),
    );
    // What an id was served is compared with what that id gets, whichever is evaluated for.
    const [other] = others[0] ?? [];
    await service.runtime.events.write(1, [called(other ?? "", "half", !own, 20)]);
    expect(await half("served-0")).toMatchObject({
      value: own,
      served: { value: !own, distinct_id: other },
      differs: false,
    });
    await service.runtime.events.write(1, [called("served-0", "half", !own, 21)]);
    expect((await half("served-0")).differs).toBe(true);
    expect((await half(other ?? "")).differs).toBe(true);
    const plain = await selectPersonByDistinctId(service.db, 1, "user-3");
    const nothing = (await get(`${root}/persons/${plain?.uuid}/feature_flags/`)).json.results;
    for (const flag of nothing) expect(flag).toMatchObject({ served: null, differs: null, other_ids: [] });
  });

  it.each([
    { query: "distinct_id=user-1", attr: "distinct_id" },
    { query: "groups=%5B%5D", attr: "groups" },
    { query: "groups=no", attr: "groups" },
  ])("is not evaluated for $query", async ({ query, attr }) => {
    const person = await selectPersonByDistinctId(service.db, 1, "zoe");
    const reply = await get(`${root}/persons/${person?.uuid}/feature_flags/?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.json.attr).toBe(attr);
  });
});

describe("events", () => {
  it("are listed newest first, a page at a time", async () => {
    const at = Date.parse("2026-03-01T12:00:00Z");
    const sent = Array.from({ length: 25 }, (_, n) => ({
      ...eventOf(n % 2 === 0 ? "even" : "odd", n % 3 === 0 ? "page-a" : "page-b"),
      // Several share a moment: a page may end between them.
      at: at + Math.floor(n / 4) * 1000,
    }));
    await service.runtime.events.write(1, [eventOf("$create_alias", "page-a", { alias: "page-b" })]);
    await service.runtime.events.write(1, sent);
    const person = await selectPersonByDistinctId(service.db, 1, "page-b");
    const read = async (query: string) => {
      const found: { id: string; timestamp: string; event: string; distinct_id: string }[] = [];
      for (let address = `${root}/events/?limit=7&${query}`; address; ) {
        const { status, json } = await get(address);
        expect(status).toBe(200);
        found.push(...json.results);
        address = json.next ? json.next.replace("http://switchyard.test", "") : "";
      }
      return found.filter((event) => event.event !== "$create_alias");
    };
    const all = await read(`person_id=${person?.uuid}`);
    expect(all.map((event) => event.id).sort()).toEqual(sent.map((event) => event.uuid).sort());
    const moments = all.map((event) => event.timestamp);
    expect(moments).toEqual(moments.toSorted().reverse());
    expect(await read(`person_id=${person?.id}&event=odd`)).toHaveLength(12);
    expect(await read("distinct_id=page-a")).toHaveLength(9);
    expect(await read("event=even")).toHaveLength(13);
    expect(await read("before=2026-03-01T12:00:01Z")).toHaveLength(4);
    expect((await read("")).length).toBeGreaterThan(250);
  });

  it.each([
    { query: "before=yesterday", status: 400 },
    { query: "before=2026-01-01,no", status: 400 },
    { query: "person_id=zoe", status: 400 },
    { query: "person_id=999999", status: 404 },
    { query: "event=%00", status: 400 },
    { query: "distinct_id=%00", status: 400 },
  ])("answer $query with $status", async ({ query, status }) => {
    expect((await get(`${root}/events/?${query}`)).status).toBe(status);
  });
});

describe("groups", () => {
  it("are listed by type", async () => {
    expect((await get(`${root}/groups_types/`)).json).toEqual([
      { group_type: "company", group_type_index: 0, name_singular: null, name_plural: null },
    ]);
    const { json } = await get(`${root}/groups/?group_type_index=0`);
    expect(json).toMatchObject({
      count: 2,
      next: null,
      results: [
        { group_type_index: 0, group_key: "acme", group_properties: { name: "Acme Inc" } },
        { group_type_index: 0, group_key: "bolt", group_properties: {} },
      ],
    });
    expect((await get(`${root}/groups/?group_type_index=0&search=ACME%20I`)).json.count).toBe(1);
    expect((await get(`${root}/groups/?group_type_index=1`)).json.count).toBe(0);
    expect((await get(`${root}/groups/`)).json).toMatchObject({ code: "required", attr: "group_type_index" });
    expect((await get(`${root}/groups/?group_type_index=9`)).status).toBe(400);
  });
});

describe("requests of every shape", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const row = fc.record(
    {
      key: fc.oneof(fc.constantFrom("plan", "email", "__proto__", "distinct_id"), json),
      type: fc.oneof(fc.constantFrom("person", "cohort", "behavioral", "flag"), json),
      operator: fc.oneof(fc.constantFrom("exact", "regex", "gt", "in", "is_date_before", "is_set"), json),
      value: fc.oneof(fc.constantFrom("pro", ["pro"], 1, "(", "-7d"), json),
      negation: json,
    },
    { requiredKeys: [] },
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      row,
      fc.record({ type: fc.constantFrom("AND", "OR", 1), values: fc.array(tie("node"), { maxLength: 3 }) }),
    ),
  })).node;
  const cohort = fc.record(
    {
      name: fc.oneof(fc.string(), json),
      filters: fc.oneof(fc.record({ properties: tree }), json),
      is_static: fc.oneof(fc.boolean(), json),
      distinct_ids: fc.oneof(fc.constantFrom(["zoe"], ["nobody"]), json),
      person_ids: json,
      deleted: fc.oneof(fc.boolean(), json),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("1", "-1", "%", "\\", "1e9", "9".repeat(20)),
  );
  const list = fc.record(
    {
      search: text,
      limit: text,
      offset: text,
      before: text,
      distinct_id: text,
      properties: fc.oneof(
        text,
        fc.array(row, { maxLength: 3 }).map((rows) => JSON.stringify(rows)),
      ),
    },
    { requiredKeys: [] },
  );

  it("never bring a 5xx, and what is refused leaves nothing behind", async () => {
    const kept = (await service.api("POST", `${root}/cohorts/`, { name: "Kept", is_static: true })).json.id;
    const traces = async () => {
      const { rows } = await service.db.execute(
        sql`select (select count(*) from cohorts) + (select count(*) from cohort_people)
          + (select count(*) from activity_log) as all`,
      );
      return rows[0]?.all;
    };
    await fc.assert(
      fc.asyncProperty(cohort, list, async (body, query) => {
        const calls = [
          ["POST", "cohorts/"],
          ["PATCH", `cohorts/${kept}/`],
          ["POST", `cohorts/${kept}/add_persons_to_static_cohort/`],
        ] as const;
        for (const [method, path] of calls) {
          const before = await traces();
          const reply = await service.api(method, `${root}/${path}`, body);
          expect(reply.status, reply.text).toBeLessThan(500);
          if (reply.status >= 400) expect(await traces()).toEqual(before);
        }
        const words = Object.entries(query).map(([name, value]) => [name, value.toWellFormed()]);
        const read = await get(`${root}/persons/?${new URLSearchParams(words)}`);
        expect(read.status, read.json?.detail).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});
