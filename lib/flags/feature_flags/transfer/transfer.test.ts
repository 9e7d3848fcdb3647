import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addKey } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let other: number;

beforeAll(async () => {
  service = await startService();
  other = (await service.api("POST", "/api/projects/", { name: "Other" })).json.id;
});
afterAll(() => service.close());

const rootOf = (project: number) => `/api/projects/${project}/feature_flags`;
const share = (rollout_percentage: number, properties: unknown[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});
const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };

async function made(method: string, path: string, body?: unknown) {
  const reply = await service.api(method, path, body);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.json;
}

const flagIn = (project: number, body: object) => made("POST", `${rootOf(project)}/`, body);
const cohortIn = (project: number, name: string) =>
  made("POST", `/api/projects/${project}/cohorts/`, {
    name,
    filters: { properties: { type: "AND", values: [plan] } },
  });
const exportOf = (...flags: { id: number }[]) =>
  made("GET", `${rootOf(1)}/export/?ids=${flags.map(({ id }) => id).join()}`);
const importInto = (project: number, body: object) => made("POST", `${rootOf(project)}/import/`, body);
const refusalOf = async (project: number, body: object) => {
  const { status, json } = await service.api("POST", `${rootOf(project)}/import/`, body);
  expect(status).toBe(400);
  return json;
};
const listOf = async (project: number) => (await made("GET", `${rootOf(project)}/?limit=200`)).results;
const flagNamed = async (project: number, key: string) =>
  (await listOf(project)).find((flag: { key: string }) => flag.key === key);
const outcomes = ({ flags }: { flags: { key: string; state: string }[] }) =>
  Object.fromEntries(flags.map(({ key, state }) => [key, state]));

describe("flags carried to another project", () => {
  it("are created there, with cohorts and dependencies found by name, after a dry run that changes nothing", async () => {
    // Ids differ between the projects.
    await cohortIn(other, "First here");
    const [cohort, there] = [await cohortIn(1, "Payers"), await cohortIn(other, "Payers")];
    const base = await flagIn(1, { key: "base", filters: share(100, [plan]) });
    const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    const member = { key: "id", type: "cohort", operator: "in", value: cohort.id };
    const top = await flagIn(1, {
      key: "top",
      name: "On top",
      active: false,
      tags: ["growth"],
      filters: share(40, [row, member]),
    });
    // Whoever depends on another comes first in the file.
    const file = await exportOf(top, base);
    expect(file).toMatchObject({ cohorts: { [cohort.id]: "Payers" }, flags_by_id: { [base.id]: "base" } });

    const dry = await importInto(other, { ...file, dry_run: true });
    expect(dry.dry_run).toBe(true);
    expect(outcomes(dry)).toEqual({ top: "new", base: "new" });
    expect(dry.flags[0].differences).toContainEqual({ what: "Description", before: "none", after: "On top" });
    expect(await listOf(other)).toEqual([]);

    expect(outcomes(await importInto(other, file))).toEqual({ top: "new", base: "new" });
    const copied = await flagNamed(other, "top");
    const copiedBase = await flagNamed(other, "base");
    expect(copied).toMatchObject({ name: "On top", active: false, tags: ["growth"], version: 1 });
    expect(copied.filters).toEqual(
      share(40, [
        { ...row, key: String(copiedBase.id) },
        { ...member, value: there.id },
      ]),
    );
    expect(copied.id).not.toBe(top.id);
    const log = await made("GET", `${rootOf(other)}/${copied.id}/activity/`);
    expect(log.results[0]).toMatchObject({ activity: "created" });

    expect(outcomes(await importInto(other, { ...file, dry_run: true }))).toEqual({
      top: "same",
      base: "same",
    });
  });

  it("change those that have their keys, as the dry run says in words", async () => {
    const flag = await flagIn(1, { key: "shared", name: "New words", filters: share(80) });
    const here = await flagIn(other, { key: "shared", name: "Old words", active: false, filters: share(10) });
    const file = await exportOf(flag);
    const dry = await importInto(other, { ...file, dry_run: true });
    expect(dry.flags).toMatchObject([
      {
        key: "shared",
        state: "changed",
        id: here.id,
        version: 1,
        proposed: { active: true, filters: share(80) },
      },
    ]);
    const words = dry.flags[0].differences.map(({ what }: { what: string }) => what);
    expect(words).toEqual(["Description", "State", "Set 1"]);
    await importInto(other, file);
    expect(await flagNamed(other, "shared")).toMatchObject({
      id: here.id,
      name: "New words",
      active: true,
      version: 2,
      filters: share(80),
    });
    const { results } = await made("GET", `${rootOf(other)}/${here.id}/versions/`);
    expect(results).toHaveLength(2);
  });

  it("are only those that were chosen", async () => {
    const flags = [{ key: "one" }, { key: "two" }];
    expect(outcomes(await importInto(other, { flags, keys: ["two"] }))).toEqual({ two: "new" });
    expect(await flagNamed(other, "one")).toBeUndefined();
    expect(await refusalOf(other, { flags, keys: ["three"] })).toMatchObject({ attr: "keys" });
  });
});

