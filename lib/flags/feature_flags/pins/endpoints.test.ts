import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import { scheduledChangeDue } from "#lib/flags/scheduled_changes/run.ts";
import { addKey } from "#testing/accounts.ts";
import { finishErasures } from "#testing/erasures.ts";
import { eventOf } from "#testing/events.ts";
import { jobContext } from "#testing/jobs.ts";
import { createTestRelay } from "#testing/relay.ts";
import { type Service, startService } from "#testing/service.ts";
import { removeExpiredPins } from "./pins.ts";
import { PIN_IDS_MAX, PINS_MAX } from "./pins-contract.ts";

const PROJECT = "/api/projects/1";
const FLAGS = `${PROJECT}/feature_flags`;
const HOUR_MS = 3_600_000;
const VARIANTS = {
  groups: [{ rollout_percentage: 100, properties: [] }],
  multivariate: {
    variants: [
      { key: "control", rollout_percentage: 100 },
      { key: "test", rollout_percentage: 0 },
    ],
  },
};

let service: Service;
let made = 0;
let flag: { id: number; key: string };
/** Anna has two ids. */
let anna: { id: string };
beforeAll(async () => {
  service = await startService();
  anna = await personWith("anna", "anna-browser");
  await personWith("bob");
});
afterAll(() => service.close());
beforeEach(async () => {
  flag = await newFlag(VARIANTS);
});

const call = (method: string, path: string, body?: unknown, key?: string) =>
  service.api(method, `${FLAGS}/${path}`, body, key === undefined ? {} : { key });

async function personWith(id: string, ...others: string[]): Promise<{ id: string }> {
  await service.runtime.events.write(1, [
    eventOf("signed up", id, { $set: { email: `${id}@example.com` } }),
    ...others.map((other) => eventOf("$identify", id, { $anon_distinct_id: other })),
  ]);
  return (await service.api("GET", `${PROJECT}/persons/?distinct_id=${id}`)).json.results[0];
}

async function newFlag(filters: object = { groups: [{ rollout_percentage: 0 }] }) {
  made += 1;
  const reply = await call("POST", "", { key: `flag-${made}`, filters });
  expect(reply.status, reply.text).toBe(201);
  return reply.json as { id: number; key: string };
}

const pin = (body: object, of = flag.id, key?: string) => call("POST", `${of}/pins/`, body, key);

async function pinned(body: object, of = flag.id) {
  const reply = await pin(body, of);
  expect(reply.status, reply.text).toBe(201);
  return reply.json as { id: string; distinct_ids: string[] };
}

const pinsOf = async (id = flag.id) => (await call("GET", `${id}/pins/`)).json;

async function served(distinct_id: string, key = flag.key) {
  const reply = await service.api("POST", "/flags/?v=2", { token: service.token, distinct_id });
  return reply.json.flags[key];
}

const valueFor = async (distinct_id: string, key = flag.key) => {
  const { variant, enabled } = await served(distinct_id, key);
  return variant ?? enabled;
};

const definitionOf = async (key = flag.key) =>
  (await call("GET", "local_evaluation/")).json.flags.find((each: { key: string }) => each.key === key);

const activity = async (of = flag.id) => (await call("GET", `${of}/activity/`)).json.results;

