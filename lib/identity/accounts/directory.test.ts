import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRuntime, type Runtime } from "#lib/app/runtime.ts";
import { DatabaseUnavailable } from "#lib/platform/db/connect.ts";
import { personal_api_keys, projects, users } from "#lib/platform/db/tables/accounts.ts";
import type { Directory } from "#lib/platform/http/directory.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { createTestDatabase } from "#testing/database.ts";
import { requireOrganization } from "./access.ts";
import { createDirectory } from "./directory.ts";
import { reachOf } from "./reach.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let runtime: Runtime;
let directory: Directory;
let first: Awaited<ReturnType<typeof addOrganization>>;
let second: Awaited<ReturnType<typeof addOrganization>>;
let person: Awaited<ReturnType<typeof addPerson>>;

beforeAll(async () => {
  database = await createTestDatabase();
  first = await addOrganization(database.db, "first");
  second = await addOrganization(database.db, "second");
  person = await addPerson(database.db, "ada@home.test", {
    [first.organization.id]: 1,
    [second.organization.id]: 8,
  });
  runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) });
  ({ directory } = runtime);
});
afterAll(() => database.close());

const NOW = Date.UTC(2026, 2, 2, 9);
const at = (ms: number) => new Date(NOW + ms);

describe("a key", () => {
  it("is the key with its owner, and nobody's where it is unknown", async () => {
    const { value, id } = await addKey(database.db, person.id);
    expect(await directory.authenticate(value, at(0))).toMatchObject({
      key: { id },
      user: { id: person.id },
    });
    expect(await directory.authenticate(`${value}x`, at(0))).toBeNull();
  });

  it("works from the moment it is made, also where it was tried before", async () => {
    const { value, id } = await addKey(database.db, person.id);
    const [row] = await database.db.delete(personal_api_keys).where(eq(personal_api_keys.id, id)).returning();
    expect(await directory.authenticate(value, at(0))).toBeNull();
    if (row) await database.db.insert(personal_api_keys).values(row);
    expect(await directory.authenticate(value, at(0))).toMatchObject({ key: { id } });
  });

  it("works until the moment it expires", async () => {
    const { value } = await addKey(database.db, person.id, { expires_at: at(1_000) });
    expect(await directory.authenticate(value, at(999))).not.toBeNull();
    expect(await directory.authenticate(value, at(1_000))).toBeNull();
  });

  it("is refused while its owner is switched off", async () => {
    const other = await addPerson(database.db, "off@home.test", { [first.organization.id]: 1 });
    const { value } = await addKey(database.db, other.id);
    for (const is_active of [false, true]) {
      await database.db.update(users).set({ is_active }).where(eq(users.id, other.id));
      directory.drop();
      expect((await directory.authenticate(value, at(0))) !== null).toBe(is_active);
    }
  });

  it("is held in memory until the accounts are dropped", async () => {
    const { value, id } = await addKey(database.db, person.id);
    const labelOf = async () => (await directory.authenticate(value, at(0)))?.key.label;
    expect(await labelOf()).toBe("test");
    await database.db.update(personal_api_keys).set({ label: "other" }).where(eq(personal_api_keys.id, id));
    expect(await labelOf()).toBe("test");
    directory.drop();
    expect(await labelOf()).toBe("other");
    await database.db.delete(personal_api_keys).where(eq(personal_api_keys.id, id));
    directory.drop();
    expect(await labelOf()).toBeUndefined();
  });

  it("is marked as used at most once a minute, each for itself", async () => {
    const made = [await addKey(database.db, person.id), await addKey(database.db, person.id)];
    const used = async () => {
      const rows = await database.db.select().from(personal_api_keys);
      return made.map(({ id }) => rows.find((row) => row.id === id)?.last_used_at?.getTime() ?? null);
    };
    const use = (index: number, ms: number) => directory.authenticate(made[index]?.value ?? "", at(ms));
    await use(0, 0);
    await expect.poll(used).toEqual([NOW, null]);
    await use(1, 500);
    await use(0, 60_000);
    await expect.poll(used).toEqual([NOW, NOW + 500]);
    await use(0, 60_001);
    await use(1, 60_001);
    await expect.poll(used).toEqual([NOW + 60_001, NOW + 500]);
    // Had it been noted by the first of these, it would not be by the second.
    await use(0, 120_001);
    await use(0, 120_002);
    await expect.poll(used).toEqual([NOW + 120_002, NOW + 500]);
  });

  it("is admitted without waiting until its use is noted", async () => {
    const { value, id } = await addKey(database.db, person.id);
    await directory.authenticate(value, at(0));
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = database.db.transaction(async (tx) => {
      await tx.select().from(personal_api_keys).where(eq(personal_api_keys.id, id)).for("update");
      locked.resolve();
      await released;
    });
    await locked.promise;
    expect((await directory.authenticate(value, at(60_001)))?.key.id).toBe(id);
    release();
    await holding;
  });
});

