import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { addKey, addOrganization } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";
import { createStaticCohort, readStaticCohorts } from "./service.ts";

const COHORTS = "/api/projects/1/cohorts/";
const PEOPLE = 5_000;

let service: Service;
let api: Service["api"];
let awayProject: number;
const people: { id: number; uuid: string }[] = [];

/** 5,000 persons: every fifth pays, ages run from 0 to 99, everyone in the second half has two ids. */
async function addPeople(projectId: number, count: number) {
  const rows = await service.db
    .insert(persons)
    .values(
      Array.from({ length: count }, (_, i) => ({
        project_id: projectId,
        properties: { plan: i % 5 === 0 ? "pro" : "free", age: i % 100, email: `p${i}@x.test` },
      })),
    )
    .returning({ id: persons.id, uuid: persons.uuid });
  const ids = rows.flatMap(({ id }, i) => [
    { project_id: projectId, person_id: id, distinct_id: `p${i}` },
    ...(i >= count / 2 ? [{ project_id: projectId, person_id: id, distinct_id: `q${i}` }] : []),
  ]);
  for (let i = 0; i < ids.length; i += 5_000)
    await service.db.insert(person_distinct_ids).values(ids.slice(i, i + 5_000));
  return rows;
}

const row = (given: object = {}) => ({
  key: "plan",
  type: "person",
  operator: "exact",
  value: ["pro"],
  ...given,
});
const ref = (value: unknown, given: object = {}) => ({
  key: "id",
  type: "cohort",
  operator: "in",
  value,
  ...given,
});
const tree = (...values: unknown[]) => ({ properties: { type: "OR", values: [{ type: "AND", values }] } });
const create = async (given: object) => (await api("POST", COHORTS, { name: "c", ...given })).json;
const who = (i: number) => people[i]?.uuid;

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  awayProject = (await addOrganization(service.db, "away")).project.id;
  await addKey(service.db, 1);
  service.runtime.directory.drop();
  people.push(...(await addPeople(1, PEOPLE)));
  await addPeople(awayProject, 10);
});

afterAll(() => service.close());

test("a cohort by properties is counted as it is made, and says so", async () => {
  const made = await api("POST", COHORTS, { name: "Paying", description: "d", filters: tree(row()) });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({
    name: "Paying",
    description: "d",
    filters: tree(row()),
    groups: [],
    deleted: false,
    is_static: false,
    is_calculating: false,
    errors_calculating: 0,
    count: 1_000,
    created_by: { id: 1 },
  });
  expect(made.json.last_calculation).not.toBeNull();
  expect((await api("GET", `${COHORTS}${made.json.id}/`)).json).toEqual(made.json);
});

test.each([
  ["AND", tree(row(), row({ key: "age", operator: "lt", value: "50" })), 500],
  [
    "OR",
    { properties: { type: "OR", values: [row(), row({ key: "age", operator: "gte", value: 99 })] } },
    1_050,
  ],
  ["a negated condition", tree(row({ negation: true })), 4_000],
  ["a pattern", tree(row({ key: "email", operator: "regex", value: "^p1\\d@" })), 10],
  ["an absent property", tree(row({ key: "city", operator: "is_not_set", value: undefined })), PEOPLE],
  ["nobody", tree(row({ value: ["gold"] })), 0],
])("counting %s", async (_, filters, count) => {
  expect((await create({ filters })).count).toBe(count);
});

test("cohorts within cohorts: static ones, and those by properties, in and out", async () => {
  const named = await create({ is_static: true, person_ids: [who(0), who(1), who(2), who(5)] });
  const paying = await create({ filters: tree(row()) });
  expect((await create({ filters: tree(ref(named.id), ref(paying.id)) })).count).toBe(2);
  expect((await create({ filters: tree(ref(named.id), ref(paying.id, { operator: "not_in" })) })).count).toBe(
    2,
  );
  expect((await create({ filters: tree(row(), ref(String(named.id), { negation: true })) })).count).toBe(998);
});

test("changing the filters counts again; calculate does so for new persons", async () => {
  const { id } = await create({ filters: tree(row()) });
  const young = tree(row({ key: "age", operator: "lt", value: 1 }));
  expect((await api("PATCH", `${COHORTS}${id}/`, { filters: young })).json.count).toBe(50);
  const [late] = await service.db
    .insert(persons)
    .values({ project_id: 1, properties: { age: 0, plan: "late" } })
    .returning();
  const again = await api("POST", `${COHORTS}${id}/calculate/`);
  expect(again.json).toMatchObject({ count: 51, is_calculating: false });
  const page = await api("GET", `${COHORTS}${id}/persons/?limit=51`);
  expect(page.json.results.at(-1)).toMatchObject({ id: late?.uuid, distinct_ids: [] });
  await service.db.delete(persons).where(eq(persons.id, late?.id ?? 0));
});

