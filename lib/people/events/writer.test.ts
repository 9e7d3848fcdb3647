import { sql } from "drizzle-orm";
import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWriter, repair, verify } from "#lib/app/rollups.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventOf } from "#testing/events.ts";
import type { IngestEvent } from "./event.ts";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
});
afterAll(() => database.close());

/** A project of its own for each test: nothing is left of the one before. */
let project = 0;
beforeEach(async () => {
  const [first] = await database.db.select().from(projects).limit(1);
  if (!first) throw new Error("No project.");
  const token = uuidv7();
  const [made] = await database.db
    .insert(projects)
    .values({ organization_id: first.organization_id, name: "P", api_token: token, secret_api_token: token })
    .returning();
  project = made?.id ?? 0;
});

const rowsOf = async <T extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
  (await database.db.execute<T>(query)).rows;

type Somebody = { ids: string[]; properties: Record<string, unknown>; is_identified: boolean };

async function people(): Promise<Somebody[]> {
  return rowsOf<Somebody>(sql`
    select array_agg(d.distinct_id order by d.distinct_id) as ids, p.properties, p.is_identified
    from persons p join person_distinct_ids d on d.person_id = p.id where p.project_id = ${project}
    group by p.id order by 1`);
}

const writer = () => createWriter(database.db);
const expectEqual = async () =>
  expect((await verify(database.db)).filter((finding) => finding.differences !== 0)).toEqual([]);

describe("persons", () => {
  it("appear with the first event of a distinct id, once", async () => {
    const events = writer();
    await Promise.all([
      events.write(project, [eventOf("a", "ann"), eventOf("b", "ann")]),
      events.write(project, [eventOf("c", "bob"), eventOf("d", "ann")]),
    ]);
    await events.write(project, [eventOf("e", "ann")]);
    expect(await people()).toEqual([
      { ids: ["ann"], properties: {}, is_identified: false },
      { ids: ["bob"], properties: {}, is_identified: false },
    ]);
  });

  it.each<{ change: string; steps: Record<string, unknown>[]; after: Record<string, unknown> }>([
    { change: "$set", steps: [{ $set: { a: 1 } }, { $set: { a: 2, b: "x" } }], after: { a: 2, b: "x" } },
    {
      change: "$set_once",
      steps: [{ $set_once: { a: 1 } }, { $set_once: { a: 2, b: 3 } }],
      after: { a: 1, b: 3 },
    },
    { change: "$set over $set_once", steps: [{ $set_once: { a: 1 }, $set: { a: 2 } }], after: { a: 2 } },
    { change: "$unset", steps: [{ $set: { a: 1, b: 2 } }, { $unset: ["a", "c", 7] }], after: { b: 2 } },
    { change: "odd values", steps: [{ $set: "x", $set_once: [1], $unset: "a" }], after: {} },
    { change: "nested values", steps: [{ $set: { a: { b: [1, null] } } }], after: { a: { b: [1, null] } } },
    {
      change: "names of the language",
      steps: [{ $set: JSON.parse('{"__proto__": "x", "constructor": 1}') }],
      after: JSON.parse('{"__proto__": "x", "constructor": 1}'),
    },
  ])("take $change, in one transaction and over several", async ({ steps, after }) => {
    const events = writer();
    await events.write(
      project,
      steps.map((properties) => eventOf("e", "together", properties)),
    );
    for (const properties of steps) await events.write(project, [eventOf("e", "apart", properties)]);
    expect(await people()).toEqual([
      { ids: ["apart"], properties: after, is_identified: false },
      { ids: ["together"], properties: after, is_identified: false },
    ]);
    await expectEqual();
  });

  it("keep their properties when those would grow too large, and the event is stored", async () => {
    const events = writer();
    await events.write(project, [eventOf("e", "ann", { $set: { a: 1 } })]);
    const large = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`p${i}`, "x".repeat(100_000)]));
    const result = await events.write(project, [eventOf("e", "ann", { $set: large })]);
    expect(result).toMatchObject({
      stored: 1,
      rejected: [{ index: 0, reason: expect.stringContaining("large") }],
    });
    expect(await people()).toEqual([{ ids: ["ann"], properties: { a: 1 }, is_identified: false }]);
  });
});