describe("the accounts", () => {
  it("are read once until they are dropped", async () => {
    const before = await directory.current();
    const { project } = await addOrganization(database.db, "third");
    expect(await directory.current()).toBe(before);
    directory.drop();
    const after = await directory.current();
    expect([before.projects.has(project.id), after.projects.has(project.id)]).toEqual([false, true]);
  });

  it("are asked for again after they could not be read", async () => {
    await database.db.execute("alter table organizations rename to organizations_elsewhere");
    directory.doubt();
    try {
      await expect(directory.current()).rejects.toThrow();
    } finally {
      await database.db.execute("alter table organizations_elsewhere rename to organizations");
    }
    expect((await directory.current()).organizations.has(first.organization.id)).toBe(true);
  });

  it("are found by each of their names", async () => {
    const { project, organization } = first;
    const { byToken, bySecret, projects: byId, organizations, users: people } = await directory.current();
    expect(byToken.get(project.api_token)?.id).toBe(project.id);
    expect(bySecret.get(project.secret_api_token)?.id).toBe(project.id);
    expect(byToken.has(project.secret_api_token)).toBe(false);
    expect(byId.get(project.id)?.organization_id).toBe(organization.id);
    expect(people.get(person.id)?.email).toBe("ada@home.test");
    expect([...organizations.values()].map(({ name }) => name).slice(0, 2)).toEqual(["first", "second"]);
  });

  it("have a person's level in each organization, none for a stranger", async () => {
    expect(await directory.level(first.organization.id, person.id)).toBe(1);
    expect(await directory.level(second.organization.id, person.id)).toBe(8);
    expect(await directory.level(first.organization.id, 4_711)).toBe(0);
  });
});

