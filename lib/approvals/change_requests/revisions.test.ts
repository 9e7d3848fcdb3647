import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calling } from "#lib/app/api.ts";
import { approval_policies, approved_states, change_requests } from "#lib/platform/db/tables/approvals.ts";
import { contextOf } from "#lib/platform/jobs/work.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { type Reply, type Service, startService } from "#testing/service.ts";
import { changeRequestDue, changeRequestSweep } from "./schedule.ts";

const PROJECT = "/api/projects/1/";
const FLAGS = `${PROJECT}feature_flags/`;
const REQUESTS = `${PROJECT}change_requests/`;
const PEOPLE = 120;
const HOUR_MS = 3_600_000;

let service: Service;
/** A member who may approve; whoever asks is an administrator. */
let ada: string;
let made = 0;

beforeAll(async () => {
  service = await startService();
  const { api, db, runtime } = service;
  const organization = (await api("GET", "/api/organizations/@current/")).json.id;
  ada = (await addKey(db, (await addPerson(db, "ada@home.test", { [organization]: 1 })).id)).value;
  await addPerson(db, "bob@home.test", { [organization]: 1 });
  runtime.directory.drop();
  await addPeople(0, PEOPLE, "free");
});
afterAll(() => service.close());
beforeEach(async () => {
  const { db, runtime } = service;
  for (const table of [approval_policies, approved_states, change_requests]) await db.delete(table);
  runtime.policies.drop();
});

async function addPeople(from: number, count: number, plan: string) {
  const batch = Array.from({ length: count }, (_, at) => ({
    event: "$identify",
    distinct_id: `person-${from + at}`,
    properties: { $set: { plan, number: from + at } },
  }));
  expect((await service.api("POST", "/batch/", { api_key: service.token, batch })).status).toBe(200);
}

const below = (value: number) => ({
  groups: [
    { properties: [{ key: "number", type: "person", operator: "lt", value }], rollout_percentage: 100 },
  ],
});
const nobody = { groups: [{ properties: [], rollout_percentage: 0 }] };

async function newFlag(fields: object = {}) {
  made += 1;
  const reply = await service.api("POST", FLAGS, { key: `revised-${made}`, filters: nobody, ...fields });
  expect(reply.status, reply.text).toBe(201);
  return reply.json as { id: number; key: string };
}

const change = (id: number, body: object) => ({ method: "PATCH", path: `${FLAGS}${id}/`, body });
const turn = (id: number, value: number) => change(id, { filters: below(value) });

async function ok(reply: Promise<Reply>, status = 200) {
  const { status: is, json, text } = await reply;
  expect(is, text).toBe(status);
  return json;
}
const propose = (...changes: object[]) => ok(service.api("POST", REQUESTS, { changes }), 201);
const revise = (id: string, body: object, key?: string) =>
  service.api("PATCH", `${REQUESTS}${id}/`, body, key === undefined ? {} : { key });
const decide = (id: string, verb: string, key: string, body: object = {}) =>
  service.api("POST", `${REQUESTS}${id}/${verb}/`, body, { key });
const stored = async (id: number) => (await service.api("GET", `${FLAGS}${id}/`)).json;
const read = (id: string) => ok(service.api("GET", `${REQUESTS}${id}/`));
const addPolicy = (more: object = {}) =>
  ok(
    service.api("POST", `${PROJECT}approval_policies/`, {
      action_key: "change",
      conditions: { type: "impact", share_above: 1 },
      approver_config: { quorum: 1 },
      ...more,
    }),
    201,
  );

