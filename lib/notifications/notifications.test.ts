import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addKey, addPerson } from "#testing/accounts.ts";
import { jobContext } from "#testing/jobs.ts";
import { startMailServer, startReceiver } from "#testing/receivers.ts";
import { type Service, startService } from "#testing/service.ts";
import { deliverDue } from "./deliveries/deliver.ts";
import { createMailer } from "./deliveries/mail.ts";
import { LIFETIME_MS, RETRY_DELAYS_MS } from "./deliveries/retries.ts";
import { fanOut } from "./fan_out/fan-out.ts";
import { pruneNotifications } from "./jobs.ts";

const ROOT = "/api/projects/1";
const DESTINATIONS = `${ROOT}/notification_destinations/`;
const DELIVERIES = `${ROOT}/notification_deliveries/`;
const SUBSCRIPTIONS = `${ROOT}/notification_subscriptions/`;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

let service: Service;
let api: Service["api"];
let mail: Awaited<ReturnType<typeof startMailServer>>;
let bob: { key: string; id: number };
/** What processes take for the present time. */
let now = new Date();

beforeAll(async () => {
  mail = await startMailServer((address) => address.startsWith("nobody@"));
  service = await startService({
    notifications: {
      public_url: "https://switchyard.example.com",
      networks: ["127.0.0.1"],
      mailer: createMailer({ url: mail.url, from: "Switchyard <switchyard@example.com>" }),
    },
  });
  ({ api } = service);
  const organization = (await api("GET", "/api/organizations/@current/")).json.id;
  const person = await addPerson(service.db, "bob@example.com", { [organization]: 1 });
  bob = { id: person.id, key: (await addKey(service.db, person.id, { scopes: ["*"] })).value };
  service.runtime.directory.drop();
});
afterAll(async () => {
  await service.close();
  await mail.close();
});

const receivers: Awaited<ReturnType<typeof startReceiver>>[] = [];
const receive = async (...options: Parameters<typeof startReceiver>) => {
  const receiver = await startReceiver(...options);
  receivers.push(receiver);
  return receiver;
};
afterEach(async () => {
  for (const { id } of (await api("GET", DESTINATIONS)).json.results)
    expect((await api("DELETE", `${DESTINATIONS}${id}/`)).status).toBe(204);
  await Promise.all(receivers.splice(0).map(({ close }) => close()));
});

/** Sends everything that is due, as one process does. */
const deliver = () => {
  const { runtime, db } = service;
  const work = { runtime, db };
  const { signal } = new AbortController();
  return deliverDue(work, { clock: () => now, signal, arriving: () => fanOut(work, now) });
};

const wait = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

