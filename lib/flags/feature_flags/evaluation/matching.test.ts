import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const project = "/api/projects/1";
const root = `${project}/feature_flags`;
const cohorts = { named: 0, grown: 0 };

const plan = (value: string) => ({ key: "plan", type: "person", operator: "exact", value: [value] });
const on = (id: number, value: unknown = true) => ({
  key: String(id),
  type: "flag",
  operator: "flag_evaluates_to",
  value,
});
const inCohort = (value: number, operator = "in") => ({ key: "id", type: "cohort", operator, value });
const tier = { key: "tier", type: "group", group_type_index: 0, operator: "exact", value: ["gold"] };
const sets = (...properties: object[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });

async function send(path: string, body: object) {
  const reply = await service.api("POST", `${project}/${path}/`, body);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.json;
}
let made = 0;
const flag = (filters: object, more: object = {}) => {
  made += 1;
  return send("feature_flags", { key: `flag-${made}`, filters, ...more });
};

beforeAll(async () => {
  service = await startService();
  // 40 persons: every fourth on pro, the first five of them in a list.
  await service.db.execute(sql`
    with people as (
      insert into persons (project_id, properties)
      select 1, jsonb_build_object('plan', case when n % 4 = 0 then 'pro' else 'free' end, 'n', n)
      from generate_series(1, 40) n returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'person-' || (properties->>'n'), id from people`);
  await service.db.execute(sql`
    insert into groups (project_id, group_type_index, group_key, properties)
    values (1, 0, 'acme', '{"tier":"gold"}'), (1, 0, 'zoo', '{}'), (1, 0, 'bar', '{"tier":"basic"}')`);
  cohorts.named = (await send("cohorts", { name: "Named", is_static: true })).id;
  await service.db.execute(sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohorts.named}, id from persons where (properties->>'n')::int <= 5`);
  const filters = { properties: { type: "AND", values: [plan("pro")] } };
  cohorts.grown = (await send("cohorts", { name: "On pro", filters })).id;
});
afterAll(() => service.close());

describe("how many a condition matches", () => {
  const radius = (condition: object, group_type_index?: number) =>
    service.api("POST", `${root}/user_blast_radius/`, { condition, group_type_index });

  it.each<[string, () => Promise<object[]> | object[], number]>([
    ["a property", () => [plan("free")], 30],
    ["two properties", () => [plan("pro"), { key: "n", type: "person", operator: "gt", value: 20 }], 5],
    ["a property that nobody has", () => [{ ...plan("x"), key: "city" }], 0],
    [
      "who somebody is",
      () => [{ key: "distinct_id", type: "person", operator: "exact", value: ["person-3"] }],
      1,
    ],
    ["a list of people", () => [inCohort(cohorts.named)], 5],
    ["everyone but a list of people", () => [inCohort(cohorts.named, "not_in")], 35],
    ["a list of people and a property", () => [inCohort(cohorts.named), plan("pro")], 1],
    ["a cohort by properties", () => [inCohort(cohorts.grown)], 10],
    ["another flag", async () => [on((await flag(sets(plan("pro")))).id)], 10],
    ["another flag that is not on", async () => [on((await flag(sets(plan("pro")))).id, false)], 30],
    [
      "another flag that looks at a list of people",
      async () => [on((await flag(sets(inCohort(cohorts.named)))).id)],
      5,
    ],
    ["a flag that is off", async () => [on((await flag(sets(), { active: false })).id)], 0],
  ])("by %s", async (_, properties, users_affected) => {
    const { json } = await radius({ properties: await properties(), rollout_percentage: 0, variant: "x" });
    expect(json).toEqual({ users_affected, total_users: 40 });
  });

  it("by groups, where it is about groups", async () => {
    expect((await radius({ properties: [tier] }, 0)).json).toEqual({ users_affected: 1, total_users: 3 });
    expect((await radius({ properties: [] }, 0)).json).toEqual({ users_affected: 3, total_users: 3 });
    expect((await radius({ properties: [] }, 4)).json).toEqual({ users_affected: 0, total_users: 0 });
  });

  it.each<[string, object, number | undefined, string, (string | number)[]]>([
    [
      "a row",
      { properties: [plan("pro"), { ...plan("pro"), operator: "like" }] },
      undefined,
      "unsupported_operator",
      ["properties", 1, "operator"],
    ],
    [
      "a cohort",
      { properties: [inCohort(999)] },
      undefined,
      "cohort_does_not_exist",
      ["properties", 0, "value"],
    ],
    ["a flag", { properties: [on(999_999)] }, undefined, "invalid_input", ["properties", 0, "key"]],
    ["a row on persons", { properties: [plan("pro")] }, 0, "invalid_input", ["properties", 0, "type"]],
  ])("is refused with the place in the condition: %s", async (_, condition, index, code, path) => {
    const { status, json } = await radius(condition, index);
    expect([status, json.attr, json.code, json.extra.path]).toEqual([400, "condition", code, path]);
  });

  it("is refused without a condition", async () => {
    for (const body of [{}, { condition: null }, { condition: [] }]) {
      const { status, json } = await service.api("POST", `${root}/user_blast_radius/`, body);
      expect([status, json.attr]).toEqual([
        400,
        expect.toSatisfy((attr) => attr === null || attr === "condition"),
      ]);
    }
  });
});

describe("a static cohort of the people of a flag", () => {
  const variants = [
    { key: "a", rollout_percentage: 50 },
    { key: "b", rollout_percentage: 50 },
  ];
  it.each<[string, () => Promise<{ id: number }>, number]>([
    ["by a property", () => flag(sets(plan("pro"))), 10],
    ["whatever their variant", () => flag({ ...sets(plan("free")), multivariate: { variants } }), 30],
    ["in a list", () => flag(sets(inCohort(cohorts.named))), 5],
    ["by another flag", async () => flag(sets(on((await flag(sets(plan("pro")))).id))), 10],
    ["of which there are none", () => flag({ groups: [{ rollout_percentage: 0 }] }), 0],
    ["while it is off", () => flag(sets(plan("pro")), { active: false }), 0],
  ])("%s", async (_, make, count) => {
    const { id } = await make();
    const { cohort } = await send(`feature_flags/${id}/create_static_cohort_for_flag`, {});
    expect(cohort).toMatchObject({ is_static: true, count, description: "" });
    const [{ n } = {}] = (
      await service.db.execute<{ n: number }>(
        sql`select count(*)::int as n from cohort_people where cohort_id = ${cohort.id}`,
      )
    ).rows;
    expect(n).toBe(count);
  });

  it("is named after the flag and the moment, belongs to who asked, and can be used at once", async () => {
    const { id, key } = await flag(sets(plan("pro")));
    const { cohort } = await send(`feature_flags/${id}/create_static_cohort_for_flag`, {});
    expect(cohort.name).toMatch(
      new RegExp(`^Users with feature flag ${key} enabled at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$`),
    );
    expect(cohort.created_by.email).toBe("admin@localhost.local");
    await flag(sets(inCohort(cohort.id)));
  });

  it("is not made of a flag that is not there", async () => {
    const reply = await service.api("POST", `${root}/999999/create_static_cohort_for_flag/`, {});
    expect(reply.status).toBe(404);
  });
});