describe("the parts of a request", () => {
  it("are its calls, each with what it writes and the flags that it concerns", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const depending = await newFlag({
      filters: {
        groups: [
          {
            properties: [{ type: "flag", key: String(one.id), value: true, operator: "flag_evaluates_to" }],
            rollout_percentage: 100,
          },
        ],
      },
    });
    const request = await propose(turn(one.id, 12), turn(other.id, 30));
    expect(request.parts).toEqual([
      { written: [`feature_flag/${one.id}`], flags: expect.arrayContaining([one.id, depending.id]) },
      { written: [`feature_flag/${other.id}`], flags: [other.id] },
    ]);
    expect(request.impact).toMatchObject({ changed: 30, total: PEOPLE });
    const found = async (record: string) =>
      (await ok(service.api("GET", `${REQUESTS}?writes=${record}&requester=@me`))).results.length;
    expect(await found(`feature_flag/${other.id}`)).toBe(1);
    expect(await found(`feature_flag/${depending.id}`)).toBe(0);
    expect((await service.api("GET", `${REQUESTS}?writes=everything`)).status).toBe(400);
  });

  it("of a held write are one", async () => {
    const flag = await newFlag();
    await addPolicy();
    const reply = await service.api("PATCH", `${FLAGS}${flag.id}/`, { filters: below(60) });
    expect(reply.json.change_request.parts).toEqual([
      { written: [`feature_flag/${flag.id}`], flags: [flag.id] },
    ]);
  });

  it("are kept, added and removed by their places, and votes are void then", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    await addPolicy({ approver_config: { quorum: 2 } });
    const request = await propose(turn(one.id, 20));
    expect((await decide(request.id, "approve", ada)).json.status).toBe("approved");
    const both = await ok(revise(request.id, { changes: [{ keep: 0 }, turn(other.id, 40)] }));
    expect(both).toMatchObject({ resource_type: "change_set", approvals: [], approvals_missing: 2 });
    expect(both.intent.changes).toEqual([turn(one.id, 20), turn(other.id, 40)]);
    const second = await ok(revise(request.id, { changes: [{ keep: 1 }] }));
    expect(second.intent.changes).toEqual([turn(other.id, 40)]);
    expect(second.impact.changed).toBe(40);
  });

  it("that are secret stay so when others are added", async () => {
    const [secret, other] = [await newFlag({ has_encrypted_payloads: true }), await newFlag()];
    const filters = { ...below(PEOPLE), payloads: { true: '"a-secret"' } };
    const request = await propose(change(secret.id, { filters }));
    const reply = await revise(request.id, { changes: [{ keep: 0 }, turn(other.id, 40)] });
    expect(reply.text).not.toContain("a-secret");
    expect((await decide(request.id, "apply", service.key)).json.status).toBe("applied");
    expect((await stored(secret.id)).filters.payloads).toEqual({ true: '"a-secret"' });
  });

  it.each([
    ["a place that there is not", [{ keep: 1 }], "changes__0__keep"],
    ["a place below all", [{ keep: -1 }], "changes__0"],
    ["a place and more", [{ keep: 0, path: "/api/" }], "changes__0"],
    ["nothing", [], "changes"],
  ])("cannot be %s", async (_, changes, attr) => {
    const request = await propose(turn((await newFlag()).id, 20));
    const { status, json } = await revise(request.id, { changes });
    expect([status, json.attr]).toEqual([400, expect.stringContaining(attr)]);
  });

  it("are not overwritten by somebody who has not seen the last revision", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const request = await propose(turn(one.id, 20));
    const { updated_at } = request;
    const bodies = [21, 22].map((value) => ({ changes: [turn(other.id, value)], updated_at }));
    const replies = await Promise.all(bodies.map((body) => revise(request.id, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await revise(request.id, { changes: [{ keep: 0 }], updated_at })).status).toBe(409);
    expect((await revise(request.id, { changes: [{ keep: 0 }] }, ada)).status).toBe(403);
  });
});

