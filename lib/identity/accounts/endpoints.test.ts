import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandle } from "#lib/app/api.ts";
import { createRuntime, follow } from "#lib/app/runtime.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { createTestDatabase } from "#testing/database.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let api: Service["api"];
let home: string;
let away: string;
let awayProject: number;
const keys: Record<string, string> = {};
const people: Record<string, { id: number; uuid: string }> = {};

const as = (name: string) => ({ key: keys[name] ?? "nobody" });

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  const { db } = service;
  home = (await api("GET", "/api/organizations/@current/")).json.id;
  const other = await addOrganization(db, "away");
  away = other.organization.id;
  awayProject = other.project.id;
  people.admin = await addPerson(db, "admin@home.test", { [home]: 8 });
  people.member = await addPerson(db, "member@home.test", { [home]: 1 });
  people.both = await addPerson(db, "both@both.test", { [home]: 1, [away]: 15 });
  for (const [name, person] of Object.entries(people)) keys[name] = (await addKey(db, person.id)).value;
  keys.oneProject = (await addKey(db, people.both.id, { scoped_teams: [awayProject] })).value;
  keys.awayOnly = (await addKey(db, people.both.id, { scoped_organizations: [away] })).value;
  keys.flagsOnly = (await addKey(db, 1, { scopes: ["feature_flag:read"] })).value;
  keys.projectReader = (await addKey(db, 1, { scopes: ["project:read"] })).value;
  service.runtime.directory.drop();
});

afterAll(() => service.close());

test("any key lists the projects it may use", async () => {
  const ids = async (name: string) =>
    (await api("GET", "/api/projects/", undefined, as(name))).json.results.map((p: { id: number }) => p.id);
  expect(await ids("member")).toEqual([1]);
  expect(await ids("flagsOnly")).toEqual([1]);
  expect(await ids("both")).toEqual([1, awayProject]);
  expect(await ids("oneProject")).toEqual([awayProject]);
  expect(await ids("awayOnly")).toEqual([awayProject]);
  const page = await api("GET", "/api/projects?limit=1", undefined, as("both"));
  expect(page.json).toMatchObject({ count: 2, previous: null });
  expect(page.json.next).toBe("http://switchyard.test/api/projects?limit=1&offset=1");
  expect(Object.keys(page.json.results[0])).toEqual([
    "id",
    "uuid",
    "organization",
    "api_token",
    "name",
    "timezone",
    "is_demo",
    "ingested_event",
    "access_control",
    "created_at",
  ]);
});

test("the secret key of a project is shown to keys that may change it", async () => {
  const full = await api("GET", "/api/projects/@current/");
  expect(full.json).toMatchObject({ id: 1, access_control: false, api_token: service.token });
  expect(full.json.secret_api_token).toMatch(/^phs_/);
  expect((await api("GET", "/api/projects/1", undefined, as("projectReader"))).json).not.toHaveProperty(
    "secret_api_token",
  );
});

test("other projects are 403 for strangers and fenced keys, 404 when they are not there", async () => {
  expect((await api("GET", `/api/projects/${awayProject}/`, undefined, as("member"))).status).toBe(403);
  expect((await api("GET", "/api/projects/1/", undefined, as("oneProject"))).status).toBe(403);
  expect((await api("GET", "/api/projects/4711/")).status).toBe(404);
  expect((await api("DELETE", "/api/projects/1/")).status).toBe(405);
});