describe("a flag that cannot be imported", () => {
  const member = (value: number) => share(100, [{ key: "id", type: "cohort", operator: "in", value }]);
  const depends = (id: string) =>
    share(100, [{ key: id, type: "flag", operator: "flag_evaluates_to", value: true }]);
  it.each<[string, object, RegExp]>([
    [
      "names a cohort that is not here",
      { flags: [{ key: "a", filters: member(7) }], cohorts: { 7: "Gone" } },
      /no cohort “Gone”/,
    ],
    ["names no cohort", { flags: [{ key: "a", filters: member(7) }] }, /does not name the cohort 7/],
    [
      "depends on a flag that is not here",
      { flags: [{ key: "a", filters: depends("9") }], flags_by_id: { 9: "gone" } },
      /depends on the flag gone/,
    ],
    [
      "depends on itself in a circle",
      {
        flags: [
          { key: "a", filters: depends("1") },
          { key: "b", filters: depends("2") },
        ],
        flags_by_id: { 1: "b", 2: "a" },
      },
      /depends on the flag/,
    ],
    [
      "is for groups that are not here",
      {
        flags: [{ key: "a", filters: { ...share(1), aggregation_group_type_index: 0 } }],
        group_types: { 0: "planet" },
      },
      /no group type “planet”/,
    ],
    ["has invalid filters", { flags: [{ key: "a", filters: share(140) }] }, /percentage/],
    ["has filters of another type", { flags: [{ key: "a", filters: "all" }] }, /filters/],
    ["has no key", { flags: [{ name: "Nameless" }] }, /key/],
    ["has a key that cannot be one", { flags: [{ key: "a b" }] }, /Only letters/],
    ["is there twice", { flags: [{ key: "a" }, { key: "a" }] }, /twice/],
    ["belongs to a survey", { flags: [{ key: "survey-targeting-x" }] }, /survey/],
    [
      "masks a payload that is not here",
      {
        flags: [
          {
            key: "a",
            has_encrypted_payloads: true,
            filters: { ...share(1), payloads: { true: '"********* (encrypted)"' } },
          },
        ],
      },
      /encrypted/,
    ],
  ])("%s", async (_, body, said) => {
    const dry = await importInto(other, { ...body, dry_run: true });
    const refused = dry.flags.filter(({ state }: { state: string }) => state === "refused");
    expect(refused.map(({ reason }: { reason: string }) => reason).join(" ")).toMatch(said);
    expect((await refusalOf(other, body)).detail).toMatch(said);
    expect(await flagNamed(other, "a")).toBeUndefined();
  });

  it("keeps all others out", async () => {
    const before = await listOf(other);
    const flags = [
      { key: "fine", filters: share(50) },
      { key: "shared", name: "Changed with it" },
      { key: "broken", filters: share(140) },
    ];
    const refusal = await refusalOf(other, { flags });
    expect(refusal).toMatchObject({ attr: "flags", code: "refused" });
    expect(refusal.detail).toContain("Nothing was changed. broken:");
    expect(await listOf(other)).toEqual(before);
  });

  it("was changed since the dry run", async () => {
    const here = await flagIn(other, { key: "raced", name: "One" });
    const body = { flags: [{ key: "raced", name: "Three" }], versions: { raced: here.version } };
    await made("PATCH", `${rootOf(other)}/${here.id}/`, { name: "Two" });
    expect((await refusalOf(other, body)).detail).toContain("changed since the dry run");
    const appeared = { flags: [{ key: "raced" }], versions: { raced: null } };
    expect((await refusalOf(other, appeared)).detail).toContain("changed since the dry run");
    expect(await flagNamed(other, "raced")).toMatchObject({ name: "Two" });
  });

  it("is one of several cohorts' of the same name, unless the very same one is here", async () => {
    const [first] = [await cohortIn(1, "Twins"), await cohortIn(1, "Twins")];
    const flag = await flagIn(1, { key: "of-twins", filters: member(first.id) });
    const file = await exportOf(flag);
    expect(outcomes(await importInto(1, { ...file, dry_run: true }))).toEqual({ "of-twins": "same" });
    await cohortIn(other, "Twins");
    await cohortIn(other, "Twins");
    expect((await refusalOf(other, file)).detail).toContain("2 cohorts “Twins”");
  });
});