test("members are listed page by page, each once", async () => {
  const { id } = await create({ filters: tree(row()) });
  const seen: string[] = [];
  let next: string | null = `http://switchyard.test${COHORTS}${id}/persons/?limit=300`;
  const sizes: number[] = [];
  while (next) {
    const page: { results: { id: string }[]; next: string | null } = (
      await api("GET", next.replace("http://switchyard.test", ""))
    ).json;
    sizes.push(page.results.length);
    seen.push(...page.results.map((person) => person.id));
    next = page.next;
  }
  expect(sizes).toEqual([300, 300, 300, 100]);
  expect(new Set(seen)).toEqual(new Set(people.filter((_, i) => i % 5 === 0).map((p) => p.uuid)));
  const past = await api("GET", `${COHORTS}${id}/persons/?cursor=999999999999999`);
  expect(past.json).toEqual({ next: null, previous: null, results: [] });
  expect((await api("GET", `${COHORTS}${id}/persons/?cursor=x`)).json).toMatchObject({ attr: "cursor" });
  const first = (await api("GET", `${COHORTS}${id}/persons/?limit=1`)).json.results[0];
  expect(first).toMatchObject({ uuid: who(0), distinct_ids: ["p0"], properties: { plan: "pro", age: 0 } });
});

test("a static cohort takes persons by UUID and by distinct id, and gives them up", async () => {
  const made = await create({
    is_static: true,
    person_ids: [who(0)],
    distinct_ids: ["p1", "q4000", "p4000", "ghost"],
  });
  expect(made).toMatchObject({ is_static: true, filters: {}, count: 3 });
  const path = `${COHORTS}${made.id}/`;
  const added = await api("POST", `${path}add_persons_to_static_cohort/`, {
    person_ids: [who(0), who(7)],
    distinct_ids: ["p8", "ghost"],
  });
  expect(added.json).toEqual({ success: true, added: 2, not_found: 1, count: 5 });
  const removed = await api("POST", `${path}remove_person_from_static_cohort/`, { person_id: who(7) });
  expect(removed.json).toEqual({ success: true });
  expect((await api("GET", path)).json.count).toBe(4);
  const members = (await api("GET", `${path}persons/`)).json.results;
  expect(members.map((m: { uuid: string }) => m.uuid)).toEqual([who(0), who(1), who(8), who(4000)]);
  const again = await api("POST", `${path}remove_person_from_static_cohort/`, { person_id: who(7) });
  expect([again.status, again.json.attr]).toEqual([400, "person_id"]);
  const inside = await readStaticCohorts(service.db, [people[1]?.id ?? 0, people[9]?.id ?? 0]);
  expect(inside.get(people[1]?.id ?? 0)?.has(made.id)).toBe(true);
  expect(inside.has(people[9]?.id ?? 0)).toBe(false);
});

test("a static cohort made for a flag keeps only persons of the project", async () => {
  const all = await service.db.select({ id: persons.id }).from(persons);
  async function* everyone() {
    for (const { id } of all) yield id;
  }
  const made = await createStaticCohort(service.db, {
    project_id: awayProject,
    name: "all",
    created_by_id: null,
    person_ids: everyone(),
  });
  expect(made).toMatchObject({ count: 10, is_static: true, description: "" });
});

test("a person of another project cannot be added", async () => {
  const [stranger] = await service.db
    .insert(persons)
    .values({ project_id: awayProject, properties: {} })
    .returning();
  const reply = await api("POST", COHORTS, { name: "c", is_static: true, person_ids: [stranger?.uuid] });
  expect([reply.status, reply.json.attr, reply.json.code]).toEqual([400, "person_ids", "does_not_exist"]);
});