const identify = (id: string, anonymous: string, $set: Record<string, unknown> = {}) =>
  eventOf("$identify", id, { $anon_distinct_id: anonymous, $set });
const alias = (id: string, other: string) => eventOf("$create_alias", id, { alias: other });
const force = (id: string, other: string) => eventOf("$merge_dangerously", id, { alias: other });
const set = (id: string, $set: Record<string, unknown>) => eventOf("e", id, { $set });

describe("merging persons", () => {
  it.each<{ case: string; events: () => IngestEvent[]; people: Somebody[] }>([
    {
      case: "an anonymous person becomes the identified one, whose properties win",
      events: () => [
        set("anon", { a: "anon", b: "anon" }),
        set("ann", { b: "ann" }),
        identify("ann", "anon", { c: "new" }),
      ],
      people: [{ ids: ["ann", "anon"], properties: { a: "anon", b: "ann", c: "new" }, is_identified: true }],
    },
    {
      case: "ids that nobody has seen",
      events: () => [identify("ann", "anon")],
      people: [{ ids: ["ann", "anon"], properties: {}, is_identified: true }],
    },
    {
      case: "a chain of aliases",
      events: () => [
        set("a", { x: 1 }),
        alias("b", "a"),
        alias("b", "c"),
        alias("b", "d"),
        set("d", { y: 2 }),
      ],
      people: [{ ids: ["a", "b", "c", "d"], properties: { x: 1, y: 2 }, is_identified: true }],
    },
    {
      case: "a cycle of aliases",
      events: () => [alias("a", "b"), alias("b", "a"), alias("a", "a")],
      people: [{ ids: ["a", "b"], properties: {}, is_identified: true }],
    },
    {
      case: "two identified persons, who stay two",
      events: () => [identify("ann", "x"), identify("bob", "y"), identify("ann", "bob"), alias("bob", "ann")],
      people: [
        { ids: ["ann", "x"], properties: {}, is_identified: true },
        { ids: ["bob", "y"], properties: {}, is_identified: true },
      ],
    },
    {
      case: "two identified persons, by force",
      events: () => [identify("ann", "x", { n: 1 }), identify("bob", "y", { n: 2 }), force("ann", "bob")],
      people: [{ ids: ["ann", "bob", "x", "y"], properties: { n: 1 }, is_identified: true }],
    },
    {
      case: "ids that many share, which merge nobody",
      events: () => [identify("ann", "undefined"), identify("null", "anon2"), alias("ann", " ")],
      people: [
        { ids: ["ann"], properties: {}, is_identified: true },
        { ids: ["null"], properties: {}, is_identified: false },
      ],
    },
    {
      case: "a change to somebody who was merged away just before",
      events: () => [
        set("anon", { a: 1 }),
        identify("ann", "anon"),
        set("anon", { a: 2 }),
        set("anon", { b: 3 }),
      ],
      people: [{ ids: ["ann", "anon"], properties: { a: 2, b: 3 }, is_identified: true }],
    },
  ])("$case", async ({ events, people: expected }) => {
    await writer().write(project, events());
    expect(await people()).toEqual(expected);
    await database.db.execute(sql`delete from persons where project_id = ${project}`);
    await database.db.execute(sql`delete from property_values where project_id = ${project}`);
    await database.db.execute(sql`delete from property_definitions where project_id = ${project}`);
    const apart = writer();
    for (const event of events()) await apart.write(project, [event]);
    expect(await people()).toEqual(expected);
    await expectEqual();
  });

  it("keeps the earlier first sight", async () => {
    const events = writer();
    const old = { ...eventOf("e", "anon"), at: Date.parse("2025-01-01T00:00:00Z") };
    await events.write(project, [old]);
    await events.write(project, [identify("ann", "anon")]);
    expect(
      await rowsOf(sql`select created_at::date::text as day from persons where project_id = ${project}`),
    ).toEqual([{ day: "2025-01-01" }]);
  });

  it("moves memberships of cohorts and hash keys, and counts a static cohort's members once", async () => {
    const events = writer();
    await events.write(project, [eventOf("e", "anon"), eventOf("e", "ann")]);
    const [cohort] = await rowsOf<{ id: number }>(sql`
      insert into cohorts (project_id, name, filters, is_static, count) values (${project}, 'c', '{}', true, 2) returning id`);
    const person = (id: string) =>
      sql`(select person_id from person_distinct_ids where project_id = ${project} and distinct_id = ${id})`;
    await database.db.execute(sql`
      insert into cohort_people values (${cohort?.id}, ${person("anon")}), (${cohort?.id}, ${person("ann")})`);
    await database.db.execute(sql`
      insert into feature_flag_hash_key_overrides (project_id, person_id, feature_flag_key, hash_key) values
      (${project}, ${person("anon")}, 'f', 'anon'), (${project}, ${person("anon")}, 'g', 'anon'), (${project}, ${person("ann")}, 'f', 'ann')`);
    await events.write(project, [identify("ann", "anon")]);
    expect(
      await rowsOf(sql`select count, (select count(*) from cohort_people where cohort_id = c.id) as members
        from cohorts c where id = ${cohort?.id}`),
    ).toEqual([{ count: 1, members: 1 }]);
    expect(
      await rowsOf(sql`select feature_flag_key as flag, hash_key, person_id = ${person("ann")} as hers
        from feature_flag_hash_key_overrides where project_id = ${project} order by 1`),
    ).toEqual([
      { flag: "f", hash_key: "ann", hers: true },
      { flag: "g", hash_key: "anon", hers: true },
    ]);
  });
});

