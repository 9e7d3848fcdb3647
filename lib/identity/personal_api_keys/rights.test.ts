import { eq, inArray } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personal_api_keys, users } from "#lib/platform/db/tables/accounts.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const KEYS = "/api/personal_api_keys/";
const DAY_MS = 86_400_000;
const start = Date.now();
const inDays = (days: number) => new Date(start + days * DAY_MS);

let service: Service;
let home: string;
let away: string;
let awayProject: number;
let user: number;

beforeAll(async () => {
  service = await startService();
  home = (await service.api("GET", "/api/organizations/@current/")).json.id;
  const other = await addOrganization(service.db, "away");
  away = other.organization.id;
  awayProject = other.project.id;
  user = (await addPerson(service.db, "both@both.test", { [home]: 15, [away]: 15 })).id;
  service.runtime.directory.drop();
});
afterEach(() => service.db.delete(personal_api_keys).where(eq(personal_api_keys.user_id, user)));
beforeEach(() => addKey(service.db, user));
afterAll(() => service.close());

type Rights = {
  scopes: string[];
  days: number | null;
  /** Whether it opens the home organization, its project 1, the other organization, or all of them. */
  where: "everywhere" | "home" | "home project" | "away" | "away project";
};

const restrictionOf = (where: Rights["where"]) => ({
  scoped_teams: where === "home project" ? [1] : where === "away project" ? [awayProject] : [],
  scoped_organizations: where === "home" ? [home] : where === "away" ? [away] : [],
});
const addKeyWith = async ({ scopes, days, where }: Rights) => {
  const expires = days === null ? {} : { expires_at: inDays(days) };
  return addKey(service.db, user, { scopes, ...expires, ...restrictionOf(where) });
};
const bodyOf = ({ scopes, days, where }: Rights) => ({
  label: "Made",
  scopes,
  expires_at: days === null ? null : inDays(days).toISOString(),
  ...restrictionOf(where),
});

const OPENS: Record<Rights["where"], string[]> = {
  everywhere: ["everywhere", "home", "home project", "away", "away project"],
  home: ["home", "home project"],
  "home project": ["home project"],
  away: ["away", "away project"],
  "away project": ["away project"],
};
const scopesWithin = (wide: string[], narrow: string[]) =>
  narrow.every((scope) => allows(wide, scope as never));
const isWithin = (own: Rights, other: Rights) =>
  scopesWithin(own.scopes, other.scopes) &&
  (own.days === null || (other.days !== null && other.days <= own.days)) &&
  OPENS[own.where].includes(other.where);

const SCOPES = [
  ["*"],
  ["personal_api_key:write", "feature_flag:write"],
  ["personal_api_key:write", "feature_flag:read"],
];
const DAYS = [null, 7];
const PLACES = ["everywhere", "home", "home project", "away project"] as const;
const all: Rights[] = SCOPES.flatMap((scopes) =>
  DAYS.flatMap((days) => PLACES.map((where) => ({ scopes, days, where }))),
);
const nameOf = ({ scopes, days, where }: Rights) => `${scopes.join(" ")} / ${days ?? "never"} / ${where}`;

describe.each(all.map((own) => [nameOf(own), own] as const))("a key with %s", (_, own) => {
  test("makes, changes, rolls and deletes exactly the keys that lie within its own rights", async () => {
    const { value: key } = await addKeyWith(own);
    const send = (method: string, path: string, body?: object) =>
      service.api(method, `${KEYS}${path}`, body, { key });
    for (const other of all) {
      const within = isWithin(own, other);
      const about = `against ${nameOf(other)}`;
      const made = await send("POST", "", bodyOf(other));
      expect(made.status === 201, `create ${about}: ${made.text}`).toBe(within);
      if (!within) expect(made.status, `create ${about}`).toBe(403);

      const target = await addKeyWith(other);
      const statuses = [
        (await send("PATCH", `${target.id}/`, { label: "Relabelled" })).status,
        (await send("POST", `${target.id}/roll/`)).status,
        (await send("DELETE", `${target.id}/`)).status,
      ];
      if (within) expect(statuses, about).toEqual([200, 200, 204]);
      else for (const status of statuses) expect([403, 404], about).toContain(status);

      const narrow = await addKeyWith({ scopes: ["survey:read"], days: 1, where: "home project" });
      const { label: _, ...rights } = bodyOf(other);
      const before = { scopes: ["survey:read"], days: 1, where: "home project" as const };
      const widened = await send("PATCH", `${narrow.id}/`, rights);
      expect(widened.status === 200, `widen ${about}: ${widened.text}`).toBe(within && isWithin(own, before));
    }
  });
});