test("an administrator makes a project with tokens of its own", async () => {
  const made = await api(
    "POST",
    "/api/projects/",
    { name: " Shop ", timezone: "Europe/Berlin" },
    as("admin"),
  );
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ name: "Shop", timezone: "Europe/Berlin", organization: home });
  expect(made.json.api_token).toMatch(/^phc_/);
  expect(made.json.secret_api_token).toMatch(/^phs_/);
  expect((await api("GET", `/api/projects/${made.json.id}/`, undefined, as("member"))).status).toBe(200);
  expect((await api("POST", "/api/projects/", { name: "No" }, as("member"))).status).toBe(403);
  expect((await api("POST", "/api/projects/", { name: "No" }, as("oneProject"))).status).toBe(403);
  expect((await api("POST", "/api/projects/", { name: "No", organization: away }, as("admin"))).status).toBe(
    404,
  );
  expect((await api("POST", "/api/projects/", { name: "Yes", organization: away }, as("both"))).status).toBe(
    201,
  );
});

test.each([
  [{}, "name", "required"],
  [{ name: "" }, "name", "blank"],
  [{ name: 5 }, "name", "invalid_input"],
  [{ name: "x".repeat(201) }, "name", "max_length"],
  [{ name: "x", timezone: "Mars/Olympus" }, "timezone", "invalid_choice"],
  [{ name: "x", timezone: "+02:00" }, "timezone", "invalid_choice"],
  [{ name: "x", organization: "home" }, "organization", "invalid_input"],
])("a project of %j is refused", async (given, attr, code) => {
  const reply = await api("POST", "/api/projects/", given);
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ type: "validation_error", attr, code });
});

test("renaming a project is logged", async () => {
  const { id } = (await api("POST", "/api/projects/", { name: "Before" })).json;
  const reply = await api("PATCH", `/api/projects/${id}/`, { name: "After" });
  expect(reply.json).toMatchObject({ name: "After", timezone: "UTC" });
  const log = (await api("GET", `/api/projects/${id}/activity_log/?scope=Project`)).json.results;
  expect(log.map((e: { activity: string }) => e.activity)).toEqual(["updated", "created"]);
  expect(log[0].detail.changes).toEqual([
    { type: "Project", action: "changed", field: "name", before: "Before", after: "After" },
  ]);
  expect((await api("PATCH", `/api/projects/${id}/`, { timezone: "Nowhere" })).status).toBe(400);
});

test.each([
  ["reset_token", "api_token", "phc_"],
  ["rotate_secret_token", "secret_api_token", "phs_"],
])(
  "%s replaces the %s, for administrators, and the log does not tell the value",
  async (verb, field, prefix) => {
    const { id } = (await api("POST", "/api/projects/", { name: "Tokens" })).json;
    const before = (await api("GET", `/api/projects/${id}/`)).json[field];
    expect((await api("POST", `/api/projects/${id}/${verb}/`, undefined, as("member"))).status).toBe(403);
    const after = (await api("POST", `/api/projects/${id}/${verb}/`, undefined, as("admin"))).json[field];
    expect(after).not.toBe(before);
    expect(after.startsWith(prefix)).toBe(true);
    const log = await api("GET", `/api/projects/${id}/activity_log/`);
    expect(log.json.results[0].detail.changes[0]).toMatchObject({ field, before: null, after: null });
    for (const value of [before, after]) expect(log.text).not.toContain(value);
  },
);

test("organizations, by id and as @current, and their projects", async () => {
  expect((await api("GET", "/api/organizations/", undefined, as("both"))).json.results).toMatchObject([
    { id: home, membership_level: 1 },
    { id: away, membership_level: 15 },
  ]);
  expect((await api("GET", `/api/organizations/${away}/`, undefined, as("both"))).json.slug).toBe("away");
  const projects = await api("GET", `/api/organizations/${away}/projects/`, undefined, as("awayOnly"));
  expect(projects.json.results[0].id).toBe(awayProject);
  expect((await api("GET", "/api/organizations/@current/", undefined, as("awayOnly"))).json.id).toBe(away);
});

test.each([
  ["a stranger", "member", "AWAY", 404],
  ["a key of other organizations", "awayOnly", "HOME", 403],
  ["a key of projects", "oneProject", "AWAY", 403],
  ["an unknown id", "both", "00000000-0000-4000-8000-000000000000", 404],
  ["nonsense", "both", "home", 404],
])("an organization is closed to %s", async (_, name, named, status) => {
  const id = named.replace("AWAY", away).replace("HOME", home);
  for (const part of ["", "projects/", "members/"])
    expect((await api("GET", `/api/organizations/${id}/${part}`, undefined, as(name))).status).toBe(status);
});