describe("a pin", () => {
  it("gives a person a value under each of their ids, and nobody else", async () => {
    const until = new Date(Date.now() + HOUR_MS);
    const { status, json } = await pin({
      person_id: anna.id,
      value: "test",
      until: until.toISOString(),
      reason: " To look at it. ",
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      person: { id: anna.id, name: "anna@example.com" },
      distinct_ids: ["anna", "anna-browser"],
      value: "test",
      until: until.toISOString().replace("Z", "000Z"),
      reason: "To look at it.",
      created_by: { id: 1 },
      problem: null,
    });
    expect(await pinsOf()).toMatchObject({ count: 1, results: [json] });
    expect(await valueFor("anna")).toBe("test");
    expect(await valueFor("anna-browser")).toBe("test");
    expect(await valueFor("bob")).toBe("control");
    expect((await served("anna")).reason).toEqual({
      code: "condition_match",
      condition_index: null,
      description: "Pinned for this person",
    });
    const ofPerson = (await service.api("GET", `${PROJECT}/persons/${anna.id}/feature_flags/`)).json.results;
    expect(ofPerson.find((each: { key: string }) => each.key === flag.key)).toMatchObject({
      value: "test",
      evaluation: { reason: "pinned", condition_index: null },
      pin: { id: json.id, value: "test", reason: "To look at it." },
    });
    const reasons = (await call("GET", "evaluation_reasons/?distinct_id=anna")).json;
    expect(reasons[flag.key].evaluation).toEqual({ reason: "condition_match", condition_index: null });
    const tested = (await call("POST", "evaluate/", { id: flag.id, person_id: anna.id })).json;
    expect(tested.reason).toMatchObject({ code: "condition_match", set: null });
    expect(tested.reason.text).toContain("pinned");
  });

  it("is replaced by another one of the same person, and removed by its id", async () => {
    await pinned({ person_id: anna.id, value: "test" });
    const second = await pinned({ distinct_id: "anna-browser", value: false });
    expect((await pinsOf()).results.map((each: { id: string }) => each.id)).toEqual([second.id]);
    expect(await valueFor("anna")).toBe(false);
    expect((await served("anna")).reason.code).toBe("no_condition_match");
    expect((await call("DELETE", `${flag.id}/pins/${second.id}/`)).status).toBe(204);
    expect((await call("DELETE", `${flag.id}/pins/${second.id}/`)).status).toBe(404);
    expect(await valueFor("anna")).toBe("control");
  });

  it("reaches SDKs as conditions, without who or why", async () => {
    const before = await definitionOf();
    await pinned({ person_id: anna.id, value: "test", reason: "Because of reasons" });
    await pinned({ distinct_id: "bob", value: false });
    const definition = await definitionOf();
    expect(definition).toEqual({ ...before, filters: definition.filters });
    expect(definition.filters.groups).toHaveLength(2);
    const facts = { flag_id: flag.id, flag_key: flag.key, flags: new Map(), cohort_ids: new Set<number>() };
    expect(findFiltersProblem(definition.filters, facts)).toBeNull();
    const text = JSON.stringify(definition);
    for (const hidden of [anna.id, "reasons", "example.com", "pin"]) expect(text).not.toContain(hidden);
    expect((await call("GET", `${flag.id}/`)).json.filters).toEqual(before.filters);
  });

  it("is obeyed by relays", async () => {
    await pinned({ person_id: anna.id, value: "test", reason: "Because of reasons" });
    const relay = createTestRelay(service);
    try {
      await relay.poll();
      for (const [distinct_id, value] of [
        ["anna", "test"],
        ["bob", "control"],
      ]) {
        const request = new Request("http://relay.test/flags/?v=2", {
          method: "POST",
          body: JSON.stringify({ token: service.token, distinct_id }),
        });
        const { flags } = (await (await relay.handle(request)).json()) as { flags: Record<string, object> };
        expect(flags[flag.key]).toMatchObject({ variant: value });
      }
      const bundle = (await service.api("GET", "/api/relay_bundle/")).text;
      expect(bundle).not.toContain("reasons");
    } finally {
      await relay.close();
    }
  });

  it("is in the log, with who as no more than a UUID, and makes no version", async () => {
    const { id } = await pinned({ person_id: anna.id, value: "test", reason: "Because of reasons" });
    await pinned({ person_id: anna.id, value: false });
    const [second, first] = await activity();
    const logged = { person_id: anna.id, value: "test", until: null, id };
    expect(first.detail.changes).toEqual([
      { type: "FeatureFlag", field: "pins", action: "created", before: null, after: logged },
    ]);
    expect(second.detail.changes).toMatchObject([
      { action: "changed", before: logged, after: { person_id: anna.id, value: false } },
    ]);
    expect(JSON.stringify([first, second])).not.toMatch(/reasons|example\.com|anna-browser/);
    expect((await call("GET", `${flag.id}/`)).json.version).toBe(1);
  });
});

