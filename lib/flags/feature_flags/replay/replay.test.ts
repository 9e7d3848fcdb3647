import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LINES, type ProgressLine } from "#lib/platform/http/progress-schema.ts";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";
import type { ReplayAnswer } from "./replay-contract.ts";

await clearOfMidnight();

let service: Service;
const root = "/api/projects/1/feature_flags";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Call = {
  id: string;
  value: unknown;
  /** How many days ago. */
  ago: number;
  more?: Record<string, unknown>;
};

const eventOf = (key: string, { id, value, ago, more }: Call) => ({
  event: "$feature_flag_called",
  distinct_id: id,
  timestamp: new Date(NOW - ago * DAY_MS).toISOString(),
  properties: { $feature_flag: key, $feature_flag_response: value, ...more },
});

async function send(batch: object[]) {
  const body = JSON.stringify({ api_key: service.token, batch });
  const reply = await service.handle(new Request("http://localhost/batch/", { method: "POST", body }));
  expect(reply.status).toBe(200);
}

const identify = (distinct_id: string, $set: object, anonymous?: string) => ({
  event: "$identify",
  distinct_id,
  properties: { $set, ...(anonymous && { $anon_distinct_id: anonymous }) },
});

let made = 0;
const everyone = (rollout_percentage = 100) => ({ groups: [{ properties: [], rollout_percentage }] });
const withPlan = (value: string) => ({
  groups: [
    {
      properties: [{ key: "plan", type: "person", operator: "exact", value: [value] }],
      rollout_percentage: 100,
    },
  ],
});
const variants = (first: number) => ({
  ...everyone(),
  multivariate: {
    variants: [
      { key: "control", rollout_percentage: first },
      { key: "test", rollout_percentage: 100 - first },
    ],
  },
});

/** A flag whose versions were stored so many days ago, each but the first by an update. */
async function flagWith(versions: { ago: number; body: object }[]) {
  made += 1;
  const [first, ...later] = versions;
  const body = { key: `flag-${made}`, active: true, ...first?.body };
  const created = await service.api("POST", `${root}/`, body);
  expect(created.status, created.text).toBe(201);
  const { id, key } = created.json;
  for (const each of later)
    expect((await service.api("PATCH", `${root}/${id}/`, each.body)).status).toBe(200);
  await service.db.execute(sql`
    update activity_log l set created_at = v.at from (
      select id, row_number() over (order by created_at, id) as n from activity_log
      where scope = 'FeatureFlag' and item_id = ${String(id)}
    ) o join unnest(${sql.param(versions.map(({ ago }) => new Date(NOW - ago * DAY_MS).toISOString()))}::timestamptz[])
      with ordinality as v(at, n) on v.n = o.n
    where l.id = o.id`);
  return { id, key };
}

const replay = (body: object) => service.api("POST", `${root}/replay/`, body);
const people = (body: object, query = "") => service.api("POST", `${root}/replay/people/${query}`, body);

/** Checks that every figure of a replay opens as many people, and those calls. */
async function expectRows(asked: object, found: ReplayAnswer) {
  const figures = [
    ...found.cells.map((cell) => ({ rows: { of: "cell", before: cell.before, after: cell.after }, ...cell })),
    ...found.unexplained.causes.map((cause) => ({ rows: { of: "cause", cause: cause.cause }, ...cause })),
  ];
  for (const { rows, people: count, calls, first, last } of figures) {
    const { json } = await people({ ...asked, rows }, "?limit=10000");
    expect(json.count).toBe(count);
    expect(json.results).toHaveLength(count);
    const listed: { calls: number; first: string; last: string }[] = json.results;
    expect(listed.reduce((sum, row) => sum + row.calls, 0)).toBe(calls);
    expect(listed.map((row) => row.first).sort()[0]).toBe(first);
    expect(
      listed
        .map((row) => row.last)
        .sort()
        .at(-1),
    ).toBe(last);
  }
  const flips = (await people({ ...asked, rows: { of: "flips" } })).json;
  expect(flips.count).toBe(found.sign_in_flips ?? 0);
}