const MEMBERS = "/api/organizations/@current/members/";

test("an administrator adds a person, changes the level and switches the person off and on", async () => {
  const given = { email: "New@Home.test", first_name: "Nina", last_name: "New" };
  const made = await api("POST", MEMBERS, given, as("admin"));
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({
    level: 1,
    is_active: true,
    user: { ...given, is_email_verified: false },
  });
  const { uuid } = made.json.user;
  const key = (await addKey(service.db, made.json.user.id)).value;
  expect((await api("PATCH", `${MEMBERS}${uuid}/`, { level: 8 }, as("admin"))).json.level).toBe(8);
  expect((await api("GET", "/api/projects/", undefined, { key })).status).toBe(200);
  expect((await api("PATCH", `${MEMBERS}${uuid}/`, { is_active: false }, as("admin"))).json.is_active).toBe(
    false,
  );
  expect((await api("GET", "/api/projects/", undefined, { key })).status).toBe(401);
  await api("PATCH", `${MEMBERS}${uuid}/`, { is_active: true }, as("admin"));
  expect((await api("GET", "/api/projects/", undefined, { key })).status).toBe(200);
  const again = await api("POST", MEMBERS, { email: "new@home.TEST" }, as("admin"));
  expect([again.status, again.json.attr, again.json.code]).toEqual([400, "email", "unique"]);
  const log = (await api("GET", `/api/projects/1/activity_log/?item_id=${uuid}`)).json.results;
  expect(log.map((e: { activity: string; scope: string }) => [e.scope, e.activity])).toEqual([
    ["OrganizationMembership", "updated"],
    ["OrganizationMembership", "updated"],
    ["OrganizationMembership", "updated"],
    ["OrganizationMembership", "created"],
  ]);
});

test.each([
  [{}, "email", "required"],
  [{ email: "nobody" }, "email", "invalid_input"],
  [{ email: "a@b.test", level: 7 }, "level", "invalid_choice"],
  [{ email: "a@b.test", first_name: "x".repeat(151) }, "first_name", "max_length"],
])("a member of %j is refused", async (given, attr, code) => {
  const reply = await api("POST", MEMBERS, given, as("admin"));
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ attr, code });
});

test.each([
  ["a member adds nobody", "member", "POST", "", { email: "x@y.test" }],
  ["an administrator makes no owner", "admin", "POST", "", { email: "x@y.test", level: 15 }],
  ["an administrator raises nobody to owner", "admin", "PATCH", "member", { level: 15 }],
  ["an administrator does not touch an owner", "admin", "PATCH", "owner", { level: 1 }],
  ["nobody changes their own level", "admin", "PATCH", "admin", { level: 1 }],
  ["nobody is switched off for organizations of others", "admin", "PATCH", "both", { is_active: false }],
])("%s", async (_, name, method, target, given) => {
  people.owner = (await api("GET", "/api/users/@me/")).json;
  const path = target ? `${MEMBERS}${people[target]?.uuid}/` : MEMBERS;
  expect((await api(method, path, given, as(name))).status).toBe(403);
});

test("two owners cannot demote each other at the same moment", async () => {
  const second = await addPerson(service.db, "second@home.test", { [home]: 15 });
  const { value } = await addKey(service.db, second.id);
  service.runtime.directory.drop();
  const { uuid } = (await api("GET", "/api/users/@me/")).json;
  const replies = await Promise.all([
    api("PATCH", `${MEMBERS}${second.uuid}/`, { level: 1 }),
    api("PATCH", `${MEMBERS}${uuid}/`, { level: 1 }, { key: value }),
  ]);
  expect(replies.map((r) => r.status).sort()).toEqual([200, 403]);
  const { results } = (await api("GET", MEMBERS)).json;
  expect(results.filter((m: { level: number }) => m.level === 15)).toHaveLength(1);
  // The first person stays owner for the tests that follow.
  if (replies[1]?.status === 200) await api("PATCH", `${MEMBERS}${uuid}/`, { level: 15 }, { key: value });
});