describe("what is refused", () => {
  it.each<[string, object, number, string]>([
    ["nobody", { value: "test" }, 400, "person_id"],
    ["two names of one", { person_id: "x", distinct_id: "anna", value: "test" }, 400, "person_id"],
    ["an unknown person", { distinct_id: "nobody", value: "test" }, 400, "distinct_id"],
    ["no value", { distinct_id: "bob" }, 400, "value"],
    ["a value of another type", { distinct_id: "bob", value: 1 }, 400, "value"],
    ["an unknown variant", { distinct_id: "bob", value: "nope" }, 400, "value"],
    ["true, where there are variants", { distinct_id: "bob", value: true }, 400, "value"],
    ["the past", { distinct_id: "bob", value: "test", until: "2020-01-01T00:00:00Z" }, 400, "until"],
    ["no moment", { distinct_id: "bob", value: "test", until: "soon" }, 400, "until"],
    ["a long reason", { distinct_id: "bob", value: "test", reason: "x".repeat(401) }, 400, "reason"],
  ])("%s", async (_, body, status, attr) => {
    const reply = await pin(body);
    expect([reply.status, reply.json.attr], reply.text).toEqual([status, attr]);
    expect((await pinsOf()).count).toBe(0);
  });

  it("people with more ids than a pin covers, and more pins than a flag has", async () => {
    await personWith("many", ...Array.from({ length: PIN_IDS_MAX }, (_, i) => `many-${i}`));
    expect((await pin({ distinct_id: "many", value: "test" })).json.detail).toContain("21 distinct ids");
    await personWith("long", "x".repeat(390), "y".repeat(390), "z".repeat(390));
    expect((await pin({ distinct_id: "long", value: "test" })).json.detail).toContain("too long");
    const ids = Array.from({ length: PINS_MAX + 5 }, (_, i) => `one-${i}`);
    for (const id of ids) await personWith(id);
    const replies = await Promise.all(ids.map((distinct_id) => pin({ distinct_id, value: "test" })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(PINS_MAX);
    expect((await pinsOf()).count).toBe(PINS_MAX);
  });

  it("other projects' flags and people, and keys without the scopes", async () => {
    const { json: second } = await service.api("POST", "/api/projects/", {
      name: "Second",
    });
    const there = `/api/projects/${second.id}/feature_flags`;
    const { json: theirs } = await service.api("POST", `${there}/`, { key: "theirs" });
    const elsewhere = await service.api("POST", `${there}/${theirs.id}/pins/`, {
      person_id: anna.id,
      value: true,
    });
    expect([elsewhere.status, elsewhere.json.attr]).toEqual([400, "person_id"]);
    const { id } = await pinned({ person_id: anna.id, value: "test" });
    expect((await pin({ person_id: anna.id, value: true }, theirs.id)).status).toBe(404);
    expect((await call("GET", `${theirs.id}/pins/`)).status).toBe(404);
    expect((await service.api("DELETE", `${there}/${theirs.id}/pins/${id}/`)).status).toBe(404);
    const keyWith = async (...scopes: string[]) => (await addKey(service.db, 1, { scopes })).value;
    const body = { person_id: anna.id, value: "test" };
    const [flagWriter, personReader, flagReader] = await Promise.all([
      keyWith("feature_flag:write"),
      keyWith("person:read"),
      keyWith("feature_flag:read"),
    ]);
    for (const key of [flagWriter, personReader, flagReader])
      expect((await pin(body, flag.id, key)).status).toBe(403);
    expect((await call("GET", `${flag.id}/pins/`, undefined, flagReader)).status).toBe(403);
    expect((await call("GET", `${flag.id}/pins/`, undefined, personReader)).status).toBe(200);
    expect((await call("DELETE", `${flag.id}/pins/${id}/`, undefined, personReader)).status).toBe(403);
    expect((await call("DELETE", `${flag.id}/pins/${id}/`, undefined, flagWriter)).status).toBe(204);
  });

  it("deleted flags, until they are restored", async () => {
    await call("PATCH", `${flag.id}/`, { deleted: true });
    expect((await pin({ distinct_id: "bob", value: "test" })).json.detail).toContain("restore the flag");
  });
});

describe("other writes of a flag", () => {
  it.each<[string, () => Promise<unknown>]>([
    [
      "that replace the targeting, with pins of their own",
      () => call("PATCH", `${flag.id}/`, { filters: { ...VARIANTS, pins: [] }, pins: [] }),
    ],
    [
      "that send back what was read",
      async () => call("PUT", `${flag.id}/`, (await call("GET", `${flag.id}/`)).json),
    ],
    [
      "that are scheduled",
      async () => {
        const at = new Date(Date.now() + HOUR_MS);
        const value = { filters: VARIANTS, name: "Later" };
        const { json } = await service.api("POST", `${PROJECT}/scheduled_changes/`, {
          record_id: flag.id,
          model_name: "FeatureFlag",
          payload: { operation: "update", value },
          scheduled_at: at,
        });
        await scheduledChangeDue.run(jobContext(service.runtime, { now: at, payload: { id: json.id } }));
        expect((await call("GET", `${flag.id}/`)).json.name).toBe("Later");
      },
    ],
    [
      "that delete and restore it",
      async () => {
        await call("PATCH", `${flag.id}/`, { deleted: true });
        await call("PATCH", `${flag.id}/`, { deleted: false });
      },
    ],
  ])("%s keep the pins", async (_, write) => {
    const { id } = await pinned({ person_id: anna.id, value: "test" });
    await write();
    expect((await pinsOf()).results).toMatchObject([{ id, value: "test" }]);
    expect(await valueFor("anna")).toBe("test");
  });

  it("at the same time lose nothing", async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `parallel-${i}`);
    for (const id of ids) await personWith(id);
    await Promise.all(
      ids.flatMap((distinct_id, i) => [
        pinned({ distinct_id, value: "test" }),
        call("PATCH", `${flag.id}/`, { filters: VARIANTS, name: `Edit ${i}` }),
      ]),
    );
    expect((await pinsOf()).count).toBe(ids.length);
    expect((await call("GET", `${flag.id}/`)).json.version).toBe(1 + ids.length);
  });

  it("can take the effect of a pin, which is then shown as it is everywhere", async () => {
    await pinned({ person_id: anna.id, value: "test" });
    await call("PATCH", `${flag.id}/`, { filters: { groups: [{ rollout_percentage: 100 }] } });
    expect((await pinsOf()).results).toMatchObject([
      { problem: "There is no variant test in this flag.", value: "test" },
    ]);
    expect(await valueFor("anna")).toBe(true);
    expect((await definitionOf()).filters.groups).toHaveLength(1);
    await call("PATCH", `${flag.id}/`, { filters: VARIANTS });
    expect(await valueFor("anna")).toBe("test");
  });

  it("do not copy pins", async () => {
    await pinned({ person_id: anna.id, value: "test" });
    const { json: record } = await call("GET", `${flag.id}/`);
    const { json: copy } = await call("POST", "", { ...record, key: `copy-${made}` });
    expect((await pinsOf(copy.id)).count).toBe(0);
    expect(await valueFor("anna", copy.key)).toBe("control");
  });

  it("tell who changes without those who are pinned", async () => {
    await pinned({ person_id: anna.id, value: "test" });
    const off = { id: flag.id, filters: { ...VARIANTS, groups: [{ rollout_percentage: 0 }] } };
    const { json } = await call("POST", "who_changes/", off);
    expect(json.total - json.changed).toBe(1);
    expect(json.pinned).toBe(1);
    expect(json.cells).toContainEqual({ before: "test", after: "test", count: 1 });
  });
});

