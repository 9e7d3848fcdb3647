import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approval_policies, approved_states, change_requests } from "#lib/platform/db/tables/approvals.ts";
import { rampTick } from "#lib/ramps/run.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { finishErasures } from "#testing/erasures.ts";
import { jobContext } from "#testing/jobs.ts";
import { ENCRYPTION_KEY, type Reply, type Service, startService } from "#testing/service.ts";
import { openCalls } from "./calls.ts";

const PROJECT = "/api/projects/1/";
const FLAGS = `${PROJECT}feature_flags/`;
const REQUESTS = `${PROJECT}change_requests/`;
const PEOPLE = 200;

let service: Service;
/** Two members who may approve, and whoever asks (an administrator). */
let ada: string;
let bob: string;
let made = 0;

beforeAll(async () => {
  service = await startService();
  const { api, db, runtime } = service;
  const organization = (await api("GET", "/api/organizations/@current/")).json.id;
  const people = await Promise.all(
    ["ada@home.test", "bob@home.test"].map((email) => addPerson(db, email, { [organization]: 1 })),
  );
  const keys = await Promise.all(people.map(({ id }) => addKey(db, id)));
  [ada, bob] = keys.map(({ value }) => value) as [string, string];
  runtime.directory.drop();
  await addPeople(0, PEOPLE, "free");
});
afterAll(() => service.close());
beforeEach(async () => {
  const { db, runtime } = service;
  for (const table of [approval_policies, approved_states, change_requests]) await db.delete(table);
  runtime.policies.drop();
});

/** People with a plan. */
async function addPeople(from: number, count: number, plan: string) {
  const batch = Array.from({ length: count }, (_, at) => ({
    event: "$identify",
    distinct_id: `person-${from + at}`,
    properties: { $set: { plan, number: from + at } },
  }));
  const { status } = await service.api("POST", "/batch/", { api_key: service.token, batch });
  expect(status).toBe(200);
}

const filters = (rollout_percentage: number, properties: unknown[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});

async function newFlag(fields: object = {}) {
  made += 1;
  const reply = await service.api("POST", FLAGS, { key: `flag-${made}`, filters: filters(0), ...fields });
  expect(reply.status, reply.text).toBe(201);
  return reply.json as { id: number; key: string };
}

async function addPolicy(conditions: object = { type: "impact", share_above: 1 }, more: object = {}) {
  const reply = await service.api("POST", `${PROJECT}approval_policies/`, {
    action_key: "change",
    conditions,
    approver_config: { quorum: 1 },
    ...more,
  });
  expect(reply.status, reply.text).toBe(201);
}

const save = (id: number, body: object, key?: string) =>
  service.api("PATCH", `${FLAGS}${id}/`, body, key === undefined ? {} : { key });
const stored = async (id: number) => (await service.api("GET", `${FLAGS}${id}/`)).json;
const rolloutOf = async (id: number) => (await stored(id)).filters.groups[0].rollout_percentage;
const decide = (id: string, verb: string, key: string, body: object = {}) =>
  service.api("POST", `${REQUESTS}${id}/${verb}/`, body, { key });

async function held(reply: Promise<Reply>) {
  const { status, json, text } = await reply;
  expect(status, text).toBe(202);
  return json.change_request;
}

