import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboards, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const project = "/api/projects/1";
const root = `${project}/feature_flags`;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function send(method: string, path: string, body?: object) {
  const reply = await service.api(method, path, body);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.json;
}
let made = 0;
const flag = (body: object = {}) => {
  made += 1;
  return send("POST", `${root}/`, { key: `flag-${made}`, ...body });
};
const read = (id: number) => send("GET", `${root}/${id}/`);
const save = (id: number, body: object) => send("PATCH", `${root}/${id}/`, body);
const refused = async (id: number, body: object) => {
  const { status, json } = await service.api("PATCH", `${root}/${id}/`, body);
  return [status, json.code, json.attr, json.detail];
};

describe("the key of a deleted flag", () => {
  const variants = ["control", "test"].map((key) => ({ key, rollout_percentage: 50 }));
  const tried = async () => {
    const stored = await flag({ filters: { groups: [{}], multivariate: { variants } } });
    const experiment = await send("POST", `${project}/experiments/`, {
      name: stored.key,
      feature_flag_key: stored.key,
    });
    return { ...stored, experiment: experiment.id };
  };

  it("stays, where nothing else uses the flag", async () => {
    const { id, key } = await flag();
    expect(await save(id, { deleted: true })).toMatchObject({ key, deleted: true });
    expect(await save(id, { name: "Still gone" })).toMatchObject({ key, deleted: true });
    expect(await save(id, { deleted: false })).toMatchObject({ key, deleted: false });
  });

  it("is free at once where a deleted experiment keeps the flag, and comes back with the flag", async () => {
    const { id, key, experiment } = await tried();
    expect(await refused(id, { deleted: true })).toEqual([
      400,
      "invalid_input",
      null,
      `Cannot delete this feature flag because experiments use it (ids: ${experiment}). Delete them first.`,
    ]);
    expect((await read(id)).experiment_set).toEqual([experiment]);
    await send("PATCH", `${project}/experiments/${experiment}/`, { deleted: true });
    expect((await read(id)).experiment_set).toEqual([]);
    expect((await save(id, { deleted: true })).key).toBe(`${key}:deleted:${id}`);
    expect((await save(id, { deleted: true })).key).toBe(`${key}:deleted:${id}`);
    expect((await save(id, { name: "Still gone" })).key).toBe(`${key}:deleted:${id}`);
    expect(await save(id, { deleted: false })).toMatchObject({ key, deleted: false });
  });

  it("is not taken from the flag that has it by now", async () => {
    const old = await flag();
    await save(old.id, { deleted: true });
    const taker = await flag();
    expect((await save(taker.id, { key: old.key })).key).toBe(old.key);
    const freed = `${old.key}:deleted:${old.id}`;
    expect((await read(old.id)).key).toBe(freed);
    expect(await save(old.id, { deleted: false })).toMatchObject({ key: freed, deleted: false });
    expect(await refused(old.id, { key: old.key })).toEqual([
      400,
      "unique",
      "key",
      "There is already a feature flag with this key.",
    ]);
    expect((await save(old.id, { deleted: true, key: "renamed-in-passing" })).key).toBe("renamed-in-passing");
  });

  it("is the flag's own when it is sent back", async () => {
    const { id, key } = await flag();
    expect(await save(id, { key })).toMatchObject({ key, version: 2 });
  });
});