describe("a pin that expires", () => {
  it("has no effect from that moment on, and is removed with a cause in the log", async () => {
    const until = new Date(Date.now() + HOUR_MS);
    await pinned({ person_id: anna.id, value: "test", until: until.toISOString() });
    const other = await pinned({ distinct_id: "bob", value: "test" });
    const run = (now: Date) => removeExpiredPins.run(jobContext(service.runtime, { now }));
    await run(new Date(until.getTime() - 1));
    expect((await pinsOf()).count).toBe(2);
    await run(until);
    expect((await pinsOf()).results.map((each: { id: string }) => each.id)).toEqual([other.id]);
    expect(await valueFor("anna")).toBe("control");
    expect((await definitionOf()).filters.groups).toHaveLength(2);
    const [entry] = await activity();
    expect(entry).toMatchObject({
      user: { is_system: true },
      detail: {
        trigger: { job_type: "pin_expiry" },
        changes: [{ field: "pins", action: "deleted", before: { person_id: anna.id }, after: null }],
      },
    });
    await run(until);
    expect((await activity())[0].id).toBe(entry.id);
  });

  it("is not served or listed before that job has run", async () => {
    await pinned({ person_id: anna.id, value: "test", until: new Date(Date.now() + 60_000).toISOString() });
    await service.db.execute(sql`
      update feature_flags set pins = jsonb_set(pins, '{0,until}', '"2026-01-01T00:00:00Z"') where id = ${flag.id}`);
    service.runtime.flags.changed(1, [flag.id]);
    await service.runtime.flags.project(1);
    expect(await valueFor("anna")).toBe("control");
    expect((await pinsOf()).count).toBe(0);
  });
});