const makeDestination = async (address: string, body: object = {}) => {
  const reply = await api("POST", DESTINATIONS, { kind: "webhook", name: address, address, ...body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json as { id: string; secret: string };
};

let flags = 0;
const makeFlag = async (body: object = {}) => {
  flags += 1;
  const reply = await api("POST", `${ROOT}/feature_flags/`, { key: `flag-${flags}`, ...body });
  expect(reply.status).toBe(201);
  // Messages are made as of the log, whose clock is the service's.
  now = new Date(Math.max(now.getTime(), Date.now()));
  return reply.json as { id: number; key: string };
};

const deliveriesOf = async (id: string) =>
  (await api("GET", `${DELIVERIES}?destination=${id}`)).json.results as {
    id: number;
    state: string;
    attempts: number;
    error: string | null;
    message_id: string;
    response_status: number | null;
    response_body: string | null;
    next_attempt_at: string | null;
    payload: { type: string; data: { resource: { name: string } } };
  }[];

describe("a webhook", () => {
  it("gets what has happened, signed as Standard Webhooks has it", async () => {
    const receiver = await receive();
    const { id, secret } = await makeDestination(receiver.url);
    const flag = await makeFlag({ name: "New" });
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { active: false });
    await deliver();
    const bodies = receiver.received.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
    expect(bodies).toMatchObject([
      { type: "feature_flag.changed", data: { action: "created", resource: { name: flag.key } } },
      {
        type: "feature_flag.changed",
        data: {
          action: "updated",
          title: expect.stringContaining(`changed the flag ${flag.key}`),
          project: { id: 1 },
          actor: { id: 1 },
          resource: { type: "feature_flag", id: String(flag.id) },
          changes: [{ what: "State", before: "on", after: "off" }],
          link: `https://switchyard.example.com/project/1/feature_flags/${flag.id}`,
        },
      },
    ]);
    expect(() =>
      new Webhook(secret).verify(`${receiver.received[0]?.body} `, receiver.received[0]?.headers ?? {}),
    ).toThrow();
    await deliver();
    expect(receiver.received).toHaveLength(2);
    expect(await deliveriesOf(id)).toMatchObject([
      { state: "delivered", attempts: 1, response_status: 204 },
      { state: "delivered", attempts: 1, response_status: 204 },
    ]);
  });

  it("gets no payload of a flag that encrypts them", async () => {
    const receiver = await receive();
    await makeDestination(receiver.url);
    const flag = await makeFlag({
      has_encrypted_payloads: true,
      is_remote_configuration: true,
      filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '"hush-hush"' } },
    });
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, {
      filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '"hush-again"' } },
    });
    await deliver();
    expect(receiver.received.length).toBeGreaterThan(0);
    expect(JSON.stringify(receiver.received)).not.toContain("hush");
  });

  it("gets only the types and resources that it is limited to", async () => {
    const receiver = await receive();
    const [one, other] = [await makeFlag(), await makeFlag()];
    await makeDestination(`${receiver.url}/resource`, {
      resources: [{ type: "feature_flag", id: one.id }],
    });
    await makeDestination(`${receiver.url}/type`, { types: ["cohort.changed"] });
    await makeDestination(`${receiver.url}/off`, { enabled: false });
    for (const flag of [one, other])
      await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name: "Renamed" });
    await api("POST", `${ROOT}/cohorts/`, { name: "Some", is_static: true });
    await deliver();
    const got = receiver.received.map(({ path, body }) => [path, JSON.parse(body).data.resource.name]);
    expect(got.sort()).toEqual([
      ["/resource", one.key],
      ["/type", "Some"],
    ]);
  });

  it("names what it is limited to, as far as the key may read it", async () => {
    const flag = await makeFlag();
    const gone = await makeFlag();
    const experiment = (
      await api("POST", `${ROOT}/experiments/`, { name: "Prices", feature_flag_key: "prices" })
    ).json;
    const survey = (
      await api("POST", `${ROOT}/surveys/`, {
        name: "Feedback",
        type: "popover",
        questions: [{ type: "open", question: "Why?" }],
      })
    ).json;
    await api("PATCH", `${ROOT}/surveys/${survey.id}/`, { archived: true });
    await api("PATCH", `${ROOT}/feature_flags/${gone.id}/`, { deleted: true });
    const resources = [
      { type: "feature_flag", id: String(flag.id), name: flag.key },
      { type: "feature_flag", id: String(gone.id), name: null },
      { type: "feature_flag", id: "99999999999999999999", name: null },
      { type: "experiment", id: String(experiment.id), name: "Prices" },
      { type: "experiment", id: "x", name: null },
      { type: "survey", id: survey.id, name: "Feedback" },
      { type: "survey", id: "no-uuid", name: null },
    ];
    const { id } = await makeDestination("https://example.com/named", {
      resources: resources.map(({ name: _, ...resource }) => resource),
    });
    expect((await api("GET", `${DESTINATIONS}${id}/`)).json.resources).toEqual(resources);
    const { value: key } = await addKey(service.db, 1, { scopes: ["project:read", "survey:read"] });
    service.runtime.directory.drop();
    const listed = (await api("GET", DESTINATIONS, undefined, { key })).json.results.find(
      (each: { id: string }) => each.id === id,
    );
    expect(listed.resources).toEqual(
      resources.map((each) => (each.type === "survey" ? each : { ...each, name: null })),
    );
  });

  it("has two valid secrets for a while after one was made", async () => {
    const receiver = await receive();
    const { id, secret } = await makeDestination(receiver.url);
    const rotated = await api("POST", `${DESTINATIONS}${id}/rotate_secret/`, { overlap_hours: 2 });
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(secret);
    expect((await api("GET", `${DESTINATIONS}${id}/`)).json).not.toHaveProperty("secret");
    const verifies = (by: string) => {
      const { body = "", headers = {} } = receiver.received.at(-1) ?? {};
      try {
        new Webhook(by).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    };
    await api("POST", `${DESTINATIONS}${id}/test/`);
    expect([verifies(secret), verifies(rotated.json.secret)]).toEqual([true, true]);
    const again = await api("POST", `${DESTINATIONS}${id}/rotate_secret/`, { overlap_hours: 0 });
    await api("POST", `${DESTINATIONS}${id}/test/`);
    expect([secret, rotated.json.secret, again.json.secret].map(verifies)).toEqual([false, false, true]);
    const { rows } = await service.database.pool.query(
      "select address, secrets from notification_destinations where id = $1",
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain("127.0.0.1");
    expect(JSON.stringify(rows)).not.toContain("whsec_");
  });
});