describe("what a save writes", () => {
  const stored = async (id: number) =>
    (await service.db.select().from(feature_flags).where(eq(feature_flags.id, id)))[0];

  it.each<[string, object, object]>([
    ["on", { active: true }, { active: true, performed_rollback: false }],
    ["on, though rolled back", { active: true, performed_rollback: true }, { performed_rollback: false }],
    ["off", { active: false }, { active: false, performed_rollback: null }],
    ["off and rolled back", { active: false, performed_rollback: true }, { performed_rollback: true }],
    ["without a word on it", {}, { active: true, performed_rollback: null }],
    [
      "with conditions of a rollback",
      { rollback_conditions: [{ x: 1 }] },
      { rollback_conditions: [{ x: 1 }] },
    ],
    ["with a text for them", { rollback_conditions: "12" }, { rollback_conditions: "12" }],
    ["without them", {}, { rollback_conditions: null }],
    [
      "at a moment of its own",
      { created_at: "2026-01-02T03:04:05Z" },
      { created_at: "2026-01-02T03:04:05.000000Z" },
    ],
  ])("of a new flag: %s", async (_, body, record) => {
    const answer = await flag(body);
    expect(answer).toMatchObject(record);
    expect(await read(answer.id)).toEqual(answer);
  });

  it("of a new flag: what the record does not show", async () => {
    const { id } = await flag({ creation_context: "experiments" });
    expect(await stored(id)).toMatchObject({ creation_context: "experiments", project_id: 1 });
    const plain = await flag();
    expect(await stored(plain.id)).toMatchObject({
      creation_context: "feature_flags",
      filters: { groups: [{ properties: [], rollout_percentage: null }] },
    });
    expect(plain).toMatchObject({
      ensure_experience_continuity: false,
      has_enriched_analytics: false,
      is_remote_configuration: false,
      has_encrypted_payloads: false,
      analytics_dashboards: [],
      last_called_at: null,
    });
  });

  it("of an update: who, when, and the next version", async () => {
    const before = await flag({ active: false, performed_rollback: true });
    const person = await addPerson(service.db, "eve@example.com", {});
    await service.db
      .update(feature_flags)
      .set({ last_modified_by_id: person.id })
      .where(eq(feature_flags.id, before.id));
    const after = await save(before.id, { name: "N", created_at: "2026-01-02T03:04:05Z" });
    expect(after).toMatchObject({
      name: "N",
      version: 2,
      created_at: "2026-01-02T03:04:05.000000Z",
      last_modified_by: { email: "admin@localhost.local" },
      performed_rollback: true,
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect((await save(before.id, { active: true })).performed_rollback).toBe(false);
    expect((await save(before.id, { name: "M" })).created_at).toBe(after.created_at);
  });

  it("of a new key: enrolment and dashboards follow it, in this flag only", async () => {
    const enrolled = (key: string) => ({
      groups: [{}],
      super_groups: [
        {
          properties: [
            { key: `$feature_enrollment/${key}`, type: "person", operator: "exact", value: ["true"] },
          ],
        },
      ],
    });
    const [mine, other] = [await flag(), await flag()];
    await save(mine.id, { filters: enrolled(mine.key) });
    await save(other.id, { filters: enrolled(mine.key) });
    expect((await save(mine.id, { key: "moved" })).filters).toEqual(enrolled("moved"));
    expect((await read(other.id)).filters).toEqual(enrolled(mine.key));
    const [board] = await service.db.select().from(dashboards).where(eq(dashboards.id, mine.usage_dashboard));
    expect(board?.name).toContain("moved");
    expect((await save(other.id, { key: "moved-too" })).filters).toEqual(enrolled(mine.key));
    expect((await save(mine.id, { key: "moved", name: "Same key" })).filters).toEqual(enrolled("moved"));
  });

  it("of a list of tags: those for evaluation are among the stored or the sent ones", async () => {
    const { id } = await flag({ tags: ["eu", "web"], evaluation_tags: ["eu"] });
    expect((await save(id, { evaluation_tags: ["web"] })).evaluation_tags).toEqual(["web"]);
    expect(await refused(id, { evaluation_tags: ["us", "web", "asia"] })).toEqual([
      400,
      "invalid_input",
      null,
      "Evaluation tags must be among the flag's tags. Missing: us, asia.",
    ]);
    expect(await save(id, { tags: ["us"], evaluation_tags: ["us"] })).toMatchObject({
      tags: ["us"],
      evaluation_tags: ["us"],
    });
    expect((await refused(id, { analytics_dashboards: [404] }))[3]).toBe(
      'Invalid pk "404" - object does not exist.',
    );
    expect((await save(id, { analytics_dashboards: [] })).analytics_dashboards).toEqual([]);
  });
});

describe("two editors of a flag", () => {
  it("learn whose change they would undo, and in which fields", async () => {
    const original = await flag({ name: "First", tags: ["a"] });
    const eve = await addPerson(service.db, "eve2@example.com", {});
    service.runtime.directory.drop();
    await save(original.id, { name: "Second", tags: ["b"] });
    const mine = { name: "Third", tags: ["c"], active: false, version: 1, original_flag: original };
    const toldOf = (who: string) => [
      409,
      "conflict",
      null,
      `The feature flag was updated by ${who} since you started editing it (tags, name). Please refresh and try again.`,
    ];
    for (const [last_modified_by_id, who] of [
      [eve.id, "eve2@example.com"],
      [null, "somebody else"],
    ] as const) {
      await service.db
        .update(feature_flags)
        .set({ last_modified_by_id })
        .where(eq(feature_flags.id, original.id));
      expect(await refused(original.id, mine)).toEqual(toldOf(who));
    }
    expect(await read(original.id)).toMatchObject({ name: "Second", version: 2 });
  });

  it("who change different fields at the same time lose nothing of each other's, and each has an entry", async () => {
    const { id } = await flag({ name: "First" });
    const changes = [
      { active: false },
      { name: "Second" },
      { tags: ["a"] },
      { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } },
      { evaluation_runtime: "server" },
    ];
    await Promise.all(changes.map((body) => save(id, body)));
    const after = await read(id);
    expect(after).toMatchObject({ ...Object.assign({}, ...changes), version: 1 + changes.length });
    const { results } = await send("GET", `${root}/${id}/activity/`);
    const fields = results.flatMap((entry: { detail: { changes: { field: string }[] } }) =>
      entry.detail.changes.map(({ field }) => field),
    );
    const expected = changes.flatMap((body) => [...Object.keys(body), "version"]);
    expect(fields.toSorted()).toEqual(expected.toSorted());
  });

  it("write on top of a change that this process has not heard of yet", async () => {
    const { id } = await flag({ name: "First" });
    await service.db.update(feature_flags).set({ active: false, version: 2 }).where(eq(feature_flags.id, id));
    const after = await save(id, { active: true });
    expect(after).toMatchObject({ active: true, version: 3 });
    const { results } = await send("GET", `${root}/${id}/activity/`);
    const change = { field: "active", before: false, after: true };
    expect(results[0].detail.changes).toContainEqual(expect.objectContaining(change));
  });
});

describe("members of the organization", () => {
  it.each([
    [1, "editor"],
    [7, "editor"],
    [8, "manager"],
    [15, "manager"],
  ])("at level %s look at others' flags as %s", async (level, access) => {
    const { id } = await flag();
    const { rows } = await service.db.execute<{ id: string }>(sql`select id from organizations limit 1`);
    const person = await addPerson(service.db, `level-${level}@example.com`, { [rows[0]?.id ?? ""]: level });
    const { value: key } = await addKey(service.db, person.id);
    service.runtime.directory.drop();
    const looking = await service.api("GET", `${root}/${id}/`, undefined, { key });
    expect(looking.json).toMatchObject({ user_access_level: access, can_edit: true });
    const own = await service.api("POST", `${root}/`, { key: `of-level-${level}` }, { key });
    expect(own.json.user_access_level).toBe("manager");
  });
});

describe("flags in memory", () => {
  it("are read again when told so: one, all of a project, or everything", async () => {
    const [first, second] = [await flag(), await flag()];
    const names = async () => [(await read(first.id)).name, (await read(second.id)).name];
    const rename = (name: string) => service.db.update(feature_flags).set({ name });
    expect(await names()).toEqual(["", ""]);
    await rename("A");
    expect(await names()).toEqual(["", ""]);
    service.runtime.flags.changed(1, [second.id]);
    expect(await names()).toEqual(["", "A"]);
    await rename("B");
    service.runtime.flags.changed(1, null);
    expect(await names()).toEqual(["B", "B"]);
    await rename("C");
    service.runtime.flags.drop();
    expect(await names()).toEqual(["C", "C"]);
    await service.db.delete(feature_flags).where(eq(feature_flags.id, first.id));
    service.runtime.flags.changed(1, [first.id]);
    expect((await service.api("GET", `${root}/${first.id}/`)).status).toBe(404);
    expect((await read(second.id)).name).toBe("C");
  });

  it("have a revision that grows with every change, and no other", async () => {
    const { id } = await flag();
    const before = await service.runtime.flags.project(1);
    expect(await service.runtime.flags.project(1)).toBe(before);
    await save(id, { name: "Changed" });
    const after = await service.runtime.flags.project(1);
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(before.byId.get(id)?.name).toBe("");
    expect(after.byId.get(id)?.name).toBe("Changed");
    const other = await service.runtime.flags.project(2);
    expect([other.live.length, other.byId.size]).toEqual([0, 0]);
  });

  it("come newest first, by their ids where they were made at once", async () => {
    const created_at = "2020-01-01T00:00:00Z";
    const [a, b] = [await flag({ created_at }), await flag({ created_at })];
    const c = await flag({ created_at: "2019-01-01T00:00:00Z" });
    const { live } = await service.runtime.flags.project(1);
    expect(live.slice(-3).map(({ id }) => id)).toEqual([b.id, a.id, c.id]);
  });

  it("know the surveys on them, however often they are saved", async () => {
    const linked = await flag();
    const survey = await send("POST", `${project}/surveys/`, {
      name: "How was it?",
      type: "popover",
      questions: [{ type: "open", question: "Why?" }],
      linked_flag_id: linked.id,
      targeting_flag_filters: { groups: [{ properties: [], rollout_percentage: 50 }] },
      start_date: "2026-01-01T00:00:00Z",
      response_sampling_start_date: new Date().toISOString(),
      response_sampling_interval_type: "day",
      response_sampling_interval: 2,
      response_sampling_limit: 2,
    });
    const surveysOf = async () => (await read(linked.id)).surveys;
    const [told] = await surveysOf();
    expect(told).toMatchObject({
      id: survey.id,
      name: "How was it?",
      type: "popover",
      linked_flag_key: linked.key,
      start_date: "2026-01-01T00:00:00.000000Z",
      end_date: null,
    });
    const { live } = await service.runtime.flags.project(1);
    const made = live.filter((each) => each.targets_survey).map(({ id }) => id);
    expect(made).toHaveLength(3);
    const listed = async () =>
      (await send("GET", `${root}/?limit=1000`)).results.map((each: { id: number }) => each.id);
    for (const id of made) await save(id, { name: "Saved" });
    await save(linked.id, { name: "Saved" });
    const keys = await listed();
    for (const id of made) expect(keys).not.toContain(id);
    expect(keys).toContain(linked.id);
    expect(await surveysOf()).toEqual([told]);
  });
});