describe("experiments", () => {
  const create = (fields: object) =>
    service.api("POST", `${PROJECT}/experiments/`, {
      name: "Checkout",
      feature_flag_key: flag.key,
      metrics: [],
      ...fields,
    });
  const start_date = new Date().toISOString();

  it("that run keep people from being pinned, until they end", async () => {
    const { json } = await create({ start_date });
    expect((await pin({ person_id: anna.id, value: "test" })).json.detail).toContain("Checkout");
    await service.api("PATCH", `${PROJECT}/experiments/${json.id}/`, { end_date: new Date().toISOString() });
    await pinned({ person_id: anna.id, value: "test" });
    const resumed = await service.api("PATCH", `${PROJECT}/experiments/${json.id}/`, { end_date: null });
    expect([resumed.status, resumed.json.attr], resumed.text).toEqual([400, "start_date"]);
  });

  it("are not launched while people are pinned", async () => {
    const { id } = await pinned({ person_id: anna.id, value: "test" });
    expect((await create({ start_date })).json.detail).toContain("1 person is pinned");
    const { json: draft } = await create({});
    const launch = () => service.api("PATCH", `${PROJECT}/experiments/${draft.id}/`, { start_date });
    expect((await launch()).status).toBe(400);
    await call("DELETE", `${flag.id}/pins/${id}/`);
    expect((await launch()).status).toBe(200);
  });
});

describe("erasing a person", () => {
  it("removes their pins from wherever they are; exports have them before", async () => {
    const canary = await personWith("canary-id", "canary-browser");
    await pinned({ person_id: canary.id, value: "test", reason: "canary reason" });
    const { id: other } = await pinned({ person_id: anna.id, value: "test" });
    const exported = (await service.api("GET", `${PROJECT}/persons/${canary.id}/export/`)).json;
    expect(exported.feature_flag_pins).toMatchObject([
      { flag_key: flag.key, value: "test", until: null, reason: "canary reason" },
    ]);
    const { json: stored } = await service.api("GET", `${PROJECT}/persons/${canary.id}/stored/`);
    expect(stored.stored.feature_flag_pins).toBe(1);
    const { json } = await service.api("DELETE", `${PROJECT}/persons/${canary.id}/?delete_events=true`);
    await finishErasures(service);
    service.runtime.flags.drop();
    const { json: erasure } = await service.api("GET", `${PROJECT}/erasures/${json.id}/`);
    expect(erasure.removed).toMatchObject({ feature_flag_pins: 1 });
    expect((await pinsOf()).results.map((each: { id: string }) => each.id)).toEqual([other]);
    expect(JSON.stringify(await definitionOf())).not.toContain("canary");
    const { rows: tables } = await service.db.execute<{ name: string }>(
      sql`select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const holding = [];
    for (const { name } of tables) {
      const { rows } = await service.db.execute(
        sql`select 1 from ${sql.identifier(name)} t where t::text like '%canary%' limit 1`,
      );
      if (rows.length > 0) holding.push(name);
    }
    expect(holding).toEqual([]);
  });
});
