import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approval_policies, approved_states } from "#lib/platform/db/tables/approvals.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let staging: number;
let production: number;
let organization: string;
let approver: string;
let next = 0;

beforeAll(async () => {
  service = await startService();
  organization = (await service.api("GET", "/api/organizations/@current/")).json.id;
  const made = async (name: string) => (await service.api("POST", "/api/projects/", { name })).json.id;
  const ada = await addPerson(service.db, "ada@example.com", { [organization]: 1 });
  approver = (await addKey(service.db, ada.id)).value;
  service.runtime.directory.drop();
  [staging, production] = [await made("Staging"), await made("Production")];
  await call("POST", `/api/organizations/${organization}/environments/`, {
    environments: [
      { project_id: staging, name: "Staging" },
      { project_id: production, name: "Live" },
    ],
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.db.delete(approval_policies);
  await service.db.delete(approved_states);
  service.runtime.policies.drop();
});

async function call(method: string, path: string, body?: unknown, key?: string) {
  const reply = await service.api(method, path, body, key === undefined ? {} : { key });
  expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300);
  return reply.json;
}

const rootOf = (project: number) => `/api/projects/${project}/feature_flags`;
const newKey = () => `flag-${++next}`;
const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const share = (rollout_percentage: number, properties: object[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});
const flagIn = (project: number, body: object) => call("POST", `${rootOf(project)}/`, body);
const flagAt = (project: number, id: number) => call("GET", `${rootOf(project)}/${id}/`);
const cohortIn = (project: number, name: string) =>
  call("POST", `/api/projects/${project}/cohorts/`, {
    name,
    filters: { properties: { type: "AND", values: [pro] } },
  });

type Asked = {
  key: string;
  version?: number;
  target_version?: number | null;
  parts?: string[];
  active?: boolean;
};
const promotion = (flags: Asked[], more: object = {}) => ({ from_project: staging, flags, ...more });
const promote = (flags: Asked[], more: object = {}) =>
  call("POST", `${rootOf(production)}/promote/`, promotion(flags, more));
const refusalOf = async (body: object, key?: string) => {
  const { status, json } = await service.api(
    "POST",
    `${rootOf(production)}/promote/`,
    body,
    key === undefined ? {} : { key },
  );
  return { status, ...json };
};
const flagNamed = async (project: number, key: string) =>
  (await call("GET", `${rootOf(project)}/?limit=1000`)).results.find(
    (each: { key: string }) => each.key === key,
  );

/** The same key in both environments. */
async function both(there: object, here: object) {
  const key = newKey();
  return {
    key,
    there: await flagIn(staging, { key, ...there }),
    here: await flagIn(production, { key, ...here }),
  };
}

describe("the comparison of environments", () => {
  it("puts flags with the same key side by side, with what differs", async () => {
    const { key, there, here } = await both(
      { filters: share(50, [pro]), tags: ["b", "a"] },
      { filters: share(10, [pro]), tags: ["a", "b"], active: false },
    );
    const { results } = await call("GET", `${rootOf(staging)}/${there.id}/environments/`);
    expect(results).toMatchObject([
      {
        project_id: staging,
        name: "Staging",
        is_current: true,
        drift: [],
        flag: { id: there.id, active: true },
      },
      {
        project_id: production,
        name: "Live",
        is_current: false,
        may_write: true,
        reason: null,
        flag: {
          id: here.id,
          active: false,
          version: 1,
          rollout: "10% of people where plan is pro · else off",
        },
        drift: [
          { part: "state", differences: [{ what: "State", before: "on", after: "off" }] },
          {
            part: "conditions",
            differences: [
              {
                what: "Set 1",
                before: "On for 50% of people where plan is pro",
                after: "On for 10% of people where plan is pro",
              },
            ],
          },
        ],
      },
    ]);
    const rows = await call("GET", `/api/projects/${staging}/environments/flags/?search=${key}`);
    expect(rows).toMatchObject({ count: 1, counts: { all: 1, differs: 1, same: 0 } });
    expect(rows.results[0]).toMatchObject({
      key,
      state: "differs",
      environments: [{ differs: [] }, { differs: ["state", "conditions"] }],
    });
  });

  it("counts what its filters leave, in pages", async () => {
    const prefix = `matrix${++next}`;
    const make = (project: number, name: string) => flagIn(project, { key: `${prefix}-${name}` });
    await Promise.all([
      make(staging, "same"),
      make(production, "same"),
      make(staging, "only"),
      make(production, "missing"),
    ]);
    const read = (query: string, project = staging) =>
      call("GET", `/api/projects/${project}/environments/flags/?search=${prefix}&${query}`);
    const all = await read("");
    const counts = { all: 3, same: 1, differs: 0, only_here: 1, missing_here: 1, needs_attention: 0 };
    expect(all.counts).toEqual(counts);
    for (const state of ["same", "differs", "only_here", "missing_here"])
      expect((await read(`state=${state}`)).count).toBe(all.counts[state]);
    expect((await read("state=only_here", production)).results).toMatchObject([{ key: `${prefix}-missing` }]);
    expect((await read("state=nonsense&with=x")).count).toBe(3);
    expect((await read(`with=${production}`)).counts).toEqual(all.counts);
    const page = await read("limit=1&offset=1");
    expect([page.count, page.results.length, page.results[0].key]).toEqual([3, 1, `${prefix}-only`]);
  });

  it("is empty in a project that is linked with none, and shows nothing of those that a key cannot read", async () => {
    const alone = await call("GET", "/api/projects/1/environments/flags/");
    expect(alone).toMatchObject({ count: 0, environments: [], results: [] });
    expect(await call("GET", "/api/projects/1/environments/")).toEqual({ results: [] });
    const { there } = await both({}, { active: false });
    const { value } = await addKey(service.db, 1, { scoped_teams: [staging], scopes: ["feature_flag:read"] });
    service.runtime.directory.drop();
    const { results } = await call("GET", `${rootOf(staging)}/${there.id}/environments/`, undefined, value);
    expect(results).toMatchObject([
      { may_read: true, may_write: false },
      {
        may_read: false,
        may_write: false,
        flag: null,
        drift: [],
        reason: expect.stringContaining("Production"),
      },
    ]);
    expect((await service.api("GET", `${rootOf(production)}/${there.id}/environments/`)).status).toBe(404);
  });
});

describe("a promotion", () => {
  it("takes over chosen parts, with cohorts and dependencies by name, and leaves everything else", async () => {
    await cohortIn(staging, "Only there first");
    const [cohort, cohortHere] = [await cohortIn(staging, "Payers"), await cohortIn(production, "Payers")];
    const base = await both({ filters: share(100, [pro]) }, { filters: share(100, [pro]) });
    const rows = (flag: { id: number }, members: { id: number }) => [
      { key: String(flag.id), type: "flag", operator: "flag_evaluates_to", value: true },
      { key: "id", type: "cohort", operator: "in", value: members.id },
    ];
    const { key, there, here } = await both(
      { name: "There", filters: { ...share(80, rows(base.there, cohort)), payloads: { true: "1" } } },
      { name: "Here", active: false, filters: { ...share(5), payloads: { true: "2" } } },
    );
    const asked = { key, version: 1, target_version: 1, parts: ["conditions"] };
    const dry = await promote([asked], { dry_run: true });
    expect(dry.flags).toMatchObject([
      { key, state: "changed", parts: ["conditions"], source_version: 1, proposed: { active: false } },
    ]);
    expect(dry.flags[0].drift.map(({ part }: { part: string }) => part)).toEqual([
      "state",
      "conditions",
      "payloads",
      "description",
    ]);
    expect((await flagAt(production, here.id)).version).toBe(1);
    await promote([asked]);
    expect(await flagAt(production, here.id)).toMatchObject({
      name: "Here",
      active: false,
      version: 2,
      filters: { ...share(80, rows(base.here, cohortHere)), payloads: { true: "2" } },
    });
    await promote([{ key, version: 1 }]);
    const { results } = await call("GET", `${rootOf(staging)}/${there.id}/environments/`);
    expect(results[1].drift).toEqual([]);
    expect((await promote([{ key, version: 1 }])).flags).toMatchObject([{ state: "same", version: 3 }]);
    expect((await flagAt(production, here.id)).version).toBe(3);
  });

  it("creates what is missing, off unless its state is taken over", async () => {
    const [off, on] = [newKey(), newKey()];
    for (const key of [off, on]) await flagIn(staging, { key, filters: share(30), tags: ["x"] });
    await promote([
      { key: off, version: 1, parts: ["conditions"] },
      { key: on, version: 1 },
    ]);
    expect(await flagNamed(production, off)).toMatchObject({
      active: false,
      filters: share(30),
      tags: [],
    });
    expect(await flagNamed(production, on)).toMatchObject({ active: true, filters: share(30), tags: ["x"] });
  });

  it("carries an encrypted payload over, which is shown nowhere", async () => {
    const key = newKey();
    const secret = { is_remote_configuration: true, has_encrypted_payloads: true };
    await flagIn(staging, { key, ...secret, filters: { ...share(100), payloads: { true: '"hunter2"' } } });
    const dry = await service.api(
      "POST",
      `${rootOf(production)}/promote/`,
      promotion([{ key }], { dry_run: true }),
    );
    expect(dry.text).not.toContain("hunter2");
    await promote([{ key, version: 1 }]);
    const flag = await flagNamed(production, key);
    expect(flag).toMatchObject({
      has_encrypted_payloads: true,
      filters: { payloads: { true: '"hunter2"' } },
    });
    const log = await service.api("GET", `${rootOf(production)}/${flag.id}/activity/`);
    expect(log.text).not.toContain("hunter2");
  });

  it("is of all its flags or of none, and says why", async () => {
    const [fine, needy] = [newKey(), newKey()];
    const cohort = await cohortIn(staging, `Missing ${next}`);
    await flagIn(staging, { key: fine });
    await flagIn(staging, {
      key: needy,
      filters: share(100, [{ key: "id", type: "cohort", operator: "in", value: cohort.id }]),
    });
    const flags = [
      { key: fine, version: 1 },
      { key: needy, version: 1 },
    ];
    expect((await refusalOf(promotion(flags))).detail).toContain(
      `${needy}: There is no cohort “${cohort.name}” here.`,
    );
    expect(await flagNamed(production, fine)).toBeUndefined();
    const { flags: done, cohorts } = await promote(flags, { create_cohorts: true });
    expect(done.map(({ state }: { state: string }) => state)).toEqual(["new", "new"]);
    expect(cohorts).toMatchObject([{ name: cohort.name, state: "new" }]);
  });

  it("refuses cohorts of which there are two with the name", async () => {
    const key = newKey();
    const cohort = await cohortIn(staging, `Twice ${key}`);
    for (const _ of [1, 2]) await cohortIn(production, `Twice ${key}`);
    await flagIn(staging, {
      key,
      filters: share(100, [{ key: "id", type: "cohort", operator: "in", value: cohort.id }]),
    });
    expect((await refusalOf(promotion([{ key, version: 1 }]))).detail).toContain("There are 2 cohorts");
  });

  it("refuses what was changed on either side since it was shown", async () => {
    const { key, there, here } = await both({ filters: share(50) }, { filters: share(10) });
    await call("PATCH", `${rootOf(staging)}/${there.id}/`, { filters: share(60) });
    expect((await refusalOf(promotion([{ key, version: 1 }]))).detail).toContain("version 2 is current");
    await call("PATCH", `${rootOf(production)}/${here.id}/`, { filters: share(20) });
    expect((await refusalOf(promotion([{ key, version: 2, target_version: 1 }]))).detail).toContain(
      "was changed",
    );
    expect((await refusalOf(promotion([{ key, version: 2, target_version: null }]))).detail).toContain(
      "was changed",
    );
    const twice = [{ key, version: 2, target_version: 2 }];
    const replies = await Promise.all([refusalOf(promotion(twice)), refusalOf(promotion(twice))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await flagAt(production, here.id)).version).toBe(3);
  });

  it.each<[string, (key: string) => object, object]>([
    ["nothing", () => ({}), { attr: "from_project" }],
    ["no flags", () => promotion([]), { attr: "flags" }],
    [
      "a flag twice",
      (key) =>
        promotion([
          { key, version: 1 },
          { key, version: 1 },
        ]),
      { attr: "flags__1__key" },
    ],
    [
      "an unknown part",
      (key) => promotion([{ key, version: 1, parts: ["rollout"] }]),
      { attr: "flags__0__parts__0" },
    ],
    ["no version", (key) => promotion([{ key }]), { attr: "flags__0__version", code: "required" }],
    [
      "an unknown project",
      (key) => promotion([{ key, version: 1 }], { from_project: 999_999 }),
      { attr: "from_project" },
    ],
    [
      "a project that is no number",
      (key) => promotion([{ key, version: 1 }], { from_project: "x" }),
      { attr: "from_project" },
    ],
    [
      "the project itself",
      (key) => promotion([{ key, version: 1 }], { from_project: production }),
      { attr: "from_project" },
    ],
    [
      "an unknown flag",
      () => promotion([{ key: "nowhere", version: 1 }]),
      { attr: "flags", code: "refused" },
    ],
    ["a version that is none", (key) => promotion([{ key, version: 1.5 }]), { attr: "flags__0__version" }],
  ])("refuses %s", async (_, body, expected) => {
    const key = newKey();
    await flagIn(staging, { key });
    expect(await refusalOf(body(key))).toMatchObject({ status: 400, ...expected });
    expect(await flagNamed(production, key)).toBeUndefined();
  });

  it("needs a key for both projects, and an organization that has both", async () => {
    const key = newKey();
    await flagIn(staging, { key });
    const keyWith = async (options: object) => (await addKey(service.db, 1, options)).value;
    const [here, there, reading] = [
      await keyWith({ scoped_teams: [production] }),
      await keyWith({ scoped_teams: [staging] }),
      await keyWith({ scopes: ["feature_flag:read"] }),
    ];
    const noCohorts = await keyWith({ scopes: ["feature_flag:write"] });
    const elsewhere = await addOrganization(service.db, "Elsewhere");
    service.runtime.directory.drop();
    const body = promotion([{ key, version: 1 }]);
    expect(await refusalOf(body, here)).toMatchObject({ status: 400, attr: "from_project" });
    for (const other of [there, reading]) expect((await refusalOf(body, other)).status).toBe(403);
    expect((await refusalOf({ ...body, create_cohorts: true }, noCohorts)).status).toBe(403);
    expect(await refusalOf({ ...body, from_project: elsewhere.project.id })).toMatchObject({ status: 400 });
    expect(await flagNamed(production, key)).toBeUndefined();
  });

  it("waits for approval where a policy of the target asks for it, and is then what was shown or nothing", async () => {
    const [kept, moved] = [
      await both({ filters: share(100) }, { filters: share(0) }),
      await both({ filters: share(100) }, { filters: share(0) }),
    ];
    await policyIn(production);
    const approved = async ({ key, here }: typeof kept, meanwhile: () => Promise<unknown>) => {
      const { status, json } = await service.api(
        "POST",
        `${rootOf(production)}/promote/`,
        promotion([{ key, version: 1, parts: ["conditions"] }]),
      );
      expect([status, json.code]).toEqual([202, "approval_required"]);
      expect(json.change_request.resources).toMatchObject([
        { resource: "feature_flag", id: String(here.id) },
      ]);
      expect((await flagAt(production, here.id)).version).toBe(1);
      await meanwhile();
      const request = `/api/projects/${production}/change_requests/${json.change_request_id}/`;
      await service.api("POST", `${request}approve/`, {}, { key: approver });
      return call("GET", request);
    };
    expect(await approved(kept, async () => undefined)).toMatchObject({ state: "applied" });
    expect(await flagAt(production, kept.here.id)).toMatchObject({ version: 2, filters: share(100) });
    const request = await approved(moved, () =>
      call("PATCH", `${rootOf(staging)}/${moved.there.id}/`, { filters: share(50) }),
    );
    expect(request).toMatchObject({
      state: "expired",
      validation_errors: { detail: expect.stringContaining("version 2 is current") },
    });
    expect(await flagAt(production, moved.here.id)).toMatchObject({ version: 1, filters: share(0) });
  });
});

const policyIn = (project: number) =>
  call("POST", `/api/projects/${project}/approval_policies/`, {
    action_key: "change",
    enabled: true,
    conditions: {},
    approver_config: { quorum: 1, users: [] },
  });