describe("a write", () => {
  it("goes through without policies", async () => {
    const flag = await newFlag();
    expect((await save(flag.id, { filters: filters(100) })).status).toBe(200);
  });

  it("goes through below the share that a policy names, and is held above it, with nothing written", async () => {
    const flag = await newFlag();
    await addPolicy();
    const first = await save(flag.id, { name: "Another name" });
    expect(first.status, first.text).toBe(200);
    const request = await held(save(flag.id, { filters: filters(50) }));
    expect(request).toMatchObject({
      state: "pending",
      resource_type: "feature_flag",
      resource_id: String(flag.id),
      action_key: "feature_flag.update",
      approvals_missing: 1,
      is_requester: true,
      needed_scopes: ["feature_flag:write"],
      can_approve: false,
      can_bypass: true,
    });
    expect(request.impact.total).toBe(PEOPLE);
    expect(request.impact.changed).toBeGreaterThan(PEOPLE * 0.3);
    expect(await rolloutOf(flag.id)).toBe(0);
  });

  it("is held for what several small ones add up to", async () => {
    const flag = await newFlag();
    await addPolicy({ type: "impact", share_above: 20 });
    let free = 0;
    for (let share = 5; share <= 100; share += 5) {
      const { status } = await save(flag.id, { filters: filters(share) });
      if (status === 202) break;
      expect(status).toBe(200);
      free = share;
    }
    expect(free).toBeGreaterThan(5);
    expect(free).toBeLessThan(35);
    expect(await rolloutOf(flag.id)).toBe(free);
  });

  it("is held when it creates a flag that is on for everybody", async () => {
    await addPolicy();
    const key = `created-${made}`;
    const request = await held(service.api("POST", FLAGS, { key, filters: filters(100) }));
    expect(request.impact).toMatchObject({ changed: PEOPLE, total: PEOPLE });
    const { json } = await service.api("GET", `${FLAGS}?search=${key}`);
    expect(json.count).toBe(0);
    expect((await decide(request.id, "approve", ada)).json.status).toBe("applied");
    expect((await service.api("GET", `${FLAGS}?search=${key}`)).json.count).toBe(1);
  });

  it("of a cohort is held for the flags that it decides", async () => {
    const cohort = await service.api("POST", `${PROJECT}cohorts/`, {
      name: "Paying",
      filters: { properties: { type: "AND", values: [{ key: "plan", value: "paid", type: "person" }] } },
    });
    expect(cohort.status, cohort.text).toBe(201);
    await newFlag({
      filters: filters(100, [{ key: "id", type: "cohort", value: cohort.json.id, operator: "in" }]),
    });
    await addPolicy();
    const request = await held(
      service.api("PATCH", `${PROJECT}cohorts/${cohort.json.id}/`, {
        filters: { properties: { type: "AND", values: [{ key: "plan", value: "free", type: "person" }] } },
      }),
    );
    expect(request).toMatchObject({ resource_type: "cohort", impact: { changed: PEOPLE } });
  });

  it("of a static cohort is held for the people added in small steps, and names nobody any more who is erased", async () => {
    const list = await service.api("POST", `${PROJECT}cohorts/`, { name: "List", is_static: true });
    await newFlag({
      filters: filters(100, [{ key: "id", type: "cohort", value: list.json.id, operator: "in" }]),
    });
    await addPolicy({ type: "impact", share_above: 2 });
    const add = (at: number) =>
      service.api("POST", `${PROJECT}cohorts/${list.json.id}/add_persons_to_static_cohort/`, {
        distinct_ids: [`person-${at}`],
      });
    const statuses = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await add(at)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 202, 202]);
    const [sixth] = (await service.api("GET", `${PROJECT}persons/?distinct_id=person-5`)).json.results;
    await service.api("DELETE", `${PROJECT}persons/${sixth.id}/?delete_events=true`);
    await finishErasures(service);
    const stored = await service.db.select().from(change_requests);
    const calls = JSON.stringify([stored, stored.map((row) => openCalls(row.calls, ENCRYPTION_KEY))]);
    expect(calls).toContain("person-4");
    expect(calls).not.toContain("person-5");
    await addPeople(5, 1, "free");
  });

  it("of pins is held for the people pinned in small steps, and names nobody any more who is erased", async () => {
    const flag = await newFlag();
    await addPolicy({ type: "impact", share_above: 1 });
    const pins = `${FLAGS}${flag.id}/pins/`;
    const pin = (at: number) =>
      service.api("POST", pins, { distinct_id: `person-${at}`, value: true, reason: "Secret" });
    expect([(await pin(0)).status, (await pin(1)).status]).toEqual([201, 201]);
    const request = await held(pin(2));
    expect(request).toMatchObject({ resource_type: "feature_flag", impact: { changed: 3, total: PEOPLE } });
    expect((await service.api("GET", pins)).json.count).toBe(2);
    expect((await decide(request.id, "approve", ada)).json.status).toBe("applied");
    expect((await service.api("GET", pins)).json.count).toBe(3);
    // What was approved is what later changes are compared with.
    expect((await pin(3)).status).toBe(201);
    const { results } = (await service.api("GET", pins)).json;
    expect((await service.api("DELETE", `${pins}${results[3].id}/`)).status).toBe(204);

    expect([(await pin(4)).status, (await pin(5)).status]).toEqual([201, 201]);
    const pending = await held(pin(6));
    const [third] = (await service.api("GET", `${PROJECT}persons/?distinct_id=person-2`)).json.results;
    const [seventh] = (await service.api("GET", `${PROJECT}persons/?distinct_id=person-6`)).json.results;
    for (const { id } of [third, seventh])
      await service.api("DELETE", `${PROJECT}persons/${id}/?delete_events=true`);
    await finishErasures(service);
    const stored = await service.db.select().from(change_requests);
    const calls = stored.map((row) => openCalls(row.calls, ENCRYPTION_KEY));
    const states = await service.db.select().from(approved_states);
    expect(JSON.stringify([stored, calls, states])).not.toMatch(/person-[26]|Secret/);
    // The pin that was removed with its person has changed the flag.
    expect((await decide(pending.id, "approve", ada)).json.status).toBe("expired");
  });

  it("that was requested lapses when the pins of its flag have changed", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(100) }));
    const pinned = await service.api("POST", `${FLAGS}${flag.id}/pins/`, {
      distinct_id: "person-7",
      value: false,
    });
    expect(pinned.status, pinned.text).toBe(201);
    expect((await decide(request.id, "approve", ada)).json.status).toBe("expired");
  });

  it("is refused where a policy forbids it, and lets a bypass through", async () => {
    const flag = await newFlag();
    await addPolicy({ type: "impact", share_above: 50 }, { forbidden: true, approver_config: undefined });
    const refused = await save(flag.id, { filters: filters(100) });
    expect(refused.status, refused.text).toBe(403);
    const request = await service.api("POST", REQUESTS, {
      changes: [{ method: "PATCH", path: `${FLAGS}${flag.id}/`, body: { filters: filters(100) } }],
    });
    expect(request.status, request.text).toBe(201);
    const approved = await decide(request.json.id, "approve", ada);
    expect(approved.status).toBe(403);
    expect(await rolloutOf(flag.id)).toBe(0);
    const without = await decide(request.json.id, "bypass", service.key);
    expect(without.status).toBe(400);
    const bypass = await decide(request.json.id, "bypass", service.key, { reason: "Checkout is down." });
    expect(bypass.json).toMatchObject({
      status: "applied",
      change_request: { state: "applied", bypass_reason: "Checkout is down." },
    });
    expect(await rolloutOf(flag.id)).toBe(100);
  });
});

