import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { personal_api_keys } from "#lib/platform/db/tables/accounts.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const KEYS = "/api/personal_api_keys/";
const denied = { type: "authentication_error", code: "permission_denied", attr: null };

let service: Service;
let api: Service["api"];
/** Organization ids: "home" is the first one, "away" a second one. */
let home: string;
let away: string;
let awayProject: number;
const keys: Record<string, { value: string; id: string }> = {};
const people: Record<string, { id: number; uuid: string }> = {};

const as = (name: string) => ({ key: keys[name]?.value ?? "nobody" });
const id = (name: string) => keys[name]?.id;

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  const { db } = service;
  home = (await api("GET", "/api/organizations/@current/")).json.id;
  const other = await addOrganization(db, "away");
  away = other.organization.id;
  awayProject = other.project.id;
  people.owner = { id: 1, uuid: (await api("GET", "/api/users/@me/")).json.uuid };
  people.admin = await addPerson(db, "admin@home.test", { [home]: 8 });
  people.member = await addPerson(db, "member@home.test", { [home]: 1 });
  people.both = await addPerson(db, "both@both.test", { [home]: 1, [away]: 15 });
  people.stranger = await addPerson(db, "stranger@away.test", { [away]: 15 });
  for (const [name, person] of Object.entries(people)) keys[name] = await addKey(db, person.id);
  keys.reader = await addKey(db, people.member.id, {
    scopes: ["feature_flag:read", "personal_api_key:read"],
  });
  keys.keysOnly = await addKey(db, people.member.id, { scopes: ["personal_api_key:write", "survey:write"] });
  keys.oneProject = await addKey(db, people.both.id, { scoped_teams: [1] });
  keys.awayOnly = await addKey(db, people.both.id, { scoped_organizations: [away] });
  keys.expired = await addKey(db, people.member.id, { expires_at: new Date(Date.now() - 1000) });
  service.runtime.directory.drop();
});

afterAll(() => service.close());

const body = (given: object = {}) => ({ label: "CI", scopes: ["feature_flag:read"], ...given });

test("a new key shows its value once and works at once; only its digest is stored", async () => {
  const made = await api("POST", KEYS, body());
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({
    label: "CI",
    scopes: ["feature_flag:read"],
    scoped_teams: [],
    last_used_at: null,
  });
  expect(made.json.value).toMatch(/^phx_[0-9A-Za-z]{40,50}$/);
  expect((await api("GET", "/api/projects/", undefined, { key: made.json.value })).status).toBe(200);
  const read = await api("GET", `${KEYS}${made.json.id}/`);
  expect(read.json).not.toHaveProperty("value");
  await expect
    .poll(async () => (await api("GET", `${KEYS}${made.json.id}/`)).json.last_used_at)
    .not.toBeNull();
  const [row] = await service.db
    .select()
    .from(personal_api_keys)
    .where(eq(personal_api_keys.id, made.json.id));
  expect(JSON.stringify(row)).not.toContain(made.json.value);
  expect(row?.secure_value).toMatch(/^sha256\$[0-9a-f]{64}$/);
});

test.each([
  ["no label", { label: undefined }, "label", "required"],
  ["an empty label", { label: "  " }, "label", "blank"],
  ["a label of 41 characters", { label: "x".repeat(41) }, "label", "max_length"],
  ["no scopes", { scopes: undefined }, "scopes", "required"],
  ["an empty list of scopes", { scopes: [] }, "scopes", "empty"],
  ["an unknown scope", { scopes: ["feature_flag:own"] }, "scopes__0", "invalid_choice"],
  ["scopes of another type", { scopes: "*" }, "scopes", "invalid_input"],
  ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at", "invalid_input"],
  ["an expiry without a zone", { expires_at: "2090-01-01" }, "expires_at", "invalid_input"],
  ["an unknown project", { scoped_teams: [999] }, "scoped_teams", "does_not_exist"],
  ["a project past the database's numbers", { scoped_teams: [9e9] }, "scoped_teams__0", "max_value"],
  ["a project that is no number", { scoped_teams: ["1"] }, "scoped_teams__0", "invalid_input"],
  [
    "an organization that is no UUID",
    { scoped_organizations: ["x"] },
    "scoped_organizations__0",
    "invalid_input",
  ],
])("a key with %s is refused", async (_, given, attr, code) => {
  const reply = await api("POST", KEYS, body(given));
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ type: "validation_error", attr, code });
});