describe("what a key opens", () => {
  const keyWith = async (fields: Parameters<typeof addKey>[2]) => {
    const { value } = await addKey(database.db, person.id, fields);
    const found = await directory.authenticate(value, at(0));
    if (!found) throw new Error("The key is refused.");
    return found;
  };
  const projectsFor = async (fields: Parameters<typeof addKey>[2]) => {
    const { user, key } = await keyWith(fields);
    return (await directory.projectsOf(user, key)).map(({ id }) => id);
  };

  it("are the projects of its owner's organizations, within its own restriction", async () => {
    const [one, two] = [first.project.id, second.project.id];
    const stranger = await addOrganization(database.db, "stranger");
    directory.drop();
    expect(await projectsFor({})).toEqual([one, two]);
    expect(await projectsFor({ scoped_teams: [two, stranger.project.id] })).toEqual([two]);
    expect(await projectsFor({ scoped_organizations: [first.organization.id] })).toEqual([one]);
    expect(await projectsFor({ scoped_organizations: [stranger.organization.id] })).toEqual([]);
  });

  it("is by organization all of it, or some projects, for members only", async () => {
    const stranger = await addOrganization(database.db, "closed");
    const [another] = await database.db
      .insert(projects)
      .values({
        organization_id: first.organization.id,
        name: "another",
        api_token: "phc_another",
        secret_api_token: "phs_another",
      })
      .returning();
    directory.drop();
    const accounts = await directory.current();
    const reach = (scoped_teams: number[], scoped_organizations: string[]) =>
      Object.fromEntries(reachOf(accounts, person.id, { scoped_teams, scoped_organizations }));
    const [home, away] = [first.organization.id, second.organization.id];
    const some = [first.project.id, another?.id ?? 0];
    expect(reach([], [])).toEqual({ [home]: "all", [away]: "all" });
    expect(reach([], [away, stranger.organization.id])).toEqual({ [away]: "all" });
    expect(reach([...some, stranger.project.id, 4_711], [])).toEqual({ [home]: new Set(some) });
    expect(reach([second.project.id], [home])).toEqual({ [away]: new Set([second.project.id]) });
  });

  const organizationFor = async (fields: Parameters<typeof addKey>[2], named: string) => {
    const found = await keyWith(fields);
    return (await requireOrganization({ runtime, ...found }, named)).name;
  };

  it("is one organization where a call names none: that of the first project it opens", async () => {
    const [home, away] = [first.organization.id, second.organization.id];
    expect(await organizationFor({}, "@current")).toBe("first");
    expect(await organizationFor({ scoped_organizations: [away] }, "@current")).toBe("second");
    expect(await organizationFor({}, away.toUpperCase())).toBe("second");
    await expect(organizationFor({ scoped_organizations: [away] }, home)).rejects.toMatchObject({
      status: 403,
    });
    await expect(organizationFor({ scoped_teams: [first.project.id] }, home)).rejects.toMatchObject({
      status: 403,
    });
    const stranger = await addOrganization(database.db, "hidden");
    directory.drop();
    await expect(organizationFor({}, stranger.organization.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      organizationFor({ scoped_organizations: [stranger.organization.id] }, "@current"),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("is an organization without projects, too", async () => {
    const empty = await addOrganization(database.db, "empty");
    await database.db.delete(projects).where(eq(projects.id, empty.project.id));
    const loner = await addPerson(database.db, "loner@home.test", { [empty.organization.id]: 1 });
    const { value } = await addKey(database.db, loner.id);
    directory.drop();
    const found = await directory.authenticate(value, at(0));
    if (!found) throw new Error("The key is refused.");
    const organization = await requireOrganization({ runtime, ...found }, "@current");
    expect(organization.name).toBe("empty");
  });
});

describe("while the database is away", () => {
  /** A directory whose queries fail from a moment on. */
  function fallible() {
    let isAway = false;
    const db = new Proxy(database.db, {
      get(target, name) {
        if (isAway) throw new DatabaseUnavailable("Away.");
        return Reflect.get(target, name);
      },
    });
    return {
      directory: createDirectory(db),
      goAway: () => {
        isAway = true;
      },
    };
  }

  it("what was known last goes on serving", async () => {
    const { value, id } = await addKey(database.db, person.id);
    const { directory, goAway } = fallible();
    await directory.authenticate(value, at(0));
    goAway();
    directory.doubt();
    // Two minutes later, so that the use would be noted.
    expect(await directory.authenticate(value, at(120_000))).toMatchObject({
      key: { id },
      user: { id: person.id },
    });
    expect((await directory.current()).byToken.has(first.project.api_token)).toBe(true);
  });

  it("an account that has just changed goes on serving, a key that has just changed does not", async () => {
    const [kept, gone] = [await addKey(database.db, person.id), await addKey(database.db, person.id)];
    const { directory, goAway } = fallible();
    for (const { value } of [kept, gone]) await directory.authenticate(value, at(0));
    goAway();
    directory.drop(gone.id);
    expect(await directory.authenticate(kept.value, at(1))).toMatchObject({ key: { id: kept.id } });
    await expect(directory.authenticate(gone.value, at(1))).rejects.toBeInstanceOf(DatabaseUnavailable);
  });

  it("nothing is known of a key that was never used here", async () => {
    const { value } = await addKey(database.db, person.id);
    const { directory, goAway } = fallible();
    goAway();
    await expect(directory.authenticate(value, at(0))).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(directory.current()).rejects.toBeInstanceOf(DatabaseUnavailable);
  });
});