describe("a replay", () => {
  it("counts calls and people by recorded and replayed value, by day, and opens them", async () => {
    const { id, key } = await flagWith([{ ago: 30, body: { filters: everyone() } }]);
    await send([
      eventOf(key, { id: "a", value: true, ago: 0 }),
      eventOf(key, { id: "a", value: true, ago: 2 }),
      eventOf(key, { id: "b", value: true, ago: 2 }),
      eventOf(key, { id: "b", value: false, ago: 1 }),
      eventOf(key, { id: "old", value: true, ago: 8 }),
      eventOf("another", { id: "c", value: true, ago: 0 }),
    ]);
    const asked = { id, days: 3, draft: { active: false } };
    const { json } = await replay(asked);
    expect(json).toMatchObject({ key, calls: 4, people: 2, differing: { calls: 3, people: 2 } });
    expect(json.cells).toMatchObject([
      { before: true, after: false, calls: 3, people: 2 },
      { before: false, after: false, calls: 1, people: 1 },
    ]);
    expect(
      json.by_day.map((day: { calls: number; differing: number }) => [day.calls, day.differing]),
    ).toEqual([
      [2, 2],
      [1, 0],
      [1, 1],
    ]);
    expect(json.unexplained).toMatchObject({ calls: 1, causes: [{ cause: "not_explained", calls: 1 }] });
    await expectRows(asked, json);
    const page = (
      await people({ ...asked, rows: { of: "cell", before: true, after: false } }, "?limit=1&offset=1")
    ).json;
    expect(page).toMatchObject({
      count: 2,
      next: null,
      results: [{ distinct_id: "b", calls: 1, recorded: true }],
    });
    expect(page.results[0].person.name).toBe("b");
    expect((await replay({ id, days: 90 })).json.calls).toBe(5);
  });

  it("replays against the stored flag, an earlier version and another flag", async () => {
    const { id, key } = await flagWith([
      { ago: 5, body: { filters: withPlan("pro") } },
      { ago: 2, body: { filters: withPlan("free") } },
    ]);
    const other = await flagWith([{ ago: 5, body: { filters: variants(100) } }]);
    await send([
      identify("paying", { plan: "pro" }),
      identify("trying", { plan: "free" }),
      eventOf(key, { id: "paying", value: true, ago: 3 }),
      eventOf(key, { id: "paying", value: false, ago: 1 }),
      eventOf(key, { id: "trying", value: true, ago: 1 }),
    ]);
    const stored = (await replay({ id })).json;
    expect(stored.differing).toMatchObject({ calls: 1, people: 1 });
    expect(stored.unexplained.calls).toBe(0);
    const first = (await replay({ id, version: 1 })).json;
    expect(first.cells).toMatchObject([
      { before: true, after: true, calls: 1 },
      { before: true, after: false, calls: 1 },
      { before: false, after: true, calls: 1 },
    ]);
    const others = (await replay({ id, other_flag_id: other.id })).json;
    expect(others.cells.every((cell: { after: unknown }) => cell.after === "control")).toBe(true);
    for (const asked of [{ id }, { id, version: 1 }, { id, other_flag_id: other.id }])
      await expectRows(asked, (await replay(asked)).json);
  });

  it("names the likely causes of values that the version of the time does not give", async () => {
    const { id, key } = await flagWith([
      { ago: 5.5, body: { filters: everyone(), evaluation_runtime: "server" } },
      { ago: 3, body: { filters: everyone(0) } },
      { ago: 2, body: { filters: everyone(), evaluation_runtime: "client" } },
    ]);
    await send([
      eventOf(key, { id: "stale", value: true, ago: 2.5, more: { $lib: "posthog-python" } }),
      eventOf(key, { id: "empty", value: undefined, ago: 4, more: { $lib: "posthog-python" } }),
      eventOf(key, { id: "browser", value: false, ago: 4, more: { $lib: "web" } }),
      eventOf(key, { id: "unknown-library", value: false, ago: 4, more: { $lib: "ours" } }),
      eventOf(key, { id: "server", value: false, ago: 1, more: { $lib: "posthog-node" } }),
      eventOf(key, { id: "odd", value: "purple", ago: 1, more: { $lib: "web" } }),
      eventOf(key, { id: "fine", value: true, ago: 1, more: { $lib: "web" } }),
      eventOf(key, { id: "too-early", value: true, ago: 5.8 }),
    ]);
    const { json } = await replay({ id });
    const causes = json.unexplained.causes.map((each: { cause: string; calls: number }) => [
      each.cause,
      each.calls,
    ]);
    expect(Object.fromEntries(causes)).toEqual({
      earlier_version: 1,
      no_value: 1,
      wrong_runtime: 2,
      before_first_version: 1,
      not_explained: 2,
    });
    const named = async (cause: string) =>
      (await people({ id, rows: { of: "cause", cause } })).json.results.map(
        (row: { distinct_id: string }) => row.distinct_id,
      );
    expect(await named("earlier_version")).toEqual(["stale"]);
    expect(await named("wrong_runtime")).toEqual(["browser", "server"]);
    expect(await named("before_first_version")).toEqual(["too-early"]);
    expect(await named("not_explained")).toEqual(["odd", "unknown-library"]);
    await expectRows({ id }, json);
  });

  it("hashes the distinct id of the event, and counts those whose value flips on sign-in", async () => {
    const { id, key } = await flagWith([{ ago: 9, body: { filters: variants(50) } }]);
    const answerTo = async (distinct_id: string) =>
      (await service.api("POST", `${root}/evaluate/`, { id, distinct_id })).json.value;
    const ids = Array.from({ length: 12 }, (_, n) => ({ anonymous: `anon-${n}`, user: `user-${n}` }));
    const gets = new Map<string, string>();
    for (const each of ids.flatMap(({ anonymous, user }) => [anonymous, user]))
      gets.set(each, await answerTo(each));
    await send(ids.map(({ anonymous, user }) => identify(user, {}, anonymous)));
    // The first says after signing in what it got before.
    const mixed = ids.find(({ anonymous, user }) => gets.get(anonymous) !== gets.get(user));
    await send([
      ...ids.flatMap(({ anonymous, user }) => [
        eventOf(key, { id: anonymous, value: gets.get(anonymous), ago: 2 }),
        eventOf(key, { id: user, value: gets.get(user), ago: 1 }),
      ]),
      eventOf(key, { id: mixed?.user ?? "", value: gets.get(mixed?.anonymous ?? ""), ago: 0.5 }),
    ]);
    const { json } = await replay({ id });
    const flipping = ids.filter(({ anonymous, user }) => gets.get(anonymous) !== gets.get(user)).length;
    expect(json).toMatchObject({ calls: 25, people: 12, sign_in_flips: flipping });
    expect(json.unexplained.causes).toMatchObject([{ cause: "other_distinct_id", calls: 1, people: 1 }]);
    await expectRows({ id }, json);
    const [row] = (await people({ id, rows: { of: "flips" } })).json.results;
    expect(new Set(row.values.map((each: { value: string }) => each.value)).size).toBe(2);
    expect(row.calls).toBeGreaterThan(1);
    const kept = (await replay({ id, draft: { ensure_experience_continuity: true } })).json;
    expect(kept.sign_in_flips).toBeNull();
  });

  it("evaluates for the groups of the call, and for the moment of it", async () => {
    const row = { key: "tier", type: "group", operator: "exact", value: ["gold"], group_type_index: 0 };
    await send([
      {
        event: "$groupidentify",
        distinct_id: "ada",
        properties: { $group_type: "company", $group_key: "acme", $group_set: { tier: "gold" } },
      },
    ]);
    const filters = {
      aggregation_group_type_index: 0,
      groups: [{ properties: [row], rollout_percentage: 100 }],
    };
    const byGroup = await flagWith([{ ago: 5, body: { filters } }]);
    await send([
      eventOf(byGroup.key, { id: "ada", value: true, ago: 1, more: { $groups: { company: "acme" } } }),
      eventOf(byGroup.key, { id: "ada", value: false, ago: 1, more: { $groups: { company: "other" } } }),
      eventOf(byGroup.key, { id: "ada", value: false, ago: 1, more: { $groups: "wrong" } }),
      eventOf(byGroup.key, { id: "ada", value: false, ago: 1 }),
    ]);
    expect((await replay({ id: byGroup.id })).json).toMatchObject({
      calls: 4,
      differing: { calls: 0 },
      unexplained: { calls: 0 },
      sign_in_flips: null,
    });
    const since = { key: "joined", type: "person", operator: "is_date_before", value: "-2d" };
    const byTime = await flagWith([
      { ago: 9, body: { filters: { groups: [{ properties: [since], rollout_percentage: 100 }] } } },
    ]);
    await send([
      identify("joiner", { joined: new Date(NOW - 5 * DAY_MS).toISOString() }),
      eventOf(byTime.key, { id: "joiner", value: false, ago: 4 }),
      eventOf(byTime.key, { id: "joiner", value: false, ago: 3.01 }),
      eventOf(byTime.key, { id: "joiner", value: true, ago: 2.99 }),
    ]);
    expect((await replay({ id: byTime.id })).json.unexplained.calls).toBe(0);
  });

  it("has no version while the flag was deleted, and follows its keys", async () => {
    const { id, key } = await flagWith([
      { ago: 6, body: { filters: everyone() } },
      { ago: 4, body: { deleted: true } },
      { ago: 3, body: { deleted: false, key: "renamed" } },
    ]);
    await send([
      eventOf(key, { id: "a", value: true, ago: 5 }),
      eventOf(key, { id: "a", value: undefined, ago: 3.5 }),
      eventOf("renamed", { id: "a", value: true, ago: 1 }),
    ]);
    expect((await replay({ id })).json).toMatchObject({ calls: 3, unexplained: { calls: 0 } });
  });

  it("counts rare values together, so that a client cannot make it grow", async () => {
    const { id, key } = await flagWith([{ ago: 2, body: {} }]);
    await send(Array.from({ length: 60 }, (_, n) => eventOf(key, { id: "x", value: `value-${n}`, ago: 0 })));
    const { json } = await replay({ id });
    expect(json.cells).toHaveLength(51);
    expect(json.cells[0]).toMatchObject({ before: "(other values)", calls: 10 });
    await expectRows({ id }, json);
  });

  it("replays no calls at all", async () => {
    const { id } = await flagWith([{ ago: 2, body: {} }]);
    const { json } = await replay({ id });
    expect(json).toMatchObject({ calls: 0, people: 0, first: null, cells: [], sign_in_flips: 0 });
    expect(json.by_day).toHaveLength(7);
  });
});