test("a person sees and changes themselves", async () => {
  const me = await api("GET", "/api/users/@me/", undefined, as("both"));
  expect(me.json).toMatchObject({
    id: people.both?.id,
    email: "both@both.test",
    organization: { id: home, membership_level: 1 },
    organizations: [{ id: home }, { id: away }],
    team: { id: 1, organization: home, api_token: service.token, timezone: "UTC" },
    hedgehog_config: null,
  });
  const fenced = await api("GET", "/api/users/@me", undefined, as("oneProject"));
  expect(fenced.json).toMatchObject({ team: { id: awayProject }, organization: { id: away } });
  const changes = { first_name: "Bo", email: "bo@both.test", role_at_organization: "engineering" };
  const changed = await api("PATCH", "/api/users/@me/", changes, as("both"));
  expect(changed.json).toMatchObject({ ...changes, last_name: "" });
  expect((await api("GET", "/api/users/@me/", undefined, as("both"))).json).toMatchObject(changes);
});

test.each([
  [{ email: "ADMIN@home.test" }, "email", "unique"],
  [{ email: "no address" }, "email", "invalid_input"],
  [{ first_name: null }, "first_name", "null"],
  [{ first_name: ["x"] }, "first_name", "invalid_input"],
])("changing oneself to %j is refused", async (given, attr, code) => {
  const reply = await api("PATCH", "/api/users/@me/", given, as("member"));
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ attr, code });
});