describe("a request", () => {
  it("is applied by its last approval, in the name of who made it", async () => {
    const flag = await newFlag();
    await addPolicy({}, { approver_config: { quorum: 2 } });
    const request = await held(save(flag.id, { filters: filters(80) }));
    const own = await decide(request.id, "approve", service.key);
    expect(own.status).toBe(403);
    const first = await decide(request.id, "approve", ada, { reason: "Fine." });
    expect(first.json).toMatchObject({ status: "approved", change_request: { approvals_missing: 1 } });
    expect((await decide(request.id, "approve", ada)).status).toBe(400);
    expect(await rolloutOf(flag.id)).toBe(0);
    const last = await decide(request.id, "approve", bob);
    expect(last.json, last.text).toMatchObject({ status: "applied", change_request: { state: "applied" } });
    expect(await rolloutOf(flag.id)).toBe(80);
    expect((await decide(request.id, "approve", bob)).status).toBe(400);
    const { json } = await service.api("GET", `${PROJECT}activity_log/?scope=ChangeRequest`);
    expect(json.results.map((entry: { activity: string }) => entry.activity)).toEqual(
      expect.arrayContaining(["created", "approved", "applied"]),
    );
  });

  it("can be of what no policy is about", async () => {
    const flag = await newFlag();
    const changes = [{ method: "PATCH", path: `${FLAGS}${flag.id}/`, body: { name: "Proposed" } }];
    const { json } = await service.api("POST", REQUESTS, { changes });
    expect(json).toMatchObject({ title: `Change ${flag.key}`, impact: { changed: 0 }, can_apply: true });
    expect((await decide(json.id, "apply", service.key)).json.status).toBe("applied");
    expect((await stored(flag.id)).name).toBe("Proposed");
  });

  it("changes several records, or none of them", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const change = (id: number, body: object) => ({ method: "PATCH", path: `${FLAGS}${id}/`, body });
    const propose = (...changes: object[]) => service.api("POST", REQUESTS, { title: "Both", changes });
    const wrong = await propose(
      change(one.id, { filters: filters(10) }),
      change(other.id, { filters: { groups: [{ properties: [], rollout_percentage: 300 }] } }),
    );
    expect(wrong.status).toBe(400);
    expect(await rolloutOf(one.id)).toBe(0);
    const { status, json, text } = await propose(
      change(one.id, { filters: filters(10) }),
      change(other.id, { filters: filters(20) }),
    );
    expect(status, text).toBe(201);
    expect(json).toMatchObject({ resource_type: "change_set", title: "Both", can_apply: true });
    expect(json.resources.map(({ name }: { name: string }) => name).sort()).toEqual(
      [one.key, other.key].sort(),
    );
    expect((await decide(json.id, "approve", bob)).json.status).toBe("applied");
    expect([await rolloutOf(one.id), await rolloutOf(other.id)]).toEqual([10, 20]);
  });

  it("is made once of a call that is repeated", async () => {
    const flag = await newFlag();
    await addPolicy();
    const [first, second] = [
      await held(save(flag.id, { filters: filters(60) })),
      await held(save(flag.id, { filters: filters(60) })),
    ];
    expect(second.id).toBe(first.id);
    expect((await held(save(flag.id, { filters: filters(61) }))).id).not.toBe(first.id);
  });

  it("of a call that had no body is applied, and hinders no other", async () => {
    const survey = await service.api("POST", `${PROJECT}surveys/`, {
      name: "Held launch",
      type: "popover",
      questions: [{ type: "open", question: "Why?" }],
    });
    expect(survey.status, survey.text).toBe(201);
    await addPolicy();
    const path = `${PROJECT}surveys/${survey.json.id}/`;
    const { status, json } = await service.api("POST", `${path}launch/`);
    expect(status).toBe(202);
    // What a survey keeps of its own accord about who has seen it is no property that was newly chosen.
    expect(json.change_request).toMatchObject({
      title: "Launch Held launch",
      impact: { new_properties: [], running_surveys: ["Held launch"] },
    });
    expect((await save((await newFlag()).id, { filters: filters(90) })).status).toBe(202);
    const approved = await decide(json.change_request_id, "approve", ada);
    expect(approved.json, approved.text).toMatchObject({ status: "applied" });
    expect((await service.api("GET", path)).json.start_date).not.toBeNull();
  });

  it("creates an experiment and a survey together, and each of them can be revised until then", async () => {
    const at = Date.now();
    const create = (path: string, body: object) => ({ method: "POST", path: `${PROJECT}${path}/`, body });
    const experiment = create("experiments", { name: `New ${at}`, feature_flag_key: `new-${at}` });
    const survey = create("surveys", {
      name: `New ${at}`,
      type: "popover",
      questions: [{ type: "open", question: "Why?" }],
    });
    const proposed = await service.api("POST", REQUESTS, { changes: [experiment, survey] });
    expect(proposed.status, proposed.text).toBe(201);
    const { id, updated_at, intent_display } = proposed.json;
    expect(proposed.json.title).toBe(`Create New ${at}, New ${at}, new-${at}`);
    const created = intent_display.entries.map(({ scope, activity }: Record<string, string>) => [
      scope,
      activity,
    ]);
    expect(created).toEqual(
      expect.arrayContaining([
        ["Experiment", "created"],
        ["Survey", "created"],
      ]),
    );
    const named = async () =>
      (await service.api("GET", `${PROJECT}experiments/?search=New ${at}`)).json.count;
    expect(await named()).toBe(0);
    const another = create("experiments", { name: `New ${at}`, feature_flag_key: `other-${at}` });
    const revised = await service.api("PATCH", `${REQUESTS}${id}/`, {
      changes: [another, { keep: 1 }],
      updated_at,
    });
    expect(revised.status, revised.text).toBe(200);
    const answer = await decide(id, "apply", service.key);
    expect(answer.json, answer.text).toMatchObject({ status: "applied" });
    expect(await named()).toBe(1);
    const names = (await service.api("GET", `${PROJECT}surveys/?limit=200`)).json.results;
    expect(names.filter(({ name }: { name: string }) => name === `New ${at}`)).toHaveLength(1);
  });

  it("of a survey is held although it starts later; what should have started by then starts when it is applied", async () => {
    await addPolicy();
    const HOUR_MS = 3_600_000;
    const proposed = Date.now();
    const propose = (name: string, fromNowMs: number) =>
      held(
        service.api("POST", `${PROJECT}surveys/`, {
          name,
          type: "popover",
          questions: [{ type: "open", question: "Why?" }],
          start_date: new Date(proposed + fromNowMs).toISOString(),
        }),
      );
    const startOf = async (name: string) => {
      const { json } = await service.api("GET", `${PROJECT}surveys/?search=${encodeURIComponent(name)}`);
      return Date.parse(json.results[0].start_date) - proposed;
    };
    // A minute ago is now by a clock that is behind.
    const starts = { "Starts now": -60_000, "Started long ago": -HOUR_MS, "Starts later": HOUR_MS };
    for (const [name, fromNowMs] of Object.entries(starts)) {
      const request = await propose(name, fromNowMs);
      const decided = await decide(request.id, "approve", ada);
      expect(decided.json.status, decided.text).toBe("applied");
    }
    expect(await startOf("Starts now")).toBeGreaterThanOrEqual(0);
    expect(await startOf("Started long ago")).toBe(-HOUR_MS);
    expect(await startOf("Starts later")).toBe(HOUR_MS);
  });

  it("with all its approvals waits for a moment that no policy forbids", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    await addPolicy({ type: "impact", share_above: 5 }, { forbidden: true, approver_config: undefined });
    expect((await decide(request.id, "approve", ada)).status).toBe(403);
    await service.db.delete(approval_policies).where(eq(approval_policies.forbidden, true));
    service.runtime.policies.drop();
    const { json, text } = await decide(request.id, "apply", service.key);
    expect(json.status, text).toBe("applied");
    expect(await rolloutOf(flag.id)).toBe(60);
  });

  it("lapses when a policy asks for approvals that nobody was asked for", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    await addPolicy({ type: "impact", share_above: 5 }, { approver_config: { quorum: 2 } });
    expect((await decide(request.id, "approve", ada)).json).toMatchObject({
      status: "expired",
      message: expect.stringContaining("other approvals"),
    });
    expect(await rolloutOf(flag.id)).toBe(0);
  });

  it("is applied once, however many approve it at the same time", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    const replies = await Promise.all([ada, bob].map((key) => decide(request.id, "approve", key)));
    expect(replies.filter(({ json }) => json.status === "applied")).toHaveLength(1);
    expect((await stored(flag.id)).version).toBe(2);
    expect((await service.api("GET", `${REQUESTS}${request.id}/`)).json.state).toBe("applied");
  });

  it("that nobody decides on expires", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    await service.db.update(change_requests).set({ expires_at: new Date(0) });
    expect((await decide(request.id, "approve", ada)).status).toBe(400);
    const listed = async (state: string) =>
      (await service.api("GET", `${REQUESTS}?state=${state}`)).json.results.map(
        ({ id }: { id: string }) => id,
      );
    expect([await listed("pending"), await listed("expired,failed")]).toEqual([[], [request.id]]);
  });

  it("lapses when a record that it changes is edited", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    expect((await save(flag.id, { filters: { ...filters(0), payloads: {} } })).status).toBe(200);
    const { json } = await decide(request.id, "approve", ada);
    expect(json).toMatchObject({
      status: "expired",
      change_request: { state: "expired", validation_status: "stale" },
    });
    expect(json.message).toContain("edited");
    expect(await rolloutOf(flag.id)).toBe(0);
  });

  it("lapses when people drift past what was shown", async () => {
    const flag = await newFlag();
    await addPolicy();
    const paid = filters(100, [{ key: "plan", value: "paid", type: "person", operator: "exact" }]);
    await addPeople(1_000, 10, "paid");
    const request = await held(save(flag.id, { filters: paid }));
    expect(request.impact.changed).toBe(10);
    await addPeople(2_000, 50, "paid");
    const { json } = await decide(request.id, "approve", ada);
    expect(json.status).toBe("expired");
    expect(json.message).toMatch(/were shown/);
    expect((await stored(flag.id)).filters.groups[0].properties).toEqual([]);
  });

  it("waits while a reviewer asks for changes, and is judged again when it is revised", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    expect((await decide(request.id, "request_changes", ada, { reason: "Less, please." })).status).toBe(200);
    expect((await decide(request.id, "approve", bob)).status).toBe(400);
    const path = `${REQUESTS}${request.id}/`;
    const changes = [{ method: "PATCH", path: `${FLAGS}${flag.id}/`, body: { filters: filters(30) } }];
    expect((await service.api("PATCH", path, { changes }, { key: ada })).status).toBe(403);
    const revised = await service.api("PATCH", path, { changes });
    expect(revised.status, revised.text).toBe(200);
    expect(revised.json.approvals).toEqual([]);
    expect(revised.json.impact.changed).toBeLessThan(request.impact.changed);
    expect((await decide(request.id, "approve", bob)).json.status).toBe("applied");
    expect(await rolloutOf(flag.id)).toBe(30);
  });

  it("is rejected with a reason, or cancelled by who made it", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await held(save(flag.id, { filters: filters(60) }));
    expect((await decide(request.id, "reject", ada)).status).toBe(400);
    expect((await decide(request.id, "cancel", ada)).status).toBe(403);
    const { json } = await decide(request.id, "reject", ada, { reason: "No." });
    expect(json.change_request).toMatchObject({ state: "rejected", can_approve: false });
    const second = await held(save(flag.id, { filters: filters(60) }));
    expect((await decide(second.id, "cancel", service.key)).json.change_request.state).toBe("rejected");
  });

  it("keeps encrypted payloads to itself", async () => {
    const flag = await newFlag({ has_encrypted_payloads: true });
    await addPolicy({});
    const body = { filters: { ...filters(100), payloads: { true: '"a-secret"' } } };
    const reply = await save(flag.id, body);
    expect(reply.status).toBe(202);
    expect(reply.text).not.toContain("a-secret");
    const rows = await service.db.select().from(change_requests);
    expect(JSON.stringify(rows)).not.toContain("a-secret");
    await decide(reply.json.change_request_id, "approve", ada);
    expect((await stored(flag.id)).filters.payloads).toEqual({ true: '"a-secret"' });
  });

  it.each([
    ["no changes", { changes: [] }],
    ["a path outside of the API", { changes: [{ method: "PATCH", path: "/etc/passwd" }] }],
    ["another project's path", { changes: [{ method: "PATCH", path: "/api/projects/2/feature_flags/1/" }] }],
    ["a call that writes nothing", { changes: [{ method: "POST", path: `${FLAGS}evaluate/` }] }],
    ["itself", { changes: [{ method: "POST", path: REQUESTS, body: {} }] }],
    ["another shape", { changes: "all" }],
  ])("cannot be made of %s", async (_, body) => {
    expect((await service.api("POST", REQUESTS, body)).status).toBe(400);
  });
});