describe("a receiver that is away", () => {
  it("is tried again as scheduled, in order, until the message is given up", async () => {
    let status = 503;
    const receiver = await receive(() => status);
    const { id } = await makeDestination(receiver.url);
    const [first, second] = [await makeFlag(), await makeFlag()];
    await deliver();
    for (const delay of RETRY_DELAYS_MS) {
      const before = receiver.received.length;
      wait(delay - SECOND_MS);
      await deliver();
      expect(receiver.received).toHaveLength(before);
      wait(SECOND_MS);
      await deliver();
      expect(receiver.received).toHaveLength(before + 1);
    }
    // One asked for all the time, so that the other one was not doubled.
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const [later, dead] = await deliveriesOf(id);
    expect(dead).toMatchObject({
      state: "dead",
      attempts: RETRY_DELAYS_MS.length + 1,
      response_status: 503,
      response_body: "noted",
      payload: { data: { resource: { name: first.key } } },
    });
    expect(later).toMatchObject({ state: "dead", attempts: 0 });
    expect((await api("GET", `${DESTINATIONS}${id}/`)).json).toMatchObject({ dead: 2, waiting: 0 });

    // Back again: each is sent with the id that it had.
    status = 200;
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect((await api("POST", `${DELIVERIES}${dead?.id}/replay/`)).json).toMatchObject({ state: "waiting" });
    expect((await api("POST", `${DELIVERIES}${dead?.id}/replay/`)).status).toBe(400);
    expect((await api("POST", `${DESTINATIONS}${id}/replay/`)).json).toEqual({ replayed: 1 });
    now = new Date(Math.max(now.getTime(), Date.now()));
    await deliver();
    const got = receiver.received.slice(ids.length);
    expect(got.map(({ body }) => JSON.parse(body).data.resource.name)).toEqual([first.key, second.key]);
    expect(got[0]?.headers["webhook-id"]).toBe(ids[0]);
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  it("delays no other", async () => {
    const held = Promise.withResolvers<number>();
    const slow = await receive(() => held.promise);
    const receiveOne = async () => {
      const arrived = Promise.withResolvers<void>();
      const { url } = await receive(() => {
        arrived.resolve();
        return 204;
      });
      return { url, arrived: arrived.promise };
    };
    const quick = await receiveOne();
    const third = await receiveOne();
    const made = [
      await makeDestination(slow.url),
      await makeDestination("http://127.0.0.1:1"),
      await makeDestination(quick.url),
    ];
    await makeFlag();
    const delivering = deliver();
    // What arrives while one is slow goes out nonetheless.
    made.push(await makeDestination(third.url));
    await makeFlag();
    // This would wait forever if one of them had to wait for the slow one.
    await Promise.all([quick.arrived, third.arrived]);
    held.resolve(204);
    await delivering;
    const [closed] = await deliveriesOf(made[1]?.id ?? "");
    expect(closed).toMatchObject({ state: "waiting", response_status: null });
  });

  it("that refuses one message gets the others", async () => {
    const names: string[] = [];
    const receiver = await receive(({ body }) => {
      const { name } = JSON.parse(body).data.resource;
      names.push(name);
      return name === refused ? 422 : 200;
    });
    const { id } = await makeDestination(receiver.url);
    const one = await makeFlag();
    const refused = one.key;
    const two = await makeFlag();
    await deliver();
    expect(names).toEqual([one.key, two.key]);
    expect(await deliveriesOf(id)).toMatchObject([
      { state: "delivered" },
      { state: "waiting", attempts: 1, response_status: 422 },
    ]);
  });

  it("that is gone is asked once", async () => {
    const receiver = await receive(() => 410);
    const { id } = await makeDestination(receiver.url);
    await makeFlag();
    await deliver();
    expect(await deliveriesOf(id)).toMatchObject([{ state: "dead", attempts: 1 }]);
  });
});

it("several processes at once send each message once, in order", async () => {
  const receiver = await receive();
  await Promise.all(["a", "b", "c"].map((path) => makeDestination(`${receiver.url}/${path}`)));
  const keys: string[] = [];
  for (let n = 0; n < 5; n++) keys.push((await makeFlag()).key);
  await Promise.all([deliver(), deliver(), deliver(), deliver()]);
  await deliver();
  for (const path of ["/a", "/b", "/c"]) {
    const got = receiver.received.filter((each) => each.path === path);
    expect(got.map(({ body }) => JSON.parse(body).data.resource.name)).toEqual(keys);
  }
});

it("a process that died while it sent is followed by another one", async () => {
  const receiver = await receive();
  const { id } = await makeDestination(receiver.url);
  await makeFlag();
  await fanOut({ runtime: service.runtime, db: service.db }, now);
  await service.database.pool.query("update notification_destinations set claimed_until = $2 where id = $1", [
    id,
    new Date(now.getTime() + 60_000),
  ]);
  await deliver();
  expect(receiver.received).toHaveLength(0);
  wait(60_001);
  await deliver();
  expect(receiver.received).toHaveLength(1);
});

it("what is changed in a transaction that is rolled back is not sent", async () => {
  const receiver = await receive();
  await makeDestination(receiver.url);
  const { key } = await makeFlag();
  expect((await api("POST", `${ROOT}/feature_flags/`, { key })).status).toBe(400);
  await deliver();
  expect(receiver.received).toHaveLength(1);
  const { rows } = await service.database.pool.query("select count(*)::int as n from activity_outbox");
  expect(rows).toEqual([{ n: 0 }]);
});

describe("e-mail and Slack", () => {
  it("get the same in their form", async () => {
    const receiver = await receive();
    const slack = await makeDestination(`${receiver.url}/services/T0/B0/secret`, { kind: "slack" });
    await makeDestination("ops@example.com, dev@example.com", { kind: "email" });
    expect((await api("GET", `${DESTINATIONS}${slack.id}/`)).json.address).toBe(`${receiver.url}/…`);
    expect(slack).not.toHaveProperty("secret");
    mail.mails.length = 0;
    const { key } = await makeFlag({ name: "<b>Bold & new</b>" });
    await deliver();
    const message = JSON.parse(receiver.received[0]?.body ?? "{}");
    expect(message.blocks[0].text.text).toContain(`created the flag ${key}`);
    expect(message.blocks[0].text.text).not.toContain("<b>");
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]?.to).toEqual(["ops@example.com", "dev@example.com"]);
    expect(mail.mails[0]?.text).toMatch(new RegExp(`Subject: .*created the flag ${key}`));
    expect(mail.mails[0]?.text).not.toContain("<b>Bold");
  });

  it("a mailbox that there is not is tried again by itself", async () => {
    const { id } = await makeDestination("nobody@example.com", { kind: "email" });
    await makeFlag();
    await deliver();
    expect(await deliveriesOf(id)).toMatchObject([{ state: "waiting", attempts: 1 }]);
    expect((await api("GET", `${DESTINATIONS}${id}/`)).json.blocked_until).toBeNull();
  });
});