describe("a replay of generated calls", () => {
  const targeting = fc.oneof(
    fc.integer({ min: 0, max: 100 }).map(everyone),
    fc.constantFrom("pro", "free").map(withPlan),
    fc.integer({ min: 0, max: 100 }).map(variants),
  );
  const someone = fc.integer({ min: 0, max: 7 }).map((n) => `person-${n}`);

  it("of the version that recorded them explains all, and of a draft counts as one by one", async () => {
    await send(
      Array.from({ length: 5 }, (_, n) => identify(`person-${n}`, { plan: n % 2 ? "pro" : "free" })),
    );
    await fc.assert(
      fc.asyncProperty(
        targeting,
        targeting,
        targeting,
        fc.array(fc.record({ id: someone, ago: fc.integer({ min: 0, max: 500 }) }), { maxLength: 30 }),
        async (before, now, draft, calls) => {
          const { id, key } = await flagWith([
            { ago: 30, body: { filters: before } },
            { ago: 2.5, body: { filters: now } },
          ]);
          const answerTo = async (distinct_id: string, more: object = {}) =>
            (await service.api("POST", `${root}/evaluate/`, { id, distinct_id, ...more })).json.value;
          const recorded: (Call & { drafted: unknown; current: unknown })[] = [];
          for (const { id: who, ago: hundredths } of calls) {
            const ago = hundredths / 100;
            const at = ago > 2.5 ? { at: new Date(NOW - ago * DAY_MS).toISOString() } : {};
            recorded.push({
              id: who,
              ago,
              value: await answerTo(who, at),
              current: await answerTo(who),
              drafted: await answerTo(who, { draft: { filters: draft } }),
            });
          }
          if (recorded.length > 0) await send(recorded.map((call) => eventOf(key, call)));
          const stored: ReplayAnswer = (await replay({ id })).json;
          expect(stored.unexplained.calls).toBe(0);
          const differ = recorded.filter(({ value, current }) => value !== current);
          expect(stored.differing.calls).toBe(differ.length);
          const drafted: ReplayAnswer = (await replay({ id, draft: { filters: draft } })).json;
          const cells = Map.groupBy(recorded, (call) => JSON.stringify([call.value, call.drafted]));
          expect(
            Object.fromEntries(
              drafted.cells.map((cell) => [
                JSON.stringify([cell.before, cell.after]),
                { calls: cell.calls, people: cell.people },
              ]),
            ),
          ).toEqual(
            Object.fromEntries(
              [...cells].map(([name, group]) => [
                name,
                { calls: group.length, people: new Set(group.map((call) => call.id)).size },
              ]),
            ),
          );
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("what a replay refuses", () => {
  it.each([
    ["no flag", {}, 400],
    ["an unknown flag", { id: 999_999 }, 404],
    ["no days", { id: 1, days: 0 }, 400],
    ["too many days", { id: 1, days: 91 }, 400],
    ["days in words", { id: 1, days: "seven" }, 400],
    ["two at once", { id: 1, version: 1, other_flag_id: 1 }, 400],
    ["an unknown version", { id: 1, version: 4711 }, 400],
    ["another flag that is not there", { id: 1, other_flag_id: 999_999 }, 404],
    ["a draft that could not be saved", { id: 1, draft: { filters: { groups: "all" } } }, 400],
  ])("%s", async (_, body, status) => {
    const reply = await replay(body);
    expect([reply.status, reply.json.type !== undefined], reply.text).toEqual([status, true]);
    const rows = { of: "flips" };
    expect((await people({ ...body, rows })).status).toBe(status);
  });

  it.each([[{}], [{ rows: { of: "nobody" } }], [{ rows: { of: "cause", cause: "magic" } }]])(
    "the rows %j",
    async (body) => {
      expect((await people({ id: 1, ...body })).status).toBe(400);
    },
  );
});

it("stops when nobody listens any more, and lets the next one begin", async () => {
  const { id, key } = await flagWith([{ ago: 9, body: { filters: variants(50) } }]);
  await service.db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select 1, gen_random_uuid(), '$feature_flag_called', 'caller-' || n, now() - n * interval '1 second',
      jsonb_build_object('$feature_flag', ${key}::text, '$feature_flag_response', 'control')
    from generate_series(1, 60000) n`);
  const body = JSON.stringify({ id });
  const headers = {
    authorization: `Bearer ${service.key}`,
    "content-type": "application/json",
    accept: LINES,
  };
  const response = await service.handle(
    new Request(`http://switchyard.test${root}/replay/`, { method: "POST", headers, body }),
  );
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const line: ProgressLine<ReplayAnswer> = JSON.parse(new TextDecoder().decode(value).split("\n")[0] ?? "");
  expect(line).toMatchObject({ done: false, seen: 0, answer: { calls: 0 } });
  await reader?.cancel();
  const cursors = async () =>
    (
      await service.db.execute(sql`
        select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and state <> 'idle' and query like '%replayed_calls%'`)
    ).rows.length;
  await expect.poll(cursors, { timeout: 10_000 }).toBe(0);
  const whole = await service.api("POST", `${root}/replay/`, { id }, { headers: { accept: LINES } });
  const last = JSON.parse(whole.text.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ done: true, answer: { calls: 60_000, people: 60_000 } });
});

describe("evaluation at a past moment", () => {
  it("uses the version stored then, and says which", async () => {
    const { id } = await flagWith([
      { ago: 6, body: { filters: everyone() } },
      { ago: 4, body: { name: "Only the description" } },
      { ago: 2, body: { filters: everyone(0) } },
    ]);
    const at = (ago: number) => new Date(NOW - ago * DAY_MS).toISOString();
    const ask = (more: object) => service.api("POST", `${root}/evaluate/`, { id, distinct_id: "a", ...more });
    expect((await ask({})).json).toMatchObject({ value: false, version: 3 });
    expect((await ask({ at: at(1) })).json).toMatchObject({ value: false, version: 3 });
    expect((await ask({ at: at(3) })).json).toMatchObject({ value: true, version: 2 });
    // The moment of the save belongs to the new version.
    expect((await ask({ at: at(2) })).json).toMatchObject({ value: false, version: 3 });
    expect((await ask({ at: at(7) })).json.code).toBe("does_not_exist");
    expect((await ask({ at: at(-1) })).json.attr).toBe("at");
    expect((await ask({ at: at(1), draft: { active: false } })).json.attr).toBe("at");
    expect((await ask({ at: "yesterday" })).status).toBe(400);
  });
});