describe("the counts of a request", () => {
  const open = (id: string, what: string, body: object, key?: string) =>
    service.api("POST", `${REQUESTS}${id}/who_changes/${what}`, body, key === undefined ? {} : { key });

  it("leave out the flag by which a survey chooses its audience", async () => {
    const flag = await newFlag();
    const survey = {
      method: "POST",
      path: `${PROJECT}surveys/`,
      body: {
        name: "Asked of some",
        type: "popover",
        questions: [{ type: "open", question: "Why?" }],
        targeting_flag_filters: below(12),
        start_date: new Date().toISOString(),
      },
    };
    const both = await propose(turn(flag.id, 30), survey);
    const flags = both.impact.flags as { id: number; key: string; changed: number; is_internal: boolean }[];
    const internal = flags.find(({ is_internal }) => is_internal);
    expect(internal?.key).toMatch(/^survey-targeting-/);
    expect(flags.find(({ id }) => id === flag.id)).toMatchObject({ is_internal: false, changed: 30 });
    const { flags: counted } = await ok(open(both.id, "", {}));
    expect(counted.map(({ id }: { id: number }) => id)).toEqual([flag.id]);
    const people = await open(both.id, "people/", { flag: internal?.id, before: null, after: true });
    expect(people.status).toBe(404);
    const alone = await propose({ ...survey, body: { ...survey.body, name: "Alone" } });
    expect(alone.impact.flags.every((each: { is_internal: boolean }) => each.is_internal)).toBe(true);
    expect((await ok(open(alone.id, "", {}))).flags).toEqual([]);
  });

  it("open exactly the people behind them, whatever is stored by then", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    const request = await propose(turn(one.id, 12), turn(other.id, 30));
    await ok(service.api("PATCH", `${FLAGS}${other.id}/`, { filters: below(3) }));
    const counted = await ok(open(request.id, "", {}));
    const flag = counted.flags.find(({ id }: { id: number }) => id === other.id);
    expect(flag).toMatchObject({ changed: 30, total: PEOPLE, is_written: true });
    for (const cell of flag.cells) {
      const people = await ok(open(request.id, "people/?limit=1000", { flag: other.id, ...cell }));
      expect([people.count, people.results.length]).toEqual([cell.count, cell.count]);
      const numbers = people.results.map(
        (person: { properties: { number: number } }) => person.properties.number,
      );
      expect(numbers.every((number: number) => number < 30 === (cell.after === true))).toBe(true);
    }
  });

  it("tell people whose payload alone changes", async () => {
    const flag = await newFlag({ filters: { ...below(10), payloads: { true: '"one"' } } });
    const request = await propose(
      change(flag.id, { filters: { ...below(10), payloads: { true: '"two"' } } }),
    );
    const { flags } = await ok(open(request.id, "", {}));
    expect(flags[0]).toMatchObject({ changed: 10 });
    expect(flags[0].cells).toContainEqual({ before: true, after: true, count: 10, is_changed: true });
  });

  it("of a flag that is new open its people too", async () => {
    made += 1;
    const request = await propose({
      method: "POST",
      path: FLAGS,
      body: { key: `revised-${made}`, active: true, filters: below(25) },
    });
    const [flag] = (await ok(open(request.id, "", {}))).flags;
    expect(flag).toMatchObject({ changed: 25, is_written: true });
    expect(request.parts).toEqual([{ written: [`feature_flag/${flag.id}`], flags: [flag.id] }]);
    const people = await ok(open(request.id, "people/", { flag: flag.id, before: null, after: true }));
    expect(people.count).toBe(25);
  });

  it("refuse what is no count of it", async () => {
    const [flag, stranger] = [await newFlag(), await newFlag()];
    const request = await propose(turn(flag.id, 12));
    const cell = { flag: flag.id, before: false, after: true };
    const statuses = await Promise.all([
      open(request.id, "people/", { ...cell, flag: stranger.id }),
      open(request.id, "people/", { ...cell, flag: "one" }),
      open(request.id, "people/", { flag: flag.id }),
      open(request.id, "groups/", cell),
      open("00000000-0000-4000-8000-000000000000", "", {}),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 400, 400, 400, 404]);
  });
});

