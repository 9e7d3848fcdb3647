import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#lib/testing/service.ts";

let service: Service;
const root = "/api/projects/1/feature_flags";

beforeAll(async () => {
  service = await startService();
  await service.db.execute(sql`
    with people as (
      insert into persons (project_id, properties)
      select 1, jsonb_build_object('plan', case when n % 4 = 0 then 'pro' else 'free' end, 'n', n)
      from generate_series(1, 40) n returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'person-' || (properties->>'n'), id from people`);
});
afterAll(() => service.close());

const plan = (value: string) => [{ key: "plan", type: "person", operator: "exact", value: [value] }];
const to = (value: string, rollout_percentage = 100) => ({
  groups: [{ properties: plan(value), rollout_percentage }],
});

let made = 0;
async function flag(body: object = {}) {
  made += 1;
  const reply = await service.api("POST", `${root}/`, { key: `flag-${made}`, active: true, ...body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}
const ask = (body: object) => service.api("POST", `${root}/who_changes/`, body);
const people = (body: object, query = "") => service.api("POST", `${root}/who_changes/people/${query}`, body);

describe("who changes", () => {
  it("counts who goes from which value to which, and changes nothing", async () => {
    const { id } = await flag({ filters: to("pro") });
    const { json } = await ask({ id, filters: to("free") });
    expect(json).toMatchObject({ total: 40, changed: 40, unit_changed: false, group_type_index: null });
    expect(json.cells).toEqual([
      { before: false, after: true, count: 30 },
      { before: true, after: false, count: 10 },
    ]);
    const stored = await service.api("GET", `${root}/${id}/`);
    expect(stored.json.filters).toEqual(to("pro"));
    expect(stored.json.version).toBe(1);
  });

  it("each count opens exactly its people", async () => {
    const { id } = await flag({ filters: to("free", 50) });
    const change = { id, filters: { groups: [{ properties: [], rollout_percentage: 30 }] } };
    const { json } = await ask(change);
    expect(json.cells.length).toBeGreaterThan(2);
    for (const cell of json.cells) {
      const rows = (await people({ ...change, before: cell.before, after: cell.after })).json;
      expect(rows.count).toBe(cell.count);
      expect(new Set(rows.results.map((person: { uuid: string }) => person.uuid)).size).toBe(cell.count);
    }
  });

  it("goes on after a person, so that parts add up to the whole", async () => {
    const { id } = await flag({ filters: to("pro") });
    const whole = (await ask({ id, filters: to("free") })).json;
    expect(whole.next).toBeNull();
    const { rows } = await service.db.execute<{ id: string }>(
      sql`select id from persons where project_id = 1 order by id offset 29 limit 1`,
    );
    const rest = (await ask({ id, filters: to("free"), after_person: Number(rows[0]?.id) })).json;
    expect([whole.total, rest.total]).toEqual([40, 10]);
    const of = { id, filters: to("free"), before: false, after: true };
    const later = (await people({ ...of, after_person: Number(rows[0]?.id) })).json;
    const [cell] = rest.cells;
    expect([later.count, later.next_person]).toEqual([cell.count, null]);
  });

  it("pages through the people", async () => {
    const body = { key: "new", filters: to("pro"), before: null, after: true };
    const first = (await people(body, "?limit=4")).json;
    const last = (await people(body, "?limit=4&offset=8")).json;
    expect([first.count, first.results.length, last.results.length]).toEqual([10, 4, 2]);
    expect(first.next).toContain("offset=4");
    expect(last.next).toBeNull();
  });

  it.each([
    ["turning it off", { active: false }, { before: true, after: false }],
    ["deleting it", { deleted: true }, { before: true, after: null }],
  ])("%s", async (_, change, cell) => {
    const { id } = await flag({ filters: to("pro") });
    const { json } = await ask({ id, ...change });
    expect(json.changed).toBe(10);
    expect(json.cells).toContainEqual({ ...cell, count: 10 });
  });

  it("tells of the flags that look at this one", async () => {
    const base = await flag({ filters: to("pro") });
    const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    const dependent = await flag({ filters: { groups: [{ properties: [row], rollout_percentage: 100 }] } });
    const { json } = await ask({ id: base.id, active: false });
    expect(json.dependents).toEqual([
      {
        id: dependent.id,
        key: dependent.key,
        total: 40,
        changed: 10,
        cells: [
          { before: false, after: false, count: 30 },
          { before: true, after: false, count: 10 },
        ],
      },
    ]);
  });

  it("says when what the flag is decided by changes", async () => {
    await service.db.execute(sql`
      insert into groups (project_id, group_type_index, group_key, properties)
      values (1, 0, 'acme', '{"tier":"gold"}'), (1, 0, 'zoo', '{}')`);
    const { id } = await flag({ filters: to("pro") });
    const filters = {
      aggregation_group_type_index: 0,
      groups: [{ properties: [], rollout_percentage: 100 }],
    };
    const { json } = await ask({ id, filters });
    expect(json).toMatchObject({ unit_changed: true, group_type_index: 0, total: 2 });
    expect(json.cells).toEqual([{ before: null, after: true, count: 2 }]);
    expect((await people({ id, filters, before: null, after: true })).status).toBe(400);
  });

  it.each([
    ["an unknown flag", { id: 999_999 }, 404],
    [
      "filters that the flag would be refused for",
      { filters: { groups: [{ rollout_percentage: 101 }] } },
      400,
    ],
    ["filters that are no object", { filters: 3 }, 400],
    ["no body", [], 400],
  ])("refuses %s", async (_, body, status) => {
    expect((await ask(body)).status).toBe(status);
  });
});