test("a second process refuses a revoked key, and knows a new member, as soon as it hears of them", async () => {
  const database = await createTestDatabase();
  try {
    const first = await bootstrap(database.db, {});
    const start = async () => {
      const runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32) });
      await follow(runtime, database.notifications.subscribe);
      return createHandle(runtime, { limits: { management: 0, definitions: 0, events: 0 }, version: "0" });
    };
    const [one, two] = [await start(), await start()];
    const call = (handle: typeof one, method: string, path: string, key: string, body?: object) =>
      handle(
        new Request(`http://switchyard.test${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
    const root = first?.personal_api_key ?? "";
    const made = await call(one, "POST", "/api/personal_api_keys/", root, { label: "x", scopes: ["*"] });
    const { id, value } = (await made.json()) as { id: string; value: string };
    expect((await call(two, "GET", "/api/projects/", value)).status).toBe(200);
    await call(one, "DELETE", `/api/personal_api_keys/${id}/`, root);
    expect((await call(one, "GET", "/api/projects/", value)).status).toBe(401);
    await expect
      .poll(async () => (await call(two, "GET", "/api/projects/", value)).status, {
        timeout: 60_000,
        interval: 10,
      })
      .toBe(401);
    await call(one, "POST", "/api/projects/", root, { name: "Second" });
    await expect
      .poll(async () => (await call(two, "GET", "/api/projects/2/", root)).status, {
        timeout: 60_000,
        interval: 10,
      })
      .toBe(200);
  } finally {
    await database.close();
  }
});

test("administrators see how the service and its database are, others do not", async () => {
  const { status, json } = await api("GET", "/api/instance_status/");
  expect(status).toBe(200);
  expect(json).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node_version: process.versions.node,
    database: { version: expect.stringMatching(/^\d+/), schema: expect.stringMatching(/^\d{4}_/) },
    last_backup: null,
    jobs: { running: 0, overdue: 0, failed: 0 },
  });
  expect(json.database.bytes).toBeGreaterThan(1_000_000);
  expect(json.database.tables.length).toBeGreaterThan(3);
  await service.db.execute(
    "insert into backups (created_at, file, bytes, rows) values (now() - interval '2 days', 'old', 1, 1), (now(), 'new', 7, 3)",
  );
  const { last_backup } = (await api("GET", "/api/instance_status/")).json;
  expect(last_backup).toMatchObject({ file: "new", bytes: 7, rows: 3, verified_at: null });
  expect(json.database.event_partitions.count).toBeGreaterThan(1);
  expect(json.database.event_partitions.bytes).toBeGreaterThan(0);
  expect(json.backup_schedule).toBeNull();
  expect(json.spool).toMatchObject({ files: 0, bytes: 0 });
  expect((await api("GET", "/api/instance_status/", undefined, as("member"))).status).toBe(403);
  expect((await api("GET", "/api/instance_status/", undefined, as("oneProject"))).status).toBe(403);
});

test("administrators see how background work is doing, and run again what has failed", async () => {
  await service.db.execute(`
    insert into jobs (name, key, state, run_at, attempts, last_error, finished_at) values
      ('work', 'a', 'failed', now() - interval '1 hour', 10, 'Older.', now() - interval '2 hours'),
      ('work', 'b', 'waiting', now() + interval '1 hour', 3, 'The disk is full.', now() - interval '1 hour'),
      ('work', 'c', 'waiting', now() - interval '90 seconds', 0, null, null),
      ('work', 'd', 'done', now() - interval '1 hour', 0, null, now()),
      ('other', '', 'waiting', now() + interval '2 hours', 0, null, now())`);
  const kindsNow = async () => (await api("GET", "/api/instance_status/")).json.jobs.kinds;
  const [other, work] = await kindsNow();
  expect(other).toMatchObject({
    name: "other",
    waiting: 1,
    retrying: 0,
    failed: 0,
    late_seconds: 0,
    last_error: null,
  });
  expect(work).toMatchObject({
    name: "work",
    waiting: 2,
    running: 0,
    retrying: 1,
    failed: 1,
    last_error: "The disk is full.",
  });
  expect(work.late_seconds).toBeGreaterThanOrEqual(90);
  expect(work.late_seconds).toBeLessThan(150);
  expect(Date.parse(work.next_run_at)).toBeLessThan(Date.now());
  const retry = (body: unknown, key?: { key: string }) =>
    api("POST", "/api/instance_status/retry_jobs/", body, key);
  expect((await retry({ name: "work" }, as("member"))).status).toBe(403);
  expect((await retry({ name: "work" }, as("oneProject"))).status).toBe(403);
  expect((await retry({ name: "" })).status).toBe(400);
  expect(await retry({ name: "work" })).toMatchObject({ status: 200, json: { retried: 2 } });
  expect(await retry({ name: "nothing" })).toMatchObject({ status: 200, json: { retried: 0 } });
  expect((await kindsNow())[1]).toMatchObject({ waiting: 3, failed: 0, retrying: 2 });
  const due = await service.db.execute(
    "select key from jobs where name = 'work' and state = 'waiting' and run_at <= now() order by key",
  );
  expect(due.rows.map(({ key }) => key)).toEqual(["a", "b", "c"]);
  await service.db.execute("delete from jobs where name in ('work', 'other')");
});

test("administrators see slow statements without values, where the database collects them", async () => {
  const status = async () => (await api("GET", "/api/instance_status/")).json.database.slow_statements;
  await service.db.execute("select pg_sleep(0.15), 'canary' as private");
  const found = await status();
  if (found === null) return expect(process.env.DATABASE_URL).toBeTruthy();
  const slow = found.find(({ statement }: { statement: string }) => statement.includes("pg_sleep"));
  expect(slow).toMatchObject({ statement: "select pg_sleep($1), $2 as private", calls: 1 });
  expect(slow.max_ms).toBeGreaterThan(149);
  expect(JSON.stringify(found)).not.toContain("canary");
});
