import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

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
    const cell = { before: null, after: true };
    expect((await people({ id, filters, ...cell })).status).toBe(400);

    const groups = (body: object, query = "") =>
      service.api("POST", `${root}/who_changes/groups/${query}`, body);
    const rows = (await groups({ id, filters, ...cell })).json;
    expect([rows.count, rows.next]).toEqual([2, null]);
    expect(rows.results).toEqual([
      { group_key: "acme", group_properties: { tier: "gold" } },
      { group_key: "zoo", group_properties: {} },
    ]);
    const second = (await groups({ id, filters, ...cell }, "?limit=1&offset=1")).json;
    expect(second.results).toEqual([rows.results[1]]);
    expect((await groups({ id, filters, before: true, after: true })).json.results).toEqual([]);
    expect((await groups({ id, filters: to("free"), ...cell })).status).toBe(400);
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

describe("running experiments and surveys", () => {
  const control = { key: "control", rollout_percentage: 50 };
  const split = (test: number) => ({
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: {
      variants: [
        { ...control, rollout_percentage: 100 - test },
        { key: "test", rollout_percentage: test },
      ],
    },
  });
  const started = "2026-01-01T00:00:00Z";
  const make = async (path: string, body: object) => {
    const reply = await service.api("POST", `/api/projects/1/${path}/`, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.json;
  };
  const effectsOf = ({ json }: Awaited<ReturnType<typeof ask>>) =>
    json.consequences.map((each: { user: { name: string }; effect: string; ends_comparison: boolean }) => [
      each.user.name,
      each.effect,
      each.ends_comparison,
    ]);

  it("are named, with what the save does to them; drafts and ended ones are not", async () => {
    const { id, key } = await flag({ filters: split(50) });
    for (const [name, dates] of Object.entries({
      Running: { start_date: started },
      Draft: {},
      Ended: { start_date: started, end_date: "2026-01-02T00:00:00Z" },
    }))
      await make("experiments", { name: `${key} ${name}`, feature_flag_key: key, ...dates });
    const running = `${key} Running`;
    expect(effectsOf(await ask({ id, filters: split(70) }))).toEqual([[running, "people_reassigned", true]]);
    expect(effectsOf(await ask({ id, active: false }))).toEqual([[running, "exposure_stops", true]]);
    expect(effectsOf(await ask({ id, key: `${key}-2` }))).toEqual([[running, "people_reassigned", true]]);
    expect(effectsOf(await ask({ id }))).toEqual([]);
    const [{ text, user }] = (await ask({ id, filters: split(70) })).json.consequences;
    expect(text).toContain("cannot be compared");
    expect(user).toMatchObject({ type: "experiment", via: null });
    await service.api("PATCH", `${root}/${id}/`, { active: false });
    expect(effectsOf(await ask({ id, active: true }))).toEqual([[running, "exposure_resumes", false]]);
  });

  it("behind a flag that depends on the changed one too", async () => {
    const base = await flag({ filters: to("pro") });
    const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    const filters = { ...split(50), groups: [{ properties: [row], rollout_percentage: 100 }] };
    const { key } = await flag({ filters });
    await make("experiments", { name: `On ${key}`, feature_flag_key: key, start_date: started });
    const { json } = await ask({ id: base.id, active: false });
    expect(json.consequences).toMatchObject([
      { user: { name: `On ${key}`, via: { key } }, effect: "participants_change", ends_comparison: false },
    ]);
  });

  it("a survey on its linked flag, and on the one that aims it", async () => {
    const { id, key } = await flag({ filters: split(50) });
    const survey = {
      type: "popover",
      start_date: started,
      questions: [{ type: "open", question: "Why?" }],
    };
    const linked = await make("surveys", { ...survey, name: `${key} linked`, linked_flag_id: id });
    await make("surveys", {
      ...survey,
      name: `${key} test`,
      linked_flag_id: id,
      conditions: { linkedFlagVariant: "test" },
    });
    await make("surveys", { ...survey, name: `${key} draft`, linked_flag_id: id, start_date: null });
    const off = effectsOf(await ask({ id, active: false }));
    expect(off.toSorted()).toEqual([
      [`${key} linked`, "survey_stops", false],
      [`${key} test`, "survey_stops", false],
    ]);
    expect(effectsOf(await ask({ id, filters: split(70) }))).toEqual([
      [`${key} test`, "audience_changes", false],
    ]);
    const internal = linked.internal_targeting_flag.id;
    expect(effectsOf(await ask({ id: internal, active: false }))).toEqual([
      [`${key} linked`, "survey_stops", false],
    ]);
  });
});

describe("several flags at once", () => {
  const bulk = (changes: object[], more: object = {}) =>
    service.api("POST", `${root}/who_changes/bulk/`, { changes, ...more });

  it("counts each, and the people for whom any of them changes", async () => {
    const pro = await flag({ filters: to("pro") });
    const free = await flag({ filters: to("free") });
    const groups = await flag({
      filters: { aggregation_group_type_index: 0, groups: [{ properties: [], rollout_percentage: 100 }] },
    });
    const changes = [pro, free, groups].map(({ id }) => ({ id, active: false }));
    const { json } = await bulk(changes);
    expect(json.people).toEqual({ total: 40, changed: 40 });
    const found = Object.fromEntries(json.flags.map((each: { key: string }) => [each.key, each]));
    expect(found[pro.key]).toMatchObject({ total: 40, changed: 10, group_type_index: null });
    expect(found[free.key]).toMatchObject({ total: 40, changed: 30 });
    expect(found[groups.key]).toMatchObject({ group_type_index: 0, total: 2, changed: 2 });
    for (const { id, active } of changes)
      expect(found[pro.id === id ? pro.key : free.id === id ? free.key : groups.key]).toMatchObject({
        cells: (await ask({ id, active })).json.cells,
      });
    const { rows } = await service.db.execute<{ id: string }>(
      sql`select id from persons where project_id = 1 order by id offset 29 limit 1`,
    );
    const rest = (await bulk(changes, { after_person: Number(rows[0]?.id) })).json;
    expect(rest.people.total).toBe(10);
    expect(rest.flags.find((each: { key: string }) => each.key === groups.key).total).toBe(0);
    expect(rest.next).toBeNull();
  });

  it("says where a flag would go on for everyone", async () => {
    const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
    const all = await flag({ active: false, filters: everyone });
    const some = await flag({ active: false, filters: to("pro") });
    const already = await flag({ filters: everyone });
    const { json } = await bulk([all, some, already].map(({ id }) => ({ id, active: true })));
    const reaching = json.flags.filter((each: { reaches_everyone: boolean }) => each.reaches_everyone);
    expect(reaching.map((each: { key: string }) => each.key)).toEqual([all.key]);
    expect((await ask({ id: all.id, active: true })).json.reaches_everyone).toBe(true);
  });

  it("says what a deletion would be refused with, just as the deletion does", async () => {
    const base = await flag({ filters: to("pro") });
    const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    const dependent = await flag({ filters: { groups: [{ properties: [row], rollout_percentage: 100 }] } });
    const alone = (await bulk([{ id: base.id, deleted: true }])).json;
    const refused = await service.api("PATCH", `${root}/${base.id}/`, { deleted: true });
    expect([refused.status, refused.json.detail]).toEqual([400, alone.flags[0].refusal]);
    expect([alone.people.changed, alone.dependents]).toEqual([0, []]);
    const off = (await bulk([{ id: base.id, active: false }])).json;
    expect(off.dependents).toMatchObject([{ key: dependent.key, changed: 10 }]);
    expect((await ask({ id: base.id, deleted: true })).json.refusal).toBe(refused.json.detail);
    expect((await ask({ id: base.id, active: false })).json.refusal).toBeNull();

    const both = (await bulk([base, dependent].map(({ id }) => ({ id, deleted: true })))).json;
    expect(both.dependents).toEqual([]);
    for (const { id, refusal } of both.flags) {
      expect(refusal).toBeNull();
      expect((await service.api("PATCH", `${root}/${id}/`, { deleted: true })).status).toBe(200);
    }
  });

  it("a flag that stays because of an experiment keeps those that it depends on", async () => {
    const base = await flag({ filters: to("pro") });
    const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    const variants = ["control", "test"].map((key) => ({ key, rollout_percentage: 50 }));
    const { id, key } = await flag({
      filters: { groups: [{ properties: [row], rollout_percentage: 100 }], multivariate: { variants } },
    });
    await service.api("POST", "/api/projects/1/experiments/", { name: key, feature_flag_key: key });
    const { json } = await bulk([base.id, id].map((each) => ({ id: each, deleted: true })));
    expect(json.flags.map((each: { refusal: string }) => each.refusal)).toEqual([
      expect.stringContaining("experiments use it"),
      expect.stringContaining(key),
    ]);
  });

  it("refuses to delete a flag of an experiment, started or not", async () => {
    const { id, key } = await flag({
      filters: {
        groups: [{ properties: [], rollout_percentage: 100 }],
        multivariate: {
          variants: ["control", "test"].map((each) => ({ key: each, rollout_percentage: 50 })),
        },
      },
    });
    await service.api("POST", "/api/projects/1/experiments/", { name: key, feature_flag_key: key });
    const other = await flag({ filters: to("pro") });
    const { json } = await bulk([id, other.id].map((each) => ({ id: each, deleted: true })));
    expect(json.flags.map((each: { id: number }) => each.id)).toEqual([other.id, id]);
    expect(json.people.changed).toBe(10);
    const { refusal } = json.flags[1];
    const refused = await service.api("PATCH", `${root}/${id}/`, { deleted: true });
    expect([refused.status, refused.json.detail]).toEqual([400, refusal]);
  });

  it.each([
    ["no changes", [], 400],
    ["a flag named twice", [{ id: 1 }, { id: 1 }], 400],
    ["an unknown flag", [{ id: 999_999 }], 404],
    ["a flag without an id", [{ active: true }], 400],
    ["an id beyond any", [{ id: 2 ** 40 }], 400],
    ["more than a hundred", Array.from({ length: 101 }, (_, id) => ({ id })), 400],
  ])("refuses %s", async (_, changes, status) => {
    expect((await bulk(changes)).status).toBe(status);
  });
});

it("a rename is counted by both keys", async () => {
  const { id, key } = await flag({ filters: to("free", 50) });
  const { json } = await ask({ id, key: `${key}-renamed` });
  await service.api("PATCH", `${root}/${id}/`, { key: `${key}-renamed` });
  const on = json.cells
    .filter((cell: { after: unknown }) => cell.after === true)
    .reduce((sum: number, cell: { count: number }) => sum + cell.count, 0);
  const now = (await ask({ id, active: false })).json;
  expect(now.changed).toBe(on);
  expect(json.changed).toBeGreaterThan(0);
});
