import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addKey, addPerson } from "#testing/accounts.ts";
import { jobContext } from "#testing/jobs.ts";
import { type Service, startService } from "#testing/service.ts";
import { scheduledChangeDue } from "./run.ts";
import { operationWords } from "./words.ts";

const HOUR_MS = 3_600_000;
const MOMENT = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS);

let service: Service;
let organization: string;
let staging: number;
const live = 1;
let made = 0;

beforeAll(async () => {
  service = await startService();
  organization = (await call("GET", "/api/organizations/@current/")).id;
  staging = (await call("POST", "/api/projects/", { name: "Staging" })).id;
  await call("POST", `/api/organizations/${organization}/environments/`, {
    environments: [
      { project_id: staging, name: "Staging" },
      { project_id: live, name: "Live" },
    ],
  });
});
afterAll(() => service.close());

async function call(method: string, path: string, body?: unknown, key?: string) {
  const reply = await service.api(method, path, body, key === undefined ? {} : { key });
  expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300);
  return reply.json;
}

const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const share = (rollout_percentage: number, properties: object[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});
const flagsOf = (project: number) => `/api/projects/${project}/feature_flags/`;
const change = (project: number, id: number, body: object) =>
  call("PATCH", `${flagsOf(project)}${id}/`, body);
const flagHere = (id: number) => call("GET", `${flagsOf(live)}${id}/`);
const schedules = `/api/projects/${live}/scheduled_changes/`;

/** The same key in both environments. */
async function both(there: object, here: object) {
  made += 1;
  const key = `flag-${made}`;
  return {
    there: await call("POST", flagsOf(staging), { key, ...there }),
    here: await call("POST", flagsOf(live), { key, ...here }),
  };
}

type Flags = Awaited<ReturnType<typeof both>>;

const bodyFor = ({ there, here }: Flags, value: object = {}, fields: object = {}) => ({
  record_id: here.id,
  model_name: "FeatureFlag",
  payload: { operation: "promote", value: { from_project: staging, version: there.version, ...value } },
  scheduled_at: MOMENT.toISOString(),
  ...fields,
});
const schedule = (flags: Flags, value: object = {}, fields: object = {}, key?: string) =>
  service.api("POST", schedules, bodyFor(flags, value, fields), key === undefined ? {} : { key });

async function scheduled(flags: Flags, value: object = {}, fields: object = {}) {
  const { status, json, text } = await schedule(flags, value, fields);
  expect(status, text).toBe(201);
  return json;
}

/** Makes the change as if its moment had come; what became of it. */
async function runDue(id: number) {
  await scheduledChangeDue.run(jobContext(service.runtime, { now: MOMENT, payload: { id } }));
  return call("GET", `${schedules}${id}/`);
}