describe("groups", () => {
  const group = (type: string, key: unknown, $group_set?: unknown) =>
    eventOf("$groupidentify", "u", { $group_type: type, $group_key: key, $group_set });
  const types = () =>
    rowsOf<{ group_type: string; group_type_index: number }>(
      sql`select group_type, group_type_index from group_types where project_id = ${project} order by 2`,
    );

  it("get properties, and types their index by first sight", async () => {
    const events = writer();
    await events.write(project, [
      group("company", "acme", { tier: 1, seats: 5 }),
      eventOf("e", "u", { $groups: { team: "red", company: "acme" } }),
      group("company", "acme", { tier: 2 }),
      group("team", 7),
    ]);
    await events.write(project, [group("company", "acme", { seats: 6 }), group("company", "", { seats: 6 })]);
    expect(await types()).toEqual([
      { group_type: "company", group_type_index: 0 },
      { group_type: "team", group_type_index: 1 },
    ]);
    expect(
      await rowsOf(
        sql`select group_type_index as type, group_key as key, properties from groups where project_id = ${project} order by 1, 2`,
      ),
    ).toEqual([
      { type: 0, key: "acme", properties: { tier: 2, seats: 6 } },
      { type: 1, key: "7", properties: {} },
    ]);
    await expectEqual();
  });

  it("have five types; a sixth is named, and its event stored", async () => {
    const events = writer();
    const sent = ["a", "b", "c", "d", "e", "f"].map((type) => group(type, "k", { x: 1 }));
    const result = await events.write(project, sent);
    expect(result).toMatchObject({
      stored: 6,
      rejected: [{ index: 5, reason: expect.stringContaining('"f"') }],
    });
    expect((await types()).map((type) => type.group_type)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("get five types when two processes see ten at once", async () => {
    const [left, right] = [writer(), writer()];
    const names = (prefix: string) => [1, 2, 3, 4, 5].map((n) => group(`${prefix}${n}`, "k"));
    await Promise.all([left.write(project, names("l")), right.write(project, names("r"))]);
    expect((await types()).map((type) => type.group_type_index)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("figures", () => {
  it("count calls of flags by UTC day and response", async () => {
    const call = ($feature_flag: unknown, $feature_flag_response: unknown, at: string) => ({
      ...eventOf("$feature_flag_called", "u", { $feature_flag, $feature_flag_response }),
      at: Date.parse(at),
    });
    const events = writer();
    await events.write(project, [
      call("f", true, "2026-05-01T23:59:59.999Z"),
      call("f", true, "2026-05-01T00:00:00Z"),
      call("f", true, "2026-05-02T00:00:00Z"),
      call("f", "blue", "2026-05-01T01:00:00Z"),
      call("f", "b".repeat(300), "2026-05-01T01:00:00Z"),
      call("f", 3, "2026-05-01T01:00:00Z"),
      call("f", 1e21, "2026-05-01T01:00:00Z"),
      call("f", null, "2026-05-01T01:00:00Z"),
      call("f", { a: 1 }, "2026-05-01T01:00:00Z"),
      call("", true, "2026-05-01T01:00:00Z"),
      call(7, true, "2026-05-01T01:00:00Z"),
      call("x".repeat(401), true, "2026-05-01T01:00:00Z"),
    ]);
    await events.write(project, [call("f", true, "2026-05-01T12:00:00Z")]);
    expect(
      await rowsOf(sql`select feature_flag_key as key, day::text, response, calls
        from feature_flag_calls_daily where project_id = ${project} order by feature_flag_key, day, response collate "C"`),
    ).toEqual([
      { key: "f", day: "2026-05-01", response: "", calls: 3 },
      { key: "f", day: "2026-05-01", response: "3", calls: 1 },
      { key: "f", day: "2026-05-01", response: "b".repeat(200), calls: 1 },
      { key: "f", day: "2026-05-01", response: "blue", calls: 1 },
      { key: "f", day: "2026-05-01", response: "true", calls: 3 },
      { key: "f", day: "2026-05-02", response: "true", calls: 1 },
    ]);
    await expectEqual();
  });

  it("keep a thousand values of a property and stay exact for those", async () => {
    const events = writer();
    const named = (n: number) => set(`u${n}`, { code: `c${n}`, long: "x".repeat(201), common: "yes" });
    await events.write(
      project,
      Array.from({ length: 1_500 }, (_, n) => named(n)),
    );
    await events.write(project, [
      eventOf("e", "u0", { $unset: ["code"] }),
      named(1_501),
      set("u1", { code: "c2" }),
    ]);
    const [code] = await rowsOf(sql`
      select count, distinct_values from property_definitions where project_id = ${project} and name = 'code'`);
    expect(code).toEqual({ count: 1_500, distinct_values: 1_001 });
    const kept = await rowsOf<{ name: string; kept: number }>(sql`
      select name, count(*) as kept from property_values where project_id = ${project} group by 1 order by 1`);
    expect(kept).toEqual([
      { name: "code", kept: expect.any(Number) },
      { name: "common", kept: 1 },
    ]);
    expect(kept[0]?.kept).toBeLessThanOrEqual(1_000);
    expect(kept[0]?.kept).toBeGreaterThan(990);
    await expectEqual();
  });

  it("are found wrong and made right", async () => {
    const events = writer();
    await events.write(project, [
      set("u", { a: 1, b: "x" }),
      eventOf("$feature_flag_called", "u", { $feature_flag: "f" }),
    ]);
    await database.db.execute(
      sql`update event_definitions set count = count + 1 where project_id = ${project}`,
    );
    await database.db.execute(sql`delete from feature_flag_calls_daily where project_id = ${project}`);
    await database.db.execute(
      sql`update property_definitions set count = 9 where project_id = ${project} and name = 'a'`,
    );
    await database.db.execute(
      sql`update property_values set count = 9 where project_id = ${project} and name = 'b'`,
    );
    await database.db.execute(sql`delete from event_uuids where project_id = ${project}`);
    const found = await verify(database.db);
    expect(Object.fromEntries(found.map((f) => [f.rollup, f.differences]))).toEqual({
      event_uuids: 2,
      person_distinct_ids: 0,
      event_definitions: 2,
      feature_flag_calls_daily: 1,
      property_definitions: 1,
      property_values: 1,
      survey_responses: 0,
      survey_person_days: 0,
      survey_counts: 0,
      survey_moments: 0,
      survey_durations: 0,
    });
    expect((await repair(database.db, new Date(), [])).every((f) => f.differences === 0)).toBe(true);
    await expectEqual();
  });
});

type Step =
  | { kind: "set"; id: string; name: string; value: unknown }
  | { kind: "set_once"; id: string; name: string; value: unknown }
  | { kind: "unset"; id: string; name: string }
  | { kind: "$identify" | "$create_alias" | "$merge_dangerously"; id: string; other: string }
  | { kind: "flag"; id: string; flag: string; response: unknown };

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const name = fc.constantFrom("p", "q", "r");
const value = fc.constantFrom<unknown>(1, 2, "1", "x", true, null, [1], { k: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), id, name, value }),
  fc.record({ kind: fc.constant("set_once" as const), id, name, value }),
  fc.record({ kind: fc.constant("unset" as const), id, name }),
  fc.record({
    kind: fc.constantFrom("$identify" as const, "$create_alias" as const, "$merge_dangerously" as const),
    id,
    other: id,
  }),
  fc.record({
    kind: fc.constant("flag" as const),
    id,
    flag: fc.constantFrom("f", "g"),
    response: fc.constantFrom<unknown>(true, false, "v", null),
  }),
);

function eventOfStep(step: Step): IngestEvent {
  if (step.kind === "unset") return eventOf("e", step.id, { $unset: [step.name] });
  if (step.kind === "set") return eventOf("e", step.id, { $set: { [step.name]: step.value } });
  if (step.kind === "set_once") return eventOf("e", step.id, { $set_once: { [step.name]: step.value } });
  if (step.kind === "flag")
    return eventOf("$feature_flag_called", step.id, {
      $feature_flag: step.flag,
      $feature_flag_response: step.response,
    });
  if (step.kind === "$identify") return eventOf(step.kind, step.id, { $anon_distinct_id: step.other });
  return eventOf(step.kind, step.id, { alias: step.other });
}

/** The rules once more, one step at a time and without a database. */
function expectedPeople(steps: Step[]): Somebody[] {
  const persons = new Map<string, Somebody>();
  const personOf = (distinctId: string): Somebody => {
    const found = persons.get(distinctId) ?? { ids: [distinctId], properties: {}, is_identified: false };
    persons.set(distinctId, found);
    return found;
  };
  for (const step of steps) {
    const own = personOf(step.id);
    if (step.kind === "set") own.properties[step.name] = step.value;
    else if (step.kind === "set_once") own.properties = { [step.name]: step.value, ...own.properties };
    else if (step.kind === "unset") delete own.properties[step.name];
    else if (step.kind !== "flag") {
      const other = step.other === step.id ? own : personOf(step.other);
      if (other !== own && (step.kind === "$merge_dangerously" || !other.is_identified)) {
        own.ids.push(...other.ids);
        own.properties = { ...other.properties, ...own.properties };
        own.is_identified = true;
        for (const distinctId of other.ids) persons.set(distinctId, own);
      }
      if (step.kind === "$identify") own.is_identified = true;
    }
  }
  return [...new Set(persons.values())]
    .map((person) => ({ ...person, ids: person.ids.sort() }))
    .sort((a, b) => ((a.ids[0] ?? "") < (b.ids[0] ?? "") ? -1 : 1));
}

const wipe = async () => {
  for (const table of [
    "events",
    "event_uuids",
    "event_definitions",
    "feature_flag_calls_daily",
    "persons",
    "property_values",
    "property_definitions",
  ])
    await database.db.execute(sql`delete from ${sql.identifier(table)} where project_id = ${project}`);
};

describe("random traffic", () => {
  it("gives the persons of the rules and figures equal to a fresh count, however it is cut up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.constantFrom("same", "next request", "next transaction")), {
          minLength: 1,
          maxLength: 40,
        }),
        async (traffic) => {
          await wipe();
          const events = writer();
          let request: IngestEvent[] = [];
          const writes: Promise<unknown>[] = [];
          for (const [step, cut] of traffic) {
            request.push(eventOfStep(step));
            if (cut === "same") continue;
            writes.push(events.write(project, request));
            request = [];
            if (cut === "next transaction") await writes.at(-1);
          }
          writes.push(events.write(project, request));
          await Promise.all(writes);
          expect(await people()).toEqual(expectedPeople(traffic.map(([step]) => step)));
          await expectEqual();
        },
      ),
      { numRuns: 50 },
    );
  }, 120_000);

  it("through two processes at once loses and doubles nothing, and they never deadlock", async () => {
    const deadlocks = async () =>
      (
        await rowsOf<{ n: number }>(
          sql`select deadlocks as n from pg_stat_database where datname = current_database()`,
        )
      )[0]?.n;
    const before = await deadlocks();
    const steps = fc.sample(step, { numRuns: 3_000, seed: 7 });
    const sent = steps.map(eventOfStep);
    const extra = sent.slice(0, 500).map((event, n) => ({
      ...eventOf("seen", `person-${n % 200}`, { $set: { n, odd: n % 2 === 1 } }),
      uuid: event.uuid,
    }));
    const [left, right] = [writer(), writer()];
    const writes: Promise<unknown>[] = [];
    for (let at = 0; at < sent.length; at += 50) {
      const chunk = sent.slice(at, at + 50);
      writes.push((at % 100 === 0 ? left : right).write(project, chunk));
      // The other process is sent half of the same events again, as a client does that got no answer.
      writes.push((at % 100 === 0 ? right : left).write(project, chunk.slice(0, 25)));
    }
    writes.push(
      left.write(
        project,
        extra.map((event) => ({ ...event, uuid: uuidv7() })),
      ),
    );
    writes.push(
      right.write(
        project,
        extra.map((event) => ({ ...event, uuid: uuidv7() })),
      ),
    );
    await Promise.all(writes);
    const [count] = await rowsOf<{ n: number }>(
      sql`select count(*) as n from events where project_id = ${project}`,
    );
    expect(count?.n).toBe(sent.length + 2 * extra.length);
    await expectEqual();
    expect(await deadlocks()).toBe(before);
  });
});

describe("the writer", () => {
  it("stores everybody else's events when the database refuses one", async () => {
    const events = writer();
    const broken = { ...eventOf("broken", "u"), json: '{"a": ' };
    const [good, mixed] = await Promise.all([
      events.write(project, [eventOf("good", "u"), eventOf("good", "u")]),
      events.write(project, [eventOf("good", "u"), broken, eventOf("good", "u")]),
    ]);
    expect(good).toEqual({ stored: 2, rejected: [] });
    expect(mixed).toEqual({ stored: 2, rejected: [{ index: 1, reason: "The event cannot be stored." }] });
    expect(await rowsOf(sql`select event from events where project_id = ${project}`)).toHaveLength(4);
    await expectEqual();
  });

  it("refuses with 503 and Retry-After when too much is waiting, and loses none that it took", async () => {
    const events = writer();
    const request = () => Array.from({ length: 5_000 }, () => eventOf("e", "u"));
    const taken = Array.from({ length: 10 }, () => events.write(project, request()));
    await expect(events.write(project, request())).rejects.toMatchObject({
      status: 503,
      headers: { "Retry-After": "1" },
    });
    await Promise.all(taken);
    expect((await events.write(project, [eventOf("e", "u")])).stored).toBe(1);
    const [count] = await rowsOf<{ n: number }>(
      sql`select count(*) as n from events where project_id = ${project}`,
    );
    expect(count?.n).toBe(50_001);
  });

  it("stores another project's event long before a backlog is", async () => {
    const [first] = await database.db.select().from(projects).limit(1);
    const events = writer();
    let waiting = 10;
    const backlog = Array.from({ length: 10 }, async () => {
      await events.write(
        project,
        Array.from({ length: 4_000 }, () => eventOf("e", "u")),
      );
      waiting -= 1;
    });
    await events.write(first?.id ?? 0, [eventOf("single", "u")]);
    expect(waiting).toBeGreaterThanOrEqual(9);
    await Promise.all(backlog);
  });

  it("stores what it took before it ends, and takes no more", async () => {
    const events = writer();
    const taken = events.write(project, [eventOf("e", "u")]);
    await events.drain();
    expect(await taken).toEqual({ stored: 1, rejected: [] });
    await expect(events.write(project, [eventOf("e", "u")])).rejects.toMatchObject({ status: 503 });
  });
});