type Message = { data: { resource: { name: string }; changes: { after: string | null }[] } };

describe("somebody who subscribes", () => {
  const as = { key: "" };
  beforeAll(() => {
    as.key = bob.key;
  });
  const subscribe = (resource_id: unknown, more: object = {}) =>
    api("POST", SUBSCRIPTIONS, { resource_type: "feature_flag", resource_id, ...more }, as);

  it("gets a mail about what others do to the flag, and nothing else", async () => {
    const [flag, other] = [await makeFlag(), await makeFlag()];
    expect((await subscribe(flag.id)).status).toBe(201);
    expect((await api("GET", SUBSCRIPTIONS, undefined, as)).json).toMatchObject({
      count: 1,
      results: [{ name: flag.key, digest: false }],
      email: "bob@example.com",
      can_send: true,
    });
    expect((await api("GET", SUBSCRIPTIONS)).json.count).toBe(0);
    expect((await api("GET", DESTINATIONS)).json.count).toBe(0);
    mail.mails.length = 0;
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name: "By Ada" });
    await api("PATCH", `${ROOT}/feature_flags/${other.id}/`, { name: "By Ada" });
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name: "By Bob" }, as);
    now = new Date(Math.max(now.getTime(), Date.now()));
    await deliver();
    expect(mail.mails.map(({ to }) => to)).toEqual([["bob@example.com"]]);
    const path = `${SUBSCRIPTIONS}feature_flag/${flag.id}/`;
    expect((await api("DELETE", path)).status).toBe(404);
    expect((await api("DELETE", path, undefined, as)).status).toBe(204);
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name: "Later" });
    await deliver();
    expect(mail.mails).toHaveLength(1);
  });

  it("to a digest gets one mail a day", async () => {
    const flag = await makeFlag();
    await subscribe(flag.id, { digest: true });
    mail.mails.length = 0;
    for (const name of ["One", "Two", "Three"])
      await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name });
    now = new Date(Math.max(now.getTime(), Date.now()));
    await deliver();
    expect(mail.mails).toHaveLength(0);
    const preview = async (key: string) =>
      (await api("GET", `${SUBSCRIPTIONS}digest/`, undefined, { key })).json;
    const digest = await preview(as.key);
    expect(digest).toMatchObject({
      email: "bob@example.com",
      can_send: true,
      hidden: 0,
      mail: { subject: "[Default project] 3 notifications" },
    });
    expect(digest.messages.map(({ data }: Message) => [data.resource.name, data.changes[0]?.after])).toEqual([
      [flag.key, "One"],
      [flag.key, "Two"],
      [flag.key, "Three"],
    ]);
    expect(digest.sends_at).toMatch(/T08:00:00/);
    const { value: other } = await addKey(service.db, bob.id, { scopes: ["user:read"] });
    service.runtime.directory.drop();
    expect(await preview(other)).toMatchObject({ hidden: 3, messages: [], mail: null });
    wait(DAY_MS);
    await deliver();
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]?.text).toContain("3 notifications");
    expect(await preview(as.key)).toMatchObject({ hidden: 0, messages: [], mail: null });
    await api("DELETE", `${SUBSCRIPTIONS}feature_flag/${flag.id}/`, undefined, as);
  });

  it("gets nothing after leaving", async () => {
    const flag = await makeFlag();
    await subscribe(flag.id);
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { name: "Changed" });
    await service.database.pool.query("update users set is_active = false where id = $1", [bob.id]);
    service.runtime.directory.drop();
    mail.mails.length = 0;
    now = new Date(Math.max(now.getTime(), Date.now()));
    await deliver();
    expect(mail.mails).toHaveLength(0);
    await service.database.pool.query("update users set is_active = true where id = $1", [bob.id]);
    service.runtime.directory.drop();
    await api("DELETE", `${SUBSCRIPTIONS}feature_flag/${flag.id}/`, undefined, as);
  });

  it.each([
    [{ resource_type: "feature_flag", resource_id: 2_000_000_000 }, "resource_id"],
    [{ resource_type: "feature_flag", resource_id: "x".repeat(10_000) }, "resource_id"],
    [{ resource_type: "experiment", resource_id: "99999999999999999999" }, "resource_id"],
    [{ resource_type: "survey", resource_id: "1" }, "resource_id"],
    [{ resource_type: "cohort", resource_id: "1" }, "resource_type"],
    [{ resource_type: "feature_flag" }, "resource_id"],
  ])("to %j is refused", async (body, attr) => {
    const reply = await api("POST", SUBSCRIPTIONS, body, as);
    expect([reply.status, reply.json.attr]).toEqual([400, attr]);
  });

  it("does not see the name of what the key may not read", async () => {
    const { id } = await makeFlag();
    const { value: key } = await addKey(service.db, bob.id, { scopes: ["user:write"] });
    service.runtime.directory.drop();
    const body = { resource_type: "feature_flag", resource_id: id };
    expect((await api("POST", SUBSCRIPTIONS, body, { key })).json.name).toBeNull();
    await api("DELETE", `${SUBSCRIPTIONS}feature_flag/${id}/`, undefined, as);
  });
});