describe("cohorts that are missing", () => {
  const row = (value: string | number) => ({ key: "id", type: "cohort", operator: "in", value });
  const holding = (...values: object[]) => ({ properties: { type: "AND", values } });
  const cohortsOf = async (project: number) =>
    (await made("GET", `/api/projects/${project}/cohorts/?limit=200`)).results;
  const cohortNamed = async (project: number, name: string) =>
    (await cohortsOf(project)).find((cohort: { name: string }) => cohort.name === name);
  const make = (name: string, fields: object) =>
    made("POST", "/api/projects/1/cohorts/", { name, ...fields });

  it("are created as the file defines them, with those that they are made of, only where that is wanted", async () => {
    const inner = await make("Inner", { filters: holding(plan), description: "Who pays" });
    const outer = await make("Outer", { filters: holding(row(inner.id), { ...plan, value: ["team"] }) });
    const flag = await flagIn(1, { key: "for-outer", filters: share(100, [row(outer.id)]) });
    const file = await exportOf(flag);
    expect(file.cohorts).toEqual({ [outer.id]: "Outer", [inner.id]: "Inner" });
    expect(file.cohort_definitions).toEqual({
      [outer.id]: { description: "", filters: outer.filters },
      [inner.id]: { description: "Who pays", filters: inner.filters },
    });
    const before = await cohortsOf(other);

    const kept = await importInto(other, { ...file, dry_run: true });
    expect(outcomes(kept)).toEqual({ "for-outer": "refused" });
    expect(kept.flags[0].reason).toContain("It can be created");
    const words = { Outer: "cohort Inner and plan is team", Inner: "plan is pro" };
    const said = ({ cohorts }: { cohorts: { name: string; definition: string; state: string }[] }) =>
      Object.fromEntries(cohorts.map(({ name, definition, state }) => [name, `${state}: ${definition}`]));
    expect(said(kept)).toEqual({
      Outer: `missing: in ${words.Outer}`,
      Inner: `missing: ${words.Inner}`,
    });
    expect((await refusalOf(other, file)).detail).toContain("It can be created");

    const dry = await importInto(other, { ...file, create_cohorts: true, dry_run: true });
    expect(outcomes(dry)).toEqual({ "for-outer": "new" });
    expect(dry.cohorts.map(({ state }: { state: string }) => state)).toEqual(["new", "new"]);
    expect(dry.flags[0]).toMatchObject({ proposed: null });
    expect(JSON.stringify(dry.flags[0].differences)).toContain("Outer");
    expect(await cohortsOf(other)).toEqual(before);

    await importInto(other, { ...file, create_cohorts: true });
    const [innerThere, outerThere] = [await cohortNamed(other, "Inner"), await cohortNamed(other, "Outer")];
    expect(innerThere).toMatchObject({ description: "Who pays", is_static: false, filters: holding(plan) });
    expect(outerThere.filters).toEqual(holding(row(innerThere.id), { ...plan, value: ["team"] }));
    expect((await flagNamed(other, "for-outer")).filters).toEqual(share(100, [row(outerThere.id)]));
    const log = await made(
      "GET",
      `/api/projects/${other}/activity_log/?scope=Cohort&item_id=${outerThere.id}`,
    );
    expect(log.results).toMatchObject([{ activity: "created" }]);
    const value = await made("POST", `${rootOf(other)}/evaluate/`, {
      id: (await flagNamed(other, "for-outer")).id,
      distinct_id: "somebody",
      person_properties: { plan: "pro" },
    });
    expect(value.value).toBe(false);

    const again = await importInto(other, { ...file, create_cohorts: true });
    expect([outcomes(again), again.cohorts]).toEqual([{ "for-outer": "same" }, []]);
    expect(await cohortsOf(other)).toHaveLength(before.length + 2);
  });

  it("are not created where one flag is refused", async () => {
    const before = await cohortsOf(other);
    const body = {
      flags: [
        { key: "of-new", filters: share(1, [row(7)]) },
        { key: "broken", filters: share(140) },
      ],
      cohorts: { 7: "Never made" },
      cohort_definitions: { 7: { filters: holding(plan) } },
      create_cohorts: true,
    };
    expect((await refusalOf(other, body)).detail).toContain("broken:");
    expect(await cohortsOf(other)).toEqual(before);
    await importInto(other, { ...body, keys: [], dry_run: true });
    const chosen = await importInto(other, { ...body, keys: ["broken"], dry_run: true });
    expect(chosen.cohorts, "no chosen flag needs it").toEqual([]);
  });

  it("keep their members: a list of people stays out", async () => {
    const list = await make("A list", { is_static: true });
    const flag = await flagIn(1, { key: "of-list", filters: share(100, [row(list.id)]) });
    const file = await exportOf(flag);
    expect(file.cohort_definitions).toEqual({});
    const dry = await importInto(other, { ...file, create_cohorts: true, dry_run: true });
    expect(dry.cohorts).toMatchObject([
      { name: "A list", state: "refused", reason: expect.stringContaining("list their members") },
    ]);
    expect(outcomes(dry)).toEqual({ "of-list": "refused" });
  });

  it.each<[string, Record<number, object>, RegExp]>([
    ["contains itself", { 7: holding(row(8)), 8: holding(row(7)) }, /It contains itself/],
    ["has no conditions", { 7: {} }, /properties/],
    ["has a condition that cannot be saved", { 7: holding({ ...plan, operator: "like" }) }, /like/],
    ["asks what people did", { 7: holding({ type: "behavioral", key: "x" }) }, /[Bb]ehavioral/],
    ["refers to one that the file does not name", { 7: holding(row(9)) }, /does not name the cohort 9/],
  ])("is refused with its flag where it %s", async (_, definitions, said) => {
    const body = {
      flags: [{ key: "of-broken", filters: share(1, [row(7)]) }],
      cohorts: { 7: "Broken", 8: "Broken too" },
      cohort_definitions: Object.fromEntries(
        Object.entries(definitions).map(([id, filters]) => [id, { filters }]),
      ),
      create_cohorts: true,
    };
    const before = await cohortsOf(other);
    expect((await importInto(other, { ...body, dry_run: true })).flags[0].reason).toMatch(said);
    expect((await refusalOf(other, body)).detail).toMatch(said);
    expect(await cohortsOf(other)).toEqual(before);
  });

  it("need a key that may write cohorts", async () => {
    const key = (await addKey(service.db, 1, { scopes: ["feature_flag:write"] })).value;
    service.runtime.directory.drop();
    const body = { flags: [{ key: "plain" }], create_cohorts: true, dry_run: true };
    const refused = await service.api("POST", `${rootOf(other)}/import/`, body, { key });
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining("cohort:write")]);
    const { status } = await service.api(
      "POST",
      `${rootOf(other)}/import/`,
      { ...body, create_cohorts: false },
      { key },
    );
    expect(status).toBe(200);
  });
});