describe("the scopes of a request", () => {
  const RESOURCES = ["feature_flag", "experiment", "survey", "cohort"] as const;
  type Resource = (typeof RESOURCES)[number];
  const next = () => {
    made += 1;
    return made;
  };

  const changeOf: Record<Resource, () => Promise<object>> = {
    feature_flag: async () => ({
      method: "PATCH",
      path: `${FLAGS}${(await newFlag()).id}/`,
      body: { active: false },
    }),
    experiment: async () => ({
      method: "POST",
      path: `${PROJECT}experiments/`,
      body: { name: "Tried", feature_flag_key: `tried-${next()}` },
    }),
    survey: async () => ({
      method: "POST",
      path: `${PROJECT}surveys/`,
      body: {
        name: `Asked ${next()}`,
        type: "popover",
        questions: [{ type: "open", question: "Why?" }],
      },
    }),
    cohort: async () => ({
      method: "POST",
      path: `${PROJECT}cohorts/`,
      body: {
        name: `Chosen ${next()}`,
        filters: {
          properties: {
            type: "AND",
            values: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
          },
        },
      },
    }),
  };
  const keyWith = async (scopes: string[]) => {
    const { value } = await addKey(service.db, 1, { scopes });
    service.runtime.directory.drop();
    return value;
  };
  const propose = (changes: object[], key: string) => service.api("POST", REQUESTS, { changes }, { key });
  const refused = ({ status, json }: Reply) => [status, json.code];

  it.each(RESOURCES)("are those of what it changes: %s", async (resource) => {
    const own = await keyWith([`${resource}:write`]);
    const others = await keyWith([
      "project:write",
      ...RESOURCES.filter((each) => each !== resource).map((each) => `${each}:write`),
    ]);
    const change = await changeOf[resource]();
    const DENIED = [403, "permission_denied"];
    const reply = await propose([change], others);
    expect(refused(reply)).toEqual(DENIED);
    expect(reply.json.detail).toContain(`${resource}:write`);
    expect(refused(await propose([change], await keyWith([`${resource}:read`, "project:write"])))).toEqual(
      DENIED,
    );
    const made = await propose([change], own);
    expect(made.status, made.text).toBe(201);
    const { id, needed_scopes } = made.json;
    expect(needed_scopes).toEqual([`${resource}:write`]);
    const at = (verb: string, key: string) =>
      service.api("POST", `${REQUESTS}${id}/${verb}/`, { reason: "So it is." }, { key });
    const readable = resource === "feature_flag" ? await keyWith(["survey:write"]) : others;
    const read = (key: string) => service.api("GET", `${REQUESTS}${id}/`, undefined, { key });
    // Whoever may read flags may read all requests, as in their list.
    expect((await read(readable)).status).toBe(resource === "feature_flag" ? 403 : 200);
    expect((await read(await keyWith([`${resource}:read`]))).status).toBe(200);
    expect((await read(await keyWith(["person:read"]))).status).toBe(403);
    for (const verb of ["comment", "cancel", "apply", "bypass", "reject", "request_changes", "approve"])
      expect([verb, ...refused(await at(verb, others))]).toEqual([verb, ...DENIED]);
    const revised = { title: "Revised" };
    const patch = (key: string) => service.api("PATCH", `${REQUESTS}${id}/`, revised, { key });
    expect(refused(await patch(others))).toEqual(DENIED);
    expect((await patch(own)).json.title).toBe("Revised");
    expect((await at("comment", own)).status).toBe(200);
    expect((await at("cancel", own)).status).toBe(200);
  });

  it("are all of them where it changes several", async () => {
    const changes = [await changeOf.cohort(), await changeOf.survey()];
    expect((await propose(changes, await keyWith(["cohort:write"]))).status).toBe(403);
    const both = await keyWith(["cohort:write", "survey:write"]);
    const { id, needed_scopes } = (await propose(changes, both)).json;
    expect(needed_scopes).toEqual(["cohort:write", "survey:write"]);
    const one = await keyWith(["survey:write"]);
    expect((await service.api("GET", `${REQUESTS}${id}/`, undefined, { key: one })).status).toBe(403);
    expect((await service.api("GET", `${REQUESTS}${id}/`, undefined, { key: both })).status).toBe(200);
  });
});