describe("destinations", () => {
  it.each([
    [{ address: "ftp://example.com" }, "address"],
    [{ address: "not an address" }, "address"],
    [{ address: "https://user:secret@example.com" }, "address"],
    [{ address: "http://10.0.0.1/" }, "address"],
    [{ address: "http://[::1]/" }, "address"],
    [{ address: "http://0x7f000002/" }, "address"],
    [{ address: `https://example.com/${"x".repeat(2_001)}` }, "address"],
    [{ kind: "email", address: "someone" }, "address"],
    [{ kind: "email", address: "," }, "address"],
    [{ kind: "pigeon" }, "kind"],
    [{ kind: "person" }, "kind"],
    [{ name: "" }, "name"],
    [{ types: ["everything"] }, "types__0"],
    [{ resources: [{ type: "feature_flag", id: "../1" }] }, "resources__0__id"],
    [{ enabled: "yes" }, "enabled"],
  ])("with %j are refused", async (body, attr) => {
    const reply = await api("POST", DESTINATIONS, {
      kind: "webhook",
      name: "Hook",
      address: "https://example.com/hook",
      ...body,
    });
    expect([reply.status, reply.json.attr]).toEqual([400, attr]);
  });

  it("are for administrators", async () => {
    const { id } = await makeDestination("https://example.com/hook");
    for (const [method, path] of [
      ["GET", DESTINATIONS],
      ["GET", `${DESTINATIONS}${id}/`],
      ["POST", `${DESTINATIONS}${id}/test/`],
      ["GET", DELIVERIES],
    ] as const)
      expect((await api(method, path, undefined, { key: bob.key })).status).toBe(403);
  });

  it("have a limit, and are in the activity log without their secrets", async () => {
    const made: string[] = [];
    for (let n = 0; n < 20; n++) made.push((await makeDestination(`https://example.com/${n}`)).id);
    const full = await api("POST", DESTINATIONS, {
      kind: "webhook",
      name: "x",
      address: "https://example.com",
    });
    expect(full.status).toBe(400);
    await api("PATCH", `${DESTINATIONS}${made[0]}/`, { name: "Renamed", enabled: false });
    const log = await api("GET", `${ROOT}/activity_log/?scope=NotificationDestination&item_id=${made[0]}`);
    expect(log.json.results[0].detail.changes).toMatchObject([
      { field: "name", after: "Renamed" },
      { field: "enabled", after: false },
    ]);
    expect(log.text).not.toContain("whsec_");
  });

  it("that are turned off give up what waits, and get it when it is replayed", async () => {
    const receiver = await receive();
    const { id } = await makeDestination(receiver.url);
    await makeFlag();
    await fanOut({ runtime: service.runtime, db: service.db }, now);
    await api("PATCH", `${DESTINATIONS}${id}/`, { enabled: false });
    expect(await deliveriesOf(id)).toMatchObject([{ state: "dead" }]);
    expect((await api("POST", `${DESTINATIONS}${id}/replay/`)).status).toBe(400);
    await api("PATCH", `${DESTINATIONS}${id}/`, { enabled: true });
    await api("POST", `${DESTINATIONS}${id}/replay/`);
    now = new Date(Math.max(now.getTime(), Date.now()));
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it("say what became of a test", async () => {
    const receiver = await receive(() => 418);
    const { id } = await makeDestination(receiver.url);
    expect((await api("POST", `${DESTINATIONS}${id}/test/`)).json).toEqual({
      delivered: false,
      response_status: 418,
      response_body: "noted",
      error: "The receiver refused it (418).",
    });
    expect(await deliveriesOf(id)).toMatchObject([
      { state: "dead", attempts: 1, response_status: 418, payload: { type: "test" } },
    ]);
    expect((await api("GET", `${ROOT}/inbox/`)).json.items).toEqual([]);
    await api("PATCH", `${DESTINATIONS}${id}/`, { address: "http://127.0.0.1:1/" });
    expect((await api("POST", `${DESTINATIONS}${id}/test/`)).json).toMatchObject({
      delivered: false,
      response_status: null,
      error: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

it.each(["0", "-1", "1e3", "x", "9".repeat(15), "9".repeat(30)])("there is no delivery %s", async (id) => {
  expect((await api("GET", `${DELIVERIES}${id}/`)).status).toBe(404);
  expect((await api("POST", `${DELIVERIES}${id}/replay/`)).status).toBe(404);
});

it("old messages are deleted", async () => {
  const receiver = await receive();
  const { id } = await makeDestination(receiver.url);
  const dead = await makeDestination("http://127.0.0.1:1");
  await makeFlag();
  await deliver();
  wait(LIFETIME_MS);
  await deliver();
  const count = async (): Promise<number[]> => [
    (await deliveriesOf(id)).length,
    (await deliveriesOf(dead.id)).length,
  ];
  expect(await count()).toEqual([1, 1]);
  const after = (days: number) =>
    pruneNotifications.run(jobContext(service.runtime, { now: new Date(now.getTime() + days * DAY_MS) }));
  await after(8);
  expect(await count()).toEqual([0, 1]);
  await after(31);
  expect(await count()).toEqual([0, 0]);
  const { rows } = await service.database.pool.query("select count(*)::int as n from notification_messages");
  expect(rows).toEqual([{ n: 0 }]);
});