describe("encrypted payloads", () => {
  const secret = { ...share(100), payloads: { true: '"top-secret"' } };
  it("never leave in clear, and stay where they are when their flag is imported again", async () => {
    const flag = await flagIn(1, {
      key: "sealed",
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      filters: secret,
    });
    const { text } = await service.api("GET", `${rootOf(1)}/export/?ids=${flag.id}`);
    expect(text).not.toContain("top-secret");
    const file = JSON.parse(text);
    expect(outcomes(await importInto(1, { ...file, dry_run: true }))).toEqual({ sealed: "same" });
    file.flags[0].name = "Renamed";
    const dry = await service.api("POST", `${rootOf(1)}/import/`, { ...file, dry_run: true });
    expect(dry.text).not.toContain("top-secret");
    expect(outcomes(await importInto(1, file))).toEqual({ sealed: "changed" });
    const payload = await made("GET", `${rootOf(1)}/${flag.id}/remote_config/`);
    expect(JSON.parse(payload)).toBe("top-secret");
  });
});

it("without ids, all flags of the list are exported", async () => {
  const keys = (await listOf(1)).map(({ key }: { key: string }) => key);
  const file = await made("GET", `${rootOf(1)}/export/`);
  expect(file.flags.map(({ key }: { key: string }) => key).sort()).toEqual(keys.sort());
});