test("a project of an organization that one is not a member of is refused", async () => {
  const reply = await api("POST", KEYS, body({ scoped_teams: [awayProject] }));
  expect(reply.json).toMatchObject({ attr: "scoped_teams", code: "does_not_exist" });
});

test.each([
  ["more scopes", "keysOnly", { scopes: ["feature_flag:read"] }],
  ["every scope", "keysOnly", { scopes: ["*"] }],
  ["all projects from one", "oneProject", {}],
  ["an organization from one project", "oneProject", { scoped_organizations: ["HOME"] }],
  ["another project", "oneProject", { scoped_teams: ["AWAY"] }],
  ["another organization", "awayOnly", { scoped_organizations: ["HOME"] }],
  ["everything from one organization", "awayOnly", {}],
  ["a project of another organization", "awayOnly", { scoped_teams: [1] }],
])("a key cannot make a key with %s", async (_, name, given) => {
  const text = JSON.stringify(body(given)).replace('"AWAY"', String(awayProject)).replace("HOME", home);
  const reply = await api("POST", KEYS, text, {
    ...as(name),
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(403);
  expect(reply.json).toMatchObject(denied);
});

test.each([
  ["the same scopes", "keysOnly", { scopes: ["survey:write"] }],
  ["less than write", "keysOnly", { scopes: ["survey:read"] }],
  ["its own project", "oneProject", { scoped_teams: [1] }],
  ["its own organization", "awayOnly", { scoped_organizations: ["AWAY"] }],
])("a key can make one with %s", async (_, name, given) => {
  const text = JSON.stringify(body(given)).replace("AWAY", away);
  const reply = await api("POST", KEYS, text, {
    ...as(name),
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(201);
});

test("changing a key's scopes or restriction cannot widen it past the key in use", async () => {
  const narrow = await api("POST", KEYS, body({ scopes: ["survey:read"] }), as("keysOnly"));
  const path = `${KEYS}${narrow.json.id}/`;
  expect((await api("PATCH", path, { scopes: ["*"] }, as("keysOnly"))).status).toBe(403);
  expect((await api("PATCH", path, { scopes: ["survey:write"] }, as("keysOnly"))).status).toBe(200);
  const fenced = await api("POST", KEYS, body({ scoped_teams: [1] }), as("oneProject"));
  const reply = await api("PATCH", `${KEYS}${fenced.json.id}/`, { scoped_teams: [] }, as("oneProject"));
  expect(reply.status).toBe(403);
});

test("rolling a wider key is refused: it would hand that key over", async () => {
  expect((await api("POST", `${KEYS}${id("member")}/roll/`, undefined, as("keysOnly"))).status).toBe(403);
  // A restricted key does not even see wider ones.
  expect((await api("POST", `${KEYS}${id("both")}/roll/`, undefined, as("oneProject"))).status).toBe(404);
  expect((await api("GET", `${KEYS}${id("both")}/`, undefined, as("oneProject"))).status).toBe(404);
});

test("rolling replaces the value: the old one is refused at once", async () => {
  const made = (await api("POST", KEYS, body())).json;
  await api("GET", "/api/projects/", undefined, { key: made.value });
  const rolled = await api("POST", `${KEYS}${made.id}/roll/`);
  expect(rolled.status).toBe(200);
  expect(rolled.json.value).not.toBe(made.value);
  expect(rolled.json.last_rolled_at).not.toBeNull();
  expect((await api("GET", "/api/projects/", undefined, { key: made.value })).status).toBe(401);
  expect((await api("GET", "/api/projects/", undefined, { key: rolled.json.value })).status).toBe(200);
});

test("a key can revoke itself, and is refused from then on", async () => {
  const made = (await api("POST", KEYS, body({ scopes: ["personal_api_key:write"] }))).json;
  const gone = await api("DELETE", `${KEYS}${made.id}/`, undefined, { key: made.value });
  expect([gone.status, gone.text]).toEqual([204, ""]);
  const after = await api("GET", `${KEYS}@current`, undefined, { key: made.value });
  expect(after.status).toBe(401);
  expect(after.json).toMatchObject({ type: "authentication_error", code: "authentication_failed" });
});

test("an expired key is refused; one that expires later works until then", async () => {
  expect((await api("GET", "/api/projects/", undefined, as("expired"))).status).toBe(401);
  const end = Date.now() + 3_600_000;
  const made = (await api("POST", KEYS, body({ expires_at: new Date(end).toISOString() }))).json;
  const statusWithIt = async () =>
    (await api("GET", "/api/projects/", undefined, { key: made.value })).status;
  expect(await statusWithIt()).toBe(200);
  vi.setSystemTime(end + 1);
  try {
    expect(await statusWithIt()).toBe(401);
  } finally {
    vi.useRealTimers();
  }
});

test("any key may ask what it is, with or without a slash", async () => {
  for (const path of [`${KEYS}@current`, `${KEYS}@current/`]) {
    const reply = await api("GET", path, undefined, as("oneProject"));
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id: id("oneProject"),
      scopes: ["*"],
      scoped_teams: [1],
      scoped_organizations: [],
    });
    expect(reply.json.user.email).toBe("both@both.test");
  }
});

test("people list their own keys; administrators those that open their organization", async () => {
  const own = await api("GET", KEYS, undefined, as("member"));
  expect(new Set(own.json.results.map((key: { user_id: number }) => key.user_id))).toEqual(
    new Set([people.member?.id]),
  );
  expect(own.text).not.toContain("secure_value");
  expect((await api("GET", `${KEYS}?all=1`, undefined, as("member"))).status).toBe(403);
  const all = await api("GET", `${KEYS}?all=1`, undefined, as("admin"));
  const ids = all.json.results.map((key: { id: string }) => key.id);
  expect(ids).toContain(id("member"));
  expect(ids).toContain(id("both"));
  expect(ids).not.toContain(id("awayOnly"));
  expect(ids).not.toContain(id("stranger"));
  const page = await api("GET", `${KEYS}?all=1&limit=2`, undefined, as("admin"));
  expect(page.json.results).toHaveLength(2);
  expect(page.json).toMatchObject({ count: all.json.count, previous: null });
  expect(page.json.next).toContain("offset=2");
});

test.each(["GET", "PATCH", "DELETE"])("%s of another person's key is 404 for a member", async (method) => {
  const reply = await api(
    method,
    `${KEYS}${id("admin")}/`,
    method === "PATCH" ? { label: "x" } : undefined,
    as("member"),
  );
  expect(reply.status).toBe(404);
  expect((await api("GET", `${KEYS}${id("admin")}/`, undefined, as("admin"))).json.label).toBe("test");
});

test("keys are listed newest first, in pages", async () => {
  const { id: user_id } = await addPerson(service.db, "many@home.test", { [home]: 1 });
  const made: Awaited<ReturnType<typeof addKey>>[] = [];
  for (let i = 0; i < 5; i += 1) made.push(await addKey(service.db, user_id));
  service.runtime.directory.drop();
  const newest = made.map((key) => key.id).reverse();
  const page = async (query: string) => {
    const { json } = await api("GET", `${KEYS}${query}`, undefined, { key: made[0]?.value ?? "" });
    const ids = json.results.map((key: { id: string }) => key.id);
    return { ids, count: json.count, hasNext: json.next !== null, hasPrevious: json.previous !== null };
  };
  expect(await page("")).toEqual({ ids: newest, count: 5, hasNext: false, hasPrevious: false });
  expect(await page("?limit=2&offset=2")).toEqual({
    ids: newest.slice(2, 4),
    count: 5,
    hasNext: true,
    hasPrevious: true,
  });
  expect((await page("?limit=2&offset=4")).ids).toEqual(newest.slice(4));
  const all = await api("GET", `${KEYS}?all=true&limit=1000`, undefined, as("admin"));
  expect(all.json.results.map((key: { id: string }) => key.id)).toEqual(expect.arrayContaining(newest));
});

test("a person has five hundred keys at most", async () => {
  const { id: user_id } = await addPerson(service.db, "hoarder@home.test", { [home]: 1 });
  const own = await addKey(service.db, user_id);
  const values = Array.from({ length: 498 }, (_, i) => ({
    user_id,
    label: `key ${i}`,
    secure_value: `sha256$hoarded-${i}`,
    mask_value: "phx_...",
    scopes: ["survey:read"],
    scoped_teams: [],
    scoped_organizations: [],
  }));
  await service.db.insert(personal_api_keys).values(values);
  service.runtime.directory.drop();
  const make = () => api("POST", KEYS, body(), { key: own.value });
  const last = await make();
  expect(last.status, last.text).toBe(201);
  const beyond = await make();
  expect([beyond.status, beyond.json.detail]).toEqual([400, expect.stringContaining("500 keys")]);
  expect((await api("DELETE", `${KEYS}${last.json.id}/`, undefined, { key: own.value })).status).toBe(204);
  expect((await make()).status).toBe(201);
});

test("the owner of a key is named by email address, in any case, or by id", async () => {
  const ownerOf = async (user: string | undefined, name: string) =>
    (await api("POST", KEYS, body({ user }), as(name))).json.user_id;
  expect(await ownerOf("Member@HOME.test", "admin")).toBe(people.member?.id);
  expect(await ownerOf(people.member?.uuid, "admin")).toBe(people.member?.id);
  expect(await ownerOf("member@home.test", "member")).toBe(people.member?.id);
  expect(await ownerOf(undefined, "member")).toBe(people.member?.id);
});

test("a key for another member stays within the organization that the administrator administers", async () => {
  const made = await api("POST", KEYS, body({ scopes: ["*"], user: "both@both.test" }), as("admin"));
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ user_id: people.both?.id, scoped_organizations: [home] });
  const call = { key: made.json.value };
  const open = (await api("GET", "/api/projects/", undefined, call)).json.results;
  expect(open.map((project: { id: number }) => project.id)).toEqual([1]);
  expect((await api("GET", `/api/projects/${awayProject}/`, undefined, call)).status).toBe(403);
  // Nor does it reach that person's other keys, nor the person.
  expect((await api("POST", `${KEYS}${id("both")}/roll/`, undefined, call)).status).toBe(404);
  expect((await api("PATCH", "/api/users/@me/", { first_name: "Eve" }, call)).status).toBe(403);
});