describe("a scheduled change", () => {
  const plan = (flag: { id: number }, at: number) => ({
    record_id: String(flag.id),
    model_name: "FeatureFlag",
    payload: { operation: "update", value: { filters: filters(70) } },
    scheduled_at: new Date(Date.now() + at).toISOString(),
  });

  it("is held when it is made, and runs as it was approved", async () => {
    const flag = await newFlag();
    await addPolicy();
    const schedules = `${PROJECT}scheduled_changes/`;
    const request = await held(service.api("POST", schedules, plan(flag, 3_600_000)));
    expect((await service.api("GET", schedules)).json.count).toBe(0);
    expect((await decide(request.id, "approve", ada)).json.status).toBe("applied");
    const { json } = await service.api("GET", schedules);
    expect(json.count).toBe(1);
    expect(await rolloutOf(flag.id)).toBe(0);
    const run = await service.api("POST", `${schedules}${json.results[0].id}/run/`, {});
    expect(run.status, run.text).toBe(200);
    expect(await rolloutOf(flag.id)).toBe(70);
  });
});

describe("a ramp", () => {
  const steps = [5, 60].map((share) => ({ shares: { 0: share }, hold: { hours: 1 } }));
  const start = async (flag: { id: number }) => {
    const body = { feature_flag: flag.id, steps, guardrails: [] };
    return service.api("POST", `${PROJECT}ramps/`, body);
  };
  const ramps = async () => (await service.api("GET", `${PROJECT}ramps/`)).json.results;

  it("is held for its last step when it starts, goes on as approved, and is rolled back without approval", async () => {
    const flag = await newFlag();
    await addPolicy({ type: "impact", share_above: 10 });
    const request = await held(start(flag));
    expect(request.impact.changed).toBeGreaterThan(PEOPLE * 0.4);
    expect(await rolloutOf(flag.id)).toBe(0);
    const approved = await decide(request.id, "approve", ada);
    expect(approved.json.status, approved.text).toBe("applied");
    expect(await rolloutOf(flag.id)).toBe(5);
    const [ramp] = await ramps();
    const next = await service.api("POST", `${PROJECT}ramps/${ramp.id}/next/`, { skip_holds: true });
    expect(next.status, next.text).toBe(200);
    expect(await rolloutOf(flag.id)).toBe(60);
    const back = await service.api("POST", `${PROJECT}ramps/${ramp.id}/roll_back/`, {});
    expect(back.status, back.text).toBe(200);
    expect(await rolloutOf(flag.id)).toBe(0);
  });

  it("started before a policy pauses at the step that the policy would hold", async () => {
    const flag = await newFlag();
    expect((await start(flag)).status).toBe(201);
    const [ramp] = await ramps();
    await addPolicy({ type: "impact", share_above: 10 });
    const { status } = await service.api("POST", `${PROJECT}ramps/${ramp.id}/next/`, { skip_holds: true });
    expect(status).toBe(202);
    expect(await rolloutOf(flag.id)).toBe(5);
    await rampTick.run(jobContext(service.runtime, { now: new Date(Date.now() + 2 * 3_600_000) }));
    expect((await ramps())[0]).toMatchObject({
      status: "paused",
      reason: { detail: expect.stringContaining("policy") },
    });
    expect(await rolloutOf(flag.id)).toBe(5);
  });
});