describe("bad requests", () => {
  it.each(["?ids=", "?ids=x", "?ids=1,", `?ids=${Array(201).fill(1).join()}`])(
    "to export: %s",
    async (query) => {
      const { status, json } = await service.api("GET", `${rootOf(1)}/export/${query}`);
      expect([status, json.attr]).toEqual([400, "ids"]);
    },
  );

  it("to export a flag of another project", async () => {
    const flag = await flagIn(other, { key: "theirs" });
    expect((await service.api("GET", `${rootOf(1)}/export/?ids=${flag.id}`)).status).toBe(404);
  });

  it.each([
    [{}, "flags"],
    [{ flags: [] }, "flags"],
    [{ flags: "all" }, "flags"],
    [{ flags: ["a"] }, "flags__0"],
    [{ flags: [{ key: "a" }], cohorts: { 1: 2 } }, "cohorts__1"],
    [{ flags: [{ key: "a" }], dry_run: "yes" }, "dry_run"],
    [{ flags: [{ key: "a" }], create_cohorts: "yes" }, "create_cohorts"],
    [{ flags: [{ key: "a" }], cohort_definitions: { 1: "all" } }, "cohort_definitions__1"],
    [
      {
        flags: [{ key: "a" }],
        cohort_definitions: Object.fromEntries(Array.from({ length: 201 }, (_, id) => [id, { filters: {} }])),
      },
      "cohort_definitions",
    ],
    [{ flags: [{ key: "a" }], versions: { a: "1" } }, "versions__a"],
    [{ flags: Array(201).fill({ key: "a" }) }, "flags"],
  ])("to import: %#", async (body, attr) => {
    expect(await refusalOf(1, body)).toMatchObject({ attr });
  });
});