test("a key can shorten its own expiry, but neither extend nor clear it", async () => {
  const { value: key, id } = await addKeyWith({
    scopes: ["personal_api_key:write"],
    days: 7,
    where: "everywhere",
  });
  const expire = (expires_at: string | null) =>
    service.api("PATCH", `${KEYS}${id}/`, { expires_at }, { key });
  expect((await expire(null)).status).toBe(403);
  expect((await expire(inDays(8).toISOString())).status).toBe(403);
  expect((await expire(inDays(6).toISOString())).status).toBe(200);
  expect((await expire(inDays(6.5).toISOString())).json.detail).toContain("expire after itself");
});

test("a key that expires makes keys that expire with it, unless an earlier time is given", async () => {
  const { value: key } = await addKeyWith({ scopes: ["personal_api_key:write"], days: 7, where: "home" });
  const own = (await service.api("GET", `${KEYS}@current/`, undefined, { key })).json.expires_at;
  const body = { label: "Made", scopes: ["personal_api_key:read"], scoped_organizations: [home] };
  const made = await service.api("POST", KEYS, body, { key });
  expect(made.json.expires_at, made.text).toBe(own);
});

describe("the last key with full access to an organization", () => {
  let alone: { value: string; id: string };
  let organization: string;
  let person: number;

  beforeAll(async () => {
    organization = (await addOrganization(service.db, "alone")).organization.id;
    person = (await addPerson(service.db, "alone@alone.test", { [organization]: 15 })).id;
    // A member's own full key administers nothing.
    const member = await addPerson(service.db, "member@alone.test", { [organization]: 1 });
    await addKey(service.db, member.id);
    alone = await addKey(service.db, person);
    service.runtime.directory.drop();
  });
  const change = (body: object) => service.api("PATCH", `${KEYS}${alone.id}/`, body, { key: alone.value });
  const refused = { status: 400, json: { code: "last_full_key", attr: null } };

  test("is neither narrowed nor deleted nor given an expiry", async () => {
    expect(await change({ scopes: ["personal_api_key:write"] })).toMatchObject(refused);
    expect(await change({ scoped_organizations: [organization] })).toMatchObject(refused);
    expect(await change({ expires_at: inDays(30).toISOString() })).toMatchObject(refused);
    const gone = await service.api("DELETE", `${KEYS}${alone.id}/`, undefined, { key: alone.value });
    expect(gone).toMatchObject(refused);
    expect(gone.json.detail).toContain("organization alone");
    expect((await change({ label: "Renamed" })).status).toBe(200);
    expect((await change({ scopes: ["*", "survey:read"] })).status).toBe(200);
  });

  test("stays the last one while the other administrators are switched off, or their keys are narrower", async () => {
    const deputy = await addPerson(service.db, "deputy@alone.test", { [organization]: 8 });
    await addKey(service.db, deputy.id, { scopes: ["feature_flag:write"] });
    await addKey(service.db, deputy.id, { scoped_organizations: [organization] });
    await addKey(service.db, deputy.id, { expires_at: inDays(30) });
    const given = { expires_at: inDays(60).toISOString() };
    service.runtime.directory.drop();
    expect(await change(given)).toMatchObject(refused);
    await addKey(service.db, deputy.id);
    await service.db.update(users).set({ is_active: false }).where(eq(users.id, deputy.id));
    service.runtime.directory.drop();
    expect(await change(given)).toMatchObject(refused);
  });

  test("goes once there is another, and two cannot remove each other at once", async () => {
    const second = await addKey(service.db, person);
    const answers = await Promise.all([
      service.api("DELETE", `${KEYS}${alone.id}/`, undefined, { key: second.value }),
      service.api("DELETE", `${KEYS}${second.id}/`, undefined, { key: alone.value }),
    ]);
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses[0]).toBe(204);
    expect([400, 401, 404]).toContain(statuses[1]);
    const left = await service.db
      .select()
      .from(personal_api_keys)
      .where(inArray(personal_api_keys.id, [alone.id, second.id]));
    expect(left).toHaveLength(1);
  });
});

