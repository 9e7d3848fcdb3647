import { afterAll, beforeAll, expect, it } from "vitest";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const ROOT = "/api/projects/1/feature_flags/";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const set = (rollout_percentage: number, properties: object[] = []) => ({ properties, rollout_percentage });
const filters = (...groups: object[]) => ({ groups });

async function call(method: string, path: string, body?: object) {
  const { status, json, text } = await service.api(method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}
const create = (key: string, fields: object = {}) => call("POST", ROOT, { key, ...fields });
const save = (id: number, body: object) => call("PATCH", `${ROOT}${id}/`, body);

/** A moment after everything that was answered, and before everything that will be asked. */
async function moment(): Promise<string> {
  const passed = Date.now();
  while (Date.now() <= passed + 1) await new Promise((done) => setImmediate(done));
  const at = new Date().toISOString();
  while (Date.now() <= Date.parse(at) + 1) await new Promise((done) => setImmediate(done));
  return at;
}

const query = (params: Record<string, string>) => new URLSearchParams(params).toString();
const past = async (params: Record<string, string>) => call("GET", `${ROOT}past/?${query(params)}`);
const changes = async (from: string, to: string) =>
  (await call("GET", `${ROOT}past/changes/?${query({ from, to })}`)).results;

type Row = { key: string };
const keysOf = ({ results }: { results: Row[] }) => results.map(({ key }) => key);

it("shows the flags that were there, as they were, whatever became of them", async () => {
  const before = await moment();
  const flag = await create("was-checkout", { name: "Checkout", filters: filters(set(10)), tags: ["a"] });
  const gone = await create("was-gone", { active: true });
  const first = await moment();
  await save(flag.id, { key: "was-checkout-2", active: false, filters: filters(set(50), set(5)) });
  await save(gone.id, { deleted: true });
  await create("was-later");
  const second = await moment();
  await save(flag.id, { filters: filters(set(100)), tags: [] });
  await save(gone.id, { deleted: false });
  const search = "was-";
  expect(await past({ at: before, search })).toMatchObject({ count: 0, results: [] });
  expect(await past({ at: first, search })).toMatchObject({
    count: 2,
    results: [
      {
        id: flag.id,
        key: "was-checkout",
        name: "Checkout",
        active: true,
        version: 1,
        tags: ["a"],
        filters: filters(set(10)),
        deleted_since: false,
        evaluation: null,
      },
      { key: "was-gone" },
    ],
  });
  const then = await past({ at: second, search });
  expect(keysOf(then)).toEqual(["was-checkout-2", "was-later"]);
  expect(then.results[0]).toMatchObject({ active: false, version: 2, tags: ["a"] });
  expect(keysOf(await past({ at: await moment(), search }))).toEqual([
    "was-checkout-2",
    "was-gone",
    "was-later",
  ]);
  expect(keysOf(await past({ at: first, search: "CHECKOUT" }))).toEqual(["was-checkout"]);
  const page = await past({ at: first, search, limit: "1", offset: "1" });
  expect([page.count, keysOf(page), page.next]).toEqual([2, ["was-gone"], null]);
});

it("says what each flag gave a person at that moment, and why, as the flag's tester does", async () => {
  const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const open = await create("for-all", { filters: filters(set(100)) });
  const narrow = await create("for-pro", { filters: filters(set(100, [plan])) });
  const dependent = await create("for-dependent", {
    filters: filters(
      set(100, [{ key: String(open.id), type: "flag", operator: "flag_evaluates_to", value: true }]),
    ),
  });
  const at = await moment();
  await save(open.id, { active: false });
  await save(narrow.id, { filters: filters(set(100)) });
  const valuesAt = async (moment: string) =>
    Object.fromEntries(
      (await past({ at: moment, search: "for-", distinct_id: "somebody" })).results.map(
        ({ key, evaluation }: { key: string; evaluation: { value: unknown; text: string } }) => [
          key,
          [evaluation.value, evaluation.text],
        ],
      ),
    );
  expect(await valuesAt(at)).toEqual({
    "for-all": [true, "Set 1 matches this person."],
    "for-dependent": [true, "Set 1 matches this person."],
    "for-pro": [false, "No set matches this person: every set has a row that fails."],
  });
  expect(await valuesAt(await moment())).toMatchObject({
    "for-all": [false, "The flag is off, so everyone gets off."],
    "for-dependent": [false, expect.any(String)],
    "for-pro": [true, "Set 1 matches this person."],
  });
  for (const flag of [open, narrow]) {
    const tested = await call("POST", `${ROOT}evaluate/`, { id: flag.id, at, distinct_id: "somebody" });
    const { results } = await past({ at, search: flag.key, distinct_id: "somebody" });
    expect(results[0].evaluation).toMatchObject({
      value: tested.value,
      reason: tested.reason.code,
      condition_index: tested.reason.condition_index,
    });
  }
  expect(dependent.version).toBe(1);
});

it("says in words what changed between two moments, and who changed it", async () => {
  const cohort = await call("POST", "/api/projects/1/cohorts/", { name: "Payers", is_static: true });
  const flag = await create("seen-changed", { filters: filters(set(10)) });
  const back = await create("seen-back", { active: true });
  const gone = await create("seen-gone");
  const restored = await create("seen-restored");
  const same = await create("seen-same");
  await save(restored.id, { deleted: true });
  const from = await moment();
  const members = { key: "id", type: "cohort", operator: "in", value: cohort.id };
  await save(flag.id, { active: false });
  await save(flag.id, { filters: filters(set(100, [members])) });
  await save(back.id, { active: false });
  await save(back.id, { active: true });
  await save(gone.id, { deleted: true });
  await save(restored.id, { deleted: false });
  await create("seen-made");
  await call("POST", `${ROOT}${same.id}/test_cases/`, { name: "x", distinct_id: "x", expected: true });
  const brief = await create("seen-briefly");
  await save(brief.id, { deleted: true });
  const to = await moment();
  await save(flag.id, { active: true });
  const found = await changes(from, to);
  const { email } = (await call("GET", "/api/users/@me/")) as { email: string };
  expect(found.map(({ key, change }: { key: string; change: string }) => [key, change])).toEqual([
    ["seen-made", "created"],
    ["seen-restored", "restored"],
    ["seen-gone", "deleted"],
    ["seen-back", "none"],
    ["seen-changed", "changed"],
  ]);
  expect(found[4]).toMatchObject({
    id: flag.id,
    differences: [
      { what: "State", before: "on", after: "off" },
      { what: "Set 1", before: expect.stringContaining("10%"), after: expect.stringContaining("Payers") },
    ],
    save_count: 2,
    saves: [
      { activity: "updated", user: { email }, by_schedule: false },
      { activity: "updated", user: { email }, by_schedule: false },
    ],
  });
  expect(found[3]).toMatchObject({ differences: [], save_count: 2 });
  expect(await changes(to, await moment())).toMatchObject([
    { key: "seen-changed", differences: [{ what: "State", before: "off", after: "on" }], save_count: 1 },
  ]);
});

it("names schedules, and shows no encrypted payload", async () => {
  const secret = { ...filters(set(100)), payloads: { true: '"hush"' } };
  const flag = await create("secret-flag", {
    filters: secret,
    is_remote_configuration: true,
    has_encrypted_payloads: true,
  });
  const from = await moment();
  const { id } = await call("POST", "/api/projects/1/scheduled_changes/", {
    record_id: String(flag.id),
    model_name: "FeatureFlag",
    payload: { operation: "update_status", value: false },
    scheduled_at: new Date(Date.now() + 60_000).toISOString(),
  });
  expect(await changes(from, await moment()), "making a schedule changes no flag").toEqual([]);
  await call("POST", `/api/projects/1/scheduled_changes/${id}/run/`);
  const to = await moment();
  expect(await changes(from, to)).toMatchObject([{ key: "secret-flag", saves: [{ by_schedule: true }] }]);
  const { results } = await past({ at: from, search: "secret-flag" });
  expect(results).toHaveLength(1);
  expect(JSON.stringify(results)).not.toContain("hush");
});

it.each([
  ["past/", {}, "at"],
  ["past/", { at: "yesterday" }, "at"],
  ["past/", { at: "2999-01-01T00:00:00Z" }, "at"],
  ["past/", { at: "2026-01-01", groups: "[]" }, "groups"],
  ["past/", { at: "2026-01-01", distinct_id: "" }, "distinct_id"],
  ["past/changes/", { from: "2026-01-01" }, "to"],
  ["past/changes/", { from: "2026-01-02", to: "2026-01-01" }, "from"],
  ["past/changes/", { from: "2026-01-01", to: "2999-01-01" }, "to"],
])("refuses %s with %o", async (path, params, attr) => {
  const { status, json } = await service.api("GET", `${ROOT}${path}?${query(params as never)}`);
  expect([status, json.attr]).toEqual([400, attr]);
});

it("has nothing of another project", async () => {
  const { organization, project } = await addOrganization(service.db, "Elsewhere");
  const person = await addPerson(service.db, "elsewhere@example.com", { [organization.id]: 15 });
  const key = (await addKey(service.db, person.id)).value;
  service.runtime.directory.drop();
  const root = `/api/projects/${project.id}/feature_flags/past/`;
  const now = await moment();
  for (const path of [`?${query({ at: now })}`, `changes/?${query({ from: "2026-01-01", to: now })}`])
    expect((await service.api("GET", `${root}${path}`, undefined, { key })).json.count).toBe(0);
});