describe("a promotion at a moment", () => {
  it("takes over the chosen parts as they were, and leaves the rest of the flag alone", async () => {
    const cohortIn = (project: number) =>
      call("POST", `/api/projects/${project}/cohorts/`, {
        name: "Testers",
        filters: { properties: { type: "AND", values: [pro] } },
      });
    await call("POST", `/api/projects/${staging}/cohorts/`, { name: "Other", is_static: true });
    const [theirs, ours] = [await cohortIn(staging), await cohortIn(live)];
    expect(theirs.id).not.toBe(ours.id);
    const flags = await both(
      { name: "There", filters: share(50, [{ key: "id", type: "cohort", value: theirs.id }]) },
      { name: "Here", filters: share(10) },
    );
    const { id, payload } = await scheduled(flags, { parts: ["conditions"] });
    expect(operationWords(payload)).toBe("Promote conditions from Staging");
    await change(staging, flags.there.id, { filters: share(99) });
    await change(live, flags.here.id, {
      name: "Renamed",
      filters: { ...share(10), payloads: { true: "1" } },
    });
    expect(await runDue(id)).toMatchObject({ failure_reason: null, executed_at: expect.any(String) });
    const after = await flagHere(flags.here.id);
    expect(after.name).toBe("Renamed");
    expect(after.filters.payloads).toEqual({ true: "1" });
    expect(after.filters.groups).toMatchObject([
      { rollout_percentage: 50, properties: [{ type: "cohort", value: ours.id }] },
    ]);
  });

  it("takes over all that differs, and turns the flag on where that is asked for", async () => {
    const flags = await both(
      { filters: share(50), name: "There", active: false },
      { filters: share(10), name: "Here", active: false },
    );
    const { id, payload } = await scheduled(flags, { active: true });
    expect(payload.value.parts).toEqual(["conditions", "description"]);
    await runDue(id);
    expect(await flagHere(flags.here.id)).toMatchObject({
      active: true,
      name: "There",
      filters: { groups: [{ rollout_percentage: 50 }] },
    });
  });

  it("is guarded like any scheduled change", async () => {
    const flags = await both({ filters: share(50) }, { filters: share(10) });
    const { id, expected_impact } = await scheduled(flags, {}, { guard: true });
    expect(expected_impact).toMatchObject({ total: expect.any(Number) });
    await change(live, flags.here.id, { filters: share(20) });
    expect((await runDue(id)).failure_reason).toContain("Somebody has edited the flag");
    expect((await flagHere(flags.here.id)).filters.groups).toMatchObject([{ rollout_percentage: 20 }]);
    const { items } = await call("GET", `/api/projects/${live}/inbox/`);
    expect(items).toContainEqual(expect.objectContaining({ key: `scheduled_change/${id}/failed` }));
  });

  it("can be moved, guarded, cancelled and restored without looking at the other project again", async () => {
    const flags = await both({ filters: share(50) }, { filters: share(10) });
    const { id, payload } = await scheduled(flags);
    await change(staging, flags.there.id, { filters: share(60) });
    await call("PATCH", `${schedules}${id}/`, { guard: true });
    await call("DELETE", `${schedules}${id}/`);
    const back = await call("PATCH", `${schedules}${id}/`, { deleted: false });
    expect(back).toMatchObject({ guard: true, payload });
    const again = await service.api("PATCH", `${schedules}${id}/`, { payload: bodyFor(flags).payload });
    expect([again.status, again.json.attr]).toEqual([400, "payload"]);
    await runDue(id);
    expect((await flagHere(flags.here.id)).filters.groups).toMatchObject([{ rollout_percentage: 50 }]);
  });

  it("waits for approval where a policy of the target asks for it", async () => {
    const approver = await addPerson(service.db, "ada@example.com", { [organization]: 1 });
    const { value: key } = await addKey(service.db, approver.id);
    service.runtime.directory.drop();
    const flags = await both({ filters: share(50) }, { filters: share(10), active: false });
    const policy = await call("POST", `/api/projects/${live}/approval_policies/`, {
      action_key: "change",
      approver_config: { quorum: 1 },
    });
    const held = await schedule(flags);
    expect(held.status, held.text).toBe(202);
    const request = `/api/projects/${live}/change_requests/${held.json.change_request_id}/`;
    expect((await call("GET", schedules)).results[0]?.record_id).not.toBe(String(flags.here.id));
    await call("POST", `${request}approve/`, {}, key);
    const [waiting] = (await call("GET", `${schedules}?record_id=${flags.here.id}`)).results;
    expect(waiting.payload.operation).toBe("promote");
    expect((await runDue(waiting.id)).failure_reason).toBeNull();
    expect((await flagHere(flags.here.id)).filters.groups).toMatchObject([{ rollout_percentage: 50 }]);
    await call("DELETE", `/api/projects/${live}/approval_policies/${policy.id}/`);
  });

  it.each<[string, object, object, string]>([
    ["no project", { from_project: undefined }, {}, "payload__value__from_project"],
    ["an unknown project", { from_project: 999_999_999 }, {}, "payload"],
    ["a huge project", { from_project: 1e300 }, {}, "payload__value__from_project"],
    ["the project itself", { from_project: live }, {}, "payload"],
    ["no version", { version: undefined }, {}, "payload__value__version"],
    ["another version", { version: 7 }, {}, "payload"],
    ["unknown parts", { parts: ["everything"] }, {}, "payload__value__parts__0"],
    ["no parts", { parts: [] }, {}, "payload__value__parts"],
    ["parts that are the same", { parts: ["tags"] }, {}, "payload"],
    ["recurring", {}, { is_recurring: true, recurrence_interval: "daily" }, "payload"],
  ])("is refused with %s", async (_, value, fields, attr) => {
    const flags = await both({ filters: share(50) }, { filters: share(10) });
    const { status, json } = await schedule(flags, value, fields);
    expect([status, json.attr], JSON.stringify(json)).toEqual([400, attr]);
  });

  it("is refused for flags that are not there, and for what cannot be found here", async () => {
    const alone = await call("POST", flagsOf(live), { key: "only-here" });
    const reply = await schedule({ there: { version: 1 }, here: alone });
    expect([reply.status, reply.json.detail]).toEqual([400, "There is no flag with this key in Staging."]);
    const cohort = await call("POST", `/api/projects/${staging}/cohorts/`, {
      name: "Nowhere else",
      is_static: true,
    });
    const flags = await both(
      { filters: share(50, [{ key: "id", type: "cohort", value: cohort.id }]) },
      { filters: share(10) },
    );
    expect((await schedule(flags)).json.detail).toContain("cohort “Nowhere else”");
    const secret = await both(
      { has_encrypted_payloads: true, filters: { ...share(50), payloads: { true: '"secret"' } } },
      { filters: share(10) },
    );
    const refused = await schedule(secret);
    expect([refused.status, refused.json.attr]).toEqual([400, "payload"]);
    expect(refused.text).not.toContain('"secret"');
  });

  it("needs a key for both projects", async () => {
    const flags = await both({ filters: share(50) }, { filters: share(10) });
    const { value } = await addKey(service.db, 1, { scopes: ["*"], scoped_teams: [live] });
    service.runtime.directory.drop();
    const { status, json } = await schedule(flags, {}, {}, value);
    expect([status, json.attr, json.code]).toEqual([400, "payload", "does_not_exist"]);
  });

  it("is looked up again for a copy of the flag in another project", async () => {
    const flags = await both({ filters: share(50) }, { filters: share(10) });
    await scheduled(flags);
    const other = (await call("POST", "/api/projects/", { name: "Other" })).id;
    const { success } = await call("POST", `/api/organizations/${organization}/feature_flags/copy_flags/`, {
      feature_flag_key: flags.here.key,
      from_project: live,
      target_project_ids: [other],
      copy_schedule: true,
    });
    expect(success[0].schedule_copy_warning).toBeUndefined();
    const { results } = await call("GET", `/api/projects/${other}/scheduled_changes/`);
    expect(results).toMatchObject([{ payload: { operation: "promote", value: { from_project: staging } } }]);
  });
});