test.each([
  [{}, "name", "required"],
  [{ name: "" }, "name", "blank"],
  [{ name: "c" }, "filters", "required"],
  [{ name: "c", filters: "x" }, "filters", "not_a_dict"],
  [{ name: "c", filters: {} }, "filters", "invalid_input"],
  [{ name: "c", filters: tree(row({ operator: "like" })) }, "filters", "unsupported_operator"],
  [
    { name: "c", filters: tree({ type: "behavioral", key: "x", value: "performed_event" }) },
    "filters",
    "behavioral_cohort_found",
  ],
  [{ name: "c", filters: tree(ref(4711)) }, "filters", "cohort_does_not_exist"],
  [{ name: "c", filters: tree(row()), distinct_ids: ["p1"] }, "distinct_ids", "invalid_input"],
  [{ name: "c", is_static: "yes" }, "is_static", "invalid_input"],
  [{ name: "c", is_static: true, person_ids: ["1"] }, "person_ids__0", "invalid_input"],
])("creating %j is refused, and nothing is written", async (given, attr, code) => {
  const before = (await api("GET", COHORTS)).json.count;
  const reply = await api("POST", COHORTS, given);
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ type: "validation_error", attr, code });
  expect((await api("GET", COHORTS)).json.count).toBe(before);
});

test("two changes at once cannot close a circle", async () => {
  const [a, b] = [await create({ filters: tree(row()) }), await create({ filters: tree(row()) })];
  const replies = await Promise.all([
    api("PATCH", `${COHORTS}${a.id}/`, { filters: tree(ref(b.id)) }),
    api("PATCH", `${COHORTS}${b.id}/`, { filters: tree(ref(a.id)) }),
  ]);
  expect(replies.map((r) => r.status).sort()).toEqual([200, 400]);
});

test("what a flag or a cohort uses cannot be deleted; what nothing uses can, and comes back", async () => {
  const { id } = await create({ name: "used", filters: tree(row()) });
  const path = `${COHORTS}${id}/`;
  const flag = await api("POST", "/api/projects/1/feature_flags/", {
    key: "uses-cohort",
    filters: { groups: [{ properties: [ref(id)], rollout_percentage: 100 }] },
  });
  const outer = await create({ name: "outer", filters: tree(ref(id)) });
  const refused = await api("PATCH", path, { deleted: true });
  expect(refused.status).toBe(400);
  expect(refused.json.detail).toContain("feature flag uses-cohort, cohort outer");
  await api("PATCH", `/api/projects/1/feature_flags/${flag.json.id}/`, { deleted: true });
  await api("PATCH", `${COHORTS}${outer.id}/`, { deleted: true });
  expect((await api("PATCH", path, { deleted: true })).json.deleted).toBe(true);
  const names = (await api("GET", `${COHORTS}?search=USE`)).json.results.map((c: { name: string }) => c.name);
  expect(names).not.toContain("used");
  // The outer one refers to a deleted cohort now.
  expect((await api("PATCH", `${COHORTS}${outer.id}/`, { deleted: false })).json.code).toBe(
    "cohort_does_not_exist",
  );
  expect((await api("PATCH", path, { deleted: false })).json).toMatchObject({ deleted: false, count: 1_000 });
  const log = (await api("GET", `/api/projects/1/activity_log/?scope=Cohort&item_id=${id}`)).json.results;
  expect(log.map((e: { activity: string }) => e.activity)).toEqual(["restored", "deleted", "created"]);
});

test("static and property-based cohorts do not turn into each other", async () => {
  const fixed = await create({ is_static: true });
  const moving = await create({ filters: tree(row()) });
  expect((await api("PATCH", `${COHORTS}${fixed.id}/`, { is_static: false })).json.attr).toBe("is_static");
  expect((await api("PATCH", `${COHORTS}${fixed.id}/`, { name: "still", is_static: true })).json.name).toBe(
    "still",
  );
  const add = await api("POST", `${COHORTS}${moving.id}/add_persons_to_static_cohort/`, {
    distinct_ids: ["p1"],
  });
  expect(add.status).toBe(400);
  const nothing = await api("POST", `${COHORTS}${fixed.id}/add_persons_to_static_cohort/`, {});
  expect([nothing.status, nothing.json.attr]).toEqual([400, "person_ids"]);
});

test("other projects' cohorts are not found", async () => {
  const foreign = await createStaticCohort(service.db, {
    project_id: awayProject,
    name: "foreign",
    created_by_id: null,
    person_ids: [],
  });
  for (const unknown of [foreign.id, 999_999, 99_999_999_999, "x"])
    expect((await api("GET", `${COHORTS}${unknown}/`)).status).toBe(404);
  expect((await api("PATCH", `${COHORTS}${foreign.id}/`, { name: "mine" })).status).toBe(404);
});

test("DELETE is not offered, and says what is", async () => {
  const reply = await api("DELETE", `${COHORTS}1/`);
  expect([reply.status, reply.json.code]).toEqual([405, "method_not_allowed"]);
  expect(reply.json.detail).toContain("deleted");
});