test.each([
  ["a member for somebody else", "member", { user: "admin@home.test" }],
  ["an administrator for somebody above", "admin", { user: "admin@localhost.local" }],
  ["an administrator for a stranger", "admin", { user: "stranger@away.test" }],
  ["an administrator for nobody", "admin", { user: "ghost@nowhere.test" }],
  [
    "an administrator in another organization",
    "admin",
    { user: "both@both.test", scoped_organizations: ["AWAY"] },
  ],
])("%s cannot make a key", async (_, name, given) => {
  const text = JSON.stringify(body(given)).replace("AWAY", away);
  const reply = await api("POST", KEYS, text, {
    ...as(name),
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(403);
});

test("an administrator revokes a member's key, but not one that opens other organizations too", async () => {
  const own = await addKey(service.db, people.member?.id ?? 0);
  expect((await api("DELETE", `${KEYS}${own.id}/`, undefined, as("admin"))).status).toBe(204);
  expect((await api("GET", "/api/projects/", undefined, { key: own.value })).status).toBe(401);
  expect((await api("DELETE", `${KEYS}${id("both")}/`, undefined, as("admin"))).status).toBe(403);
  expect((await api("POST", `${KEYS}${id("both")}/roll/`, undefined, as("admin"))).status).toBe(403);
  // Rolling would hand over what the member may come to have elsewhere, unless the key is fenced in.
  const wide = await addKey(service.db, people.member?.id ?? 0);
  const fenced = await addKey(service.db, people.member?.id ?? 0, { scoped_organizations: [home] });
  expect((await api("POST", `${KEYS}${wide.id}/roll/`, undefined, as("admin"))).status).toBe(403);
  expect((await api("POST", `${KEYS}${fenced.id}/roll/`, undefined, as("admin"))).status).toBe(200);
  expect((await api("GET", "/api/projects/", undefined, as("both"))).status).toBe(200);
});

test.each(["00000000-0000-4000-8000-000000000000", "12", "none"])(
  "the key %s is not found",
  async (unknown) => {
    const reply = await api("GET", `${KEYS}${unknown}/`);
    expect([reply.status, reply.json.code]).toEqual([404, "not_found"]);
  },
);

test("what happens to a key is in the log of the projects that it opens, never its value", async () => {
  const made = (await api("POST", KEYS, body({ label: "watched" }))).json;
  await api("PATCH", `${KEYS}${made.id}/`, { label: "watched 2" });
  const rolled = (await api("POST", `${KEYS}${made.id}/roll/`)).json;
  await api("DELETE", `${KEYS}${made.id}/`);
  const log = await api("GET", `/api/projects/1/activity_log/?scope=PersonalAPIKey&item_id=${made.id}`);
  expect(log.json.results.map((entry: { activity: string }) => entry.activity)).toEqual([
    "deleted",
    "rolled",
    "updated",
    "created",
  ]);
  expect(log.json.results[2].detail.changes).toEqual([
    { type: "PersonalAPIKey", action: "changed", field: "label", before: "watched", after: "watched 2" },
  ]);
  for (const value of [made.value, rolled.value]) expect(log.text).not.toContain(value);
  expect([made.last_rolled_at, rolled.label]).toEqual([null, "watched 2"]);
  expect(Date.parse(rolled.last_rolled_at)).toBeGreaterThanOrEqual(Date.parse(made.created_at));
  expect(rolled.mask_value).not.toBe(made.mask_value);
  // Others' keys are none of a member's business.
  const member = await api(
    "GET",
    "/api/projects/1/activity_log/?scope=PersonalAPIKey",
    undefined,
    as("member"),
  );
  expect(member.text).not.toContain("watched");
  const elsewhere = await api("GET", `/api/projects/${awayProject}/activity_log/`, undefined, as("stranger"));
  expect(elsewhere.text).not.toContain("watched");
});

test("what changes nothing is not in the log, and what happens to a fenced key only where it opens", async () => {
  const fenced = { label: "fenced", scoped_teams: [awayProject] };
  const made = (await api("POST", KEYS, body(fenced), as("both"))).json;
  for (const given of [{}, { label: "fenced" }, { scopes: ["feature_flag:read"] }])
    expect((await api("PATCH", `${KEYS}${made.id}/`, given, as("both"))).json.label).toBe("fenced");
  const logOf = async (project: number, name: string) => {
    const path = `/api/projects/${project}/activity_log/?scope=PersonalAPIKey&item_id=${made.id}`;
    return (await api("GET", path, undefined, as(name))).json.results.map(
      (entry: { activity: string }) => entry.activity,
    );
  };
  expect(await logOf(awayProject, "both")).toEqual(["created"]);
  expect(await logOf(1, "owner")).toEqual([]);
});