describe("a request with a moment", () => {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const plan = (id: string, apply_at: string | null, key = service.key) =>
    decide(id, "schedule", key, { apply_at });
  const jobOf = (now: Date, id = "") => {
    const runtime = calling(service.runtime);
    return contextOf({
      runtime,
      db: runtime.db,
      now,
      key: id,
      payload: { id },
      signal: new AbortController().signal,
      store: async () => undefined,
    });
  };
  const run = (id: string, hours: number) =>
    changeRequestDue.run(jobOf(new Date(Date.now() + hours * HOUR_MS), id));

  it("waits for it once it is approved, and is applied once, however many processes run it", async () => {
    const [one, other] = [await newFlag(), await newFlag()];
    await addPolicy();
    const request = await propose(turn(one.id, 60), turn(other.id, 70));
    const planned = await plan(request.id, at(2));
    expect(planned.json, planned.text).toMatchObject({
      status: "scheduled",
      change_request: { state: "pending", approvals_missing: 1 },
    });
    const approved = await decide(request.id, "approve", ada);
    expect(approved.json).toMatchObject({ status: "scheduled", change_request: { state: "approved" } });
    expect((await decide(request.id, "approve", ada)).status).toBe(400);
    await run(request.id, 1);
    expect((await stored(one.id)).version).toBe(1);
    await Promise.all([3, 3, 3].map((hours) => run(request.id, hours)));
    await changeRequestSweep.run(jobOf(new Date(Date.now() + 4 * HOUR_MS)));
    expect([(await stored(one.id)).version, (await stored(other.id)).version]).toEqual([2, 2]);
    expect((await read(request.id)).state).toBe("applied");
  });

  it("that nobody has to approve waits for its moment at once; what a job has lost is swept up", async () => {
    const flag = await newFlag();
    const request = await propose(turn(flag.id, 60));
    expect((await plan(request.id, at(2))).json.change_request.state).toBe("approved");
    await changeRequestSweep.run(jobOf(new Date(Date.now() + 3 * HOUR_MS)));
    expect((await read(request.id)).state).toBe("applied");
  });

  it("lapses at its moment if it would do something else by then, and says why", async () => {
    const flag = await newFlag();
    await addPolicy();
    const request = await propose(turn(flag.id, 60));
    await plan(request.id, at(2));
    await decide(request.id, "approve", ada);
    await ok(service.api("PATCH", `${FLAGS}${flag.id}/`, { name: "Edited" }));
    await run(request.id, 3);
    expect(await read(request.id)).toMatchObject({
      state: "expired",
      validation_errors: { detail: expect.stringContaining("edited") },
    });
    expect((await stored(flag.id)).filters.groups).toEqual(nobody.groups);
    const { json } = await service.api("GET", `${PROJECT}activity_log/?scope=ChangeRequest`);
    expect(json.results[0]).toMatchObject({ activity: "lapsed" });
  });

  it("lapses if a policy has come that asks for more", async () => {
    const flag = await newFlag();
    const request = await propose(turn(flag.id, 60));
    await plan(request.id, at(2));
    await addPolicy();
    await run(request.id, 3);
    expect((await read(request.id)).state).toBe("expired");
  });

  it("fails where it is refused by then", async () => {
    const flag = await newFlag();
    const request = await propose(turn(flag.id, 60));
    await plan(request.id, at(2));
    await addPolicy({ forbidden: true, approver_config: undefined });
    await run(request.id, 3);
    expect(await read(request.id)).toMatchObject({
      state: "failed",
      apply_error: expect.stringContaining("not allowed"),
    });
  });

  it("is cancelled, rejected, revised or applied at once, and the job does nothing then", async () => {
    await addPolicy();
    const approved = async () => {
      const flag = await newFlag();
      const request = await propose(turn(flag.id, 60));
      await plan(request.id, at(2));
      await decide(request.id, "approve", ada);
      return { flag, request };
    };
    const outcome = async ({ flag, request }: Awaited<ReturnType<typeof approved>>) => {
      await run(request.id, 3);
      return [(await read(request.id)).state, (await stored(flag.id)).version];
    };
    const unplanned = await approved();
    expect((await plan(unplanned.request.id, null)).json.change_request).toMatchObject({
      state: "pending",
      apply_at: null,
      can_apply: true,
    });
    expect(await outcome(unplanned)).toEqual(["pending", 1]);
    const cancelled = await approved();
    await decide(cancelled.request.id, "cancel", service.key);
    expect(await outcome(cancelled)).toEqual(["rejected", 1]);
    const revised = await approved();
    await ok(revise(revised.request.id, { changes: [turn(revised.flag.id, 50)] }));
    expect(await outcome(revised)).toEqual(["pending", 1]);
    const early = await approved();
    expect((await decide(early.request.id, "apply", service.key)).json.status).toBe("applied");
    expect(await outcome(early)).toEqual(["applied", 2]);
  });

  it.each([
    ["in the past", () => at(-1)],
    ["in more than a year", () => at(24 * 400)],
    ["at no time", () => "soon"],
  ])("cannot have one %s", async (_, moment) => {
    const request = await propose(turn((await newFlag()).id, 60));
    expect((await plan(request.id, moment())).status).toBe(400);
    expect((await plan(request.id, at(1), ada)).status).toBe(403);
    expect((await plan(request.id, null)).status).toBe(400);
  });
});