test("no sequence of calls by a key yields a usable key with a right that it lacks", async () => {
  const rights = fc.record({
    scopes: fc.constantFrom(...SCOPES, ["survey:read"], ["feature_flag:write"]),
    days: fc.constantFrom(null, 30, 7, 2),
    where: fc.constantFrom<Rights["where"][]>("everywhere", "home", "home project", "away", "away project"),
  });
  const call = fc.record({
    verb: fc.constantFrom("create", "change", "widen", "roll", "delete"),
    by: fc.nat(20),
    on: fc.nat(20),
    rights,
    parts: fc.subarray(["scopes", "expires_at", "scoped_teams", "scoped_organizations"], { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(
      rights.map((own) => ({ ...own, scopes: [...own.scopes, "personal_api_key:write"] })),
      fc.array(rights, { minLength: 1, maxLength: 3 }),
      fc.array(call, { minLength: 1, maxLength: 12 }),
      async (own, others, calls) => {
        const first = await addKeyWith(own);
        /** Values that whoever holds the first key has got hold of, by the keys' ids. */
        const held = new Map([[first.id, first.value]]);
        const known = [first.id];
        for (const other of others) known.push((await addKeyWith(other)).id);
        for (const { verb, by, on, rights: wanted, parts } of calls) {
          const key = [...held.values()][by % held.size] as string;
          const id = known[on % known.length] as string;
          const { label: _, ...sent } = bodyOf(wanted);
          const some = Object.fromEntries(Object.entries(sent).filter(([name]) => parts.includes(name)));
          const [method, path, body] = {
            create: ["POST", KEYS, { label: "Made", scopes: wanted.scopes, ...some }] as const,
            change: ["PATCH", `${KEYS}${id}/`, some] as const,
            widen: ["PATCH", `${KEYS}${id}/`, sent] as const,
            roll: ["POST", `${KEYS}${id}/roll/`, undefined] as const,
            delete: ["DELETE", `${KEYS}${id}/`, undefined] as const,
          }[verb as "create"];
          const reply = await service.api(method, path, body, { key });
          expect(reply.status, reply.text).toBeLessThan(500);
          if (reply.json?.value) {
            held.set(reply.json.id, reply.json.value);
            known.push(reply.json.id);
          }
        }
        const rows = await service.db
          .select()
          .from(personal_api_keys)
          .where(inArray(personal_api_keys.id, [...held.keys()]));
        const allowed = restrictionOf(own.where);
        for (const row of rows) {
          expect(scopesWithin(own.scopes, row.scopes), row.scopes.join()).toBe(true);
          if (own.days !== null) {
            expect(row.expires_at).not.toBeNull();
            expect(row.expires_at?.getTime()).toBeLessThanOrEqual(inDays(own.days).getTime());
          }
          const open = (
            await service.api("GET", "/api/projects/", undefined, { key: held.get(row.id) ?? "" })
          ).json;
          const ids = (open.results ?? []).map((project: { id: number }) => project.id);
          if (own.where === "home" || own.where === "home project") expect([[], [1]]).toContainEqual(ids);
          if (own.where.startsWith("away")) expect([[], [awayProject]]).toContainEqual(ids);
          if (allowed.scoped_teams.length > 0) expect(row.scoped_teams).toEqual(allowed.scoped_teams);
        }
      },
    ),
    { numRuns: 60 },
  );
});