it.each(["0", "-2147483649", "2147483648", "1.5", "somebody"])(
  "the list refuses a requester that cannot be one: %s",
  async (requester) => {
    const { status, json } = await service.api("GET", `${REQUESTS}?requester=${requester}`);
    expect([status, json.attr]).toEqual([400, "requester"]);
  },
);

it("a request names the running surveys of the flags that it changes, and no others", async () => {
  const post = async (path: string, body: object) => {
    const { status, json, text } = await service.api("POST", `${PROJECT}${path}`, body);
    expect(status, text).toBe(201);
    return json;
  };
  const filters = { groups: [{ properties: [], rollout_percentage: 10 }] };
  const flag = await post("feature_flags/", { key: "asked-about", filters });
  const other = await post("feature_flags/", { key: "not-asked-about", filters });
  await post("surveys/", {
    name: "How was it?",
    type: "popover",
    linked_flag_id: flag.id,
    questions: [{ type: "open", question: "Why?" }],
    start_date: new Date().toISOString(),
  });
  const surveysOf = async (id: number) => {
    const body = { filters: { groups: [{ properties: [], rollout_percentage: 20 }] } };
    const change = { method: "PATCH", path: `${PROJECT}feature_flags/${id}/`, body };
    return (await post("change_requests/", { title: "More people", changes: [change] })).impact
      .running_surveys;
  };
  expect(await surveysOf(flag.id)).toEqual(["How was it?"]);
  expect(await surveysOf(other.id)).toEqual([]);
});
