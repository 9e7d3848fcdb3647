import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projects, users } from "#lib/platform/db/tables/accounts.ts";
import { jobs } from "#lib/platform/db/tables/jobs.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const ROOT = "/api/projects/1/scheduled_changes/";
const FLAGS = "/api/projects/1/feature_flags/";
const HOUR_MS = 3_600_000;
const soon = (hours = 1) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const ON = { operation: "update_status", value: true };

let service: Service;
let flag: { id: number; key: string };
let made = 0;
beforeAll(async () => {
  service = await startService();
  flag = await newFlag();
});
afterAll(() => service.close());

async function newFlag(fields: object = {}) {
  made += 1;
  const { status, json, text } = await service.api("POST", FLAGS, {
    key: `flag-${made}`,
    active: false,
    ...fields,
  });
  expect(status, text).toBe(201);
  return json;
}

const bodyFor = (fields: object = {}) => ({
  record_id: String(flag.id),
  model_name: "FeatureFlag",
  payload: ON,
  scheduled_at: soon(),
  ...fields,
});
const schedule = (fields: object = {}) => service.api("POST", ROOT, bodyFor(fields));
const patch = (id: number, body: object) => service.api("PATCH", `${ROOT}${id}/`, body);

async function scheduled(fields: object = {}) {
  const { status, json, text } = await schedule(fields);
  expect(status, text).toBe(201);
  return json;
}

const VARIANTS = [
  { key: "a", rollout_percentage: 60 },
  { key: "b", rollout_percentage: 40 },
];

describe("a scheduled change", () => {
  it("has the fields of the public service, and is in line for its moment", async () => {
    const scheduled_at = soon();
    const record = await scheduled({ scheduled_at, something: "else" });
    expect(record).toEqual({
      id: expect.any(Number),
      team_id: 1,
      record_id: String(flag.id),
      model_name: "FeatureFlag",
      payload: ON,
      scheduled_at: scheduled_at.replace("Z", "000Z"),
      executed_at: null,
      failure_reason: null,
      created_at: expect.any(String),
      created_by: expect.objectContaining({ id: 1 }),
      updated_at: expect.any(String),
      is_recurring: false,
      recurrence_interval: null,
      cron_expression: null,
      last_executed_at: null,
      end_date: null,
      timezone: "UTC",
      guard: false,
      expected_impact: null,
    });
    const [job] = await service.db
      .select()
      .from(jobs)
      .where(eq(jobs.key, String(record.id)));
    expect(job).toMatchObject({ name: "scheduled_changes.due", run_at: new Date(scheduled_at) });
    expect((await service.api("GET", `${ROOT}${record.id}/`)).json).toEqual(record);
  });

  it("keeps the time zone that the project had", async () => {
    await service.api("PATCH", "/api/projects/1/", { timezone: "Europe/Berlin" });
    const record = await scheduled();
    await service.api("PATCH", "/api/projects/1/", { timezone: "UTC" });
    expect(record.timezone).toBe("Europe/Berlin");
    expect((await service.api("GET", `${ROOT}${record.id}/`)).json.timezone).toBe("Europe/Berlin");
  });

  it("is listed by flag, newest first, in pages", async () => {
    const { id } = await newFlag();
    const ids: number[] = [];
    for (const hours of [3, 1, 2])
      ids.push((await scheduled({ record_id: id, scheduled_at: soon(hours) })).id);
    const list = async (query: string) => (await service.api("GET", `${ROOT}?${query}`)).json;
    const idsIn = (page: { results: { id: number }[] }) => page.results.map((each) => each.id);
    expect(idsIn(await list(`record_id=${id}`))).toEqual(ids.toReversed());
    const page = await list(`record_id=${id}&model_name=FeatureFlag&limit=2`);
    expect([page.count, idsIn(page), page.previous]).toEqual([3, ids.toReversed().slice(0, 2), null]);
    const next = await service.api("GET", page.next.replace("http://switchyard.test", ""));
    expect([idsIn(next.json), next.json.next]).toEqual([ids.slice(0, 1), null]);
    for (const none of ["record_id=x", "record_id=99999999999", "record_id=0", "model_name=Survey"])
      expect(await list(none)).toMatchObject({ count: 0, results: [] });
    expect((await list("")).count).toBeGreaterThan(4);
  });

  it("can be cancelled, and restored", async () => {
    const { id } = await scheduled();
    expect((await service.api("DELETE", `${ROOT}${id}/`)).status).toBe(204);
    expect((await service.api("GET", `${ROOT}${id}/`)).status).toBe(404);
    expect((await service.api("DELETE", `${ROOT}${id}/`)).status).toBe(404);
    expect((await patch(id, { guard: true })).status).toBe(404);
    expect((await service.api("POST", `${ROOT}${id}/run/`)).status).toBe(404);
    expect((await patch(id, { deleted: false })).json).toMatchObject({ id, executed_at: null });
    expect((await service.api("GET", `${ROOT}${id}/`)).status).toBe(200);
  });

  it("belongs to one project", async () => {
    const { organization, project } = await addOrganization(service.db, "Elsewhere");
    const person = await addPerson(service.db, "elsewhere@example.com", { [organization.id]: 15 });
    const key = (await addKey(service.db, person.id)).value;
    service.runtime.directory.drop();
    const { id } = await scheduled();
    const root = `/api/projects/${project.id}/scheduled_changes/`;
    const call = (method: string, path: string, body?: object) =>
      service.api(method, `${root}${path}`, body, { key });
    const refused = await call("POST", "", bodyFor());
    expect([refused.status, refused.json.attr, refused.json.code]).toEqual([
      400,
      "record_id",
      "does_not_exist",
    ]);
    expect((await call("GET", `?record_id=${flag.id}`)).json.count).toBe(0);
    for (const [method, path, body] of [
      ["GET", `${id}/`],
      ["PATCH", `${id}/`, { guard: true }],
      ["PATCH", `${id}/`, { deleted: false }],
      ["DELETE", `${id}/`],
      ["POST", `${id}/run/`],
    ] as const)
      expect((await call(method, path, body)).status, `${method} ${path}`).toBe(404);
    // Whoever deletes their project or leaves takes nothing of others along.
    await service.db.delete(projects).where(eq(projects.id, project.id));
    await service.db.delete(users).where(eq(users.id, person.id));
    expect((await service.api("GET", `${ROOT}${id}/`)).status).toBe(200);
  });
});

describe("the activity of the flag", () => {
  const entriesOf = async (id: number) =>
    (await service.api("GET", `${FLAGS}${id}/activity/?limit=50`)).json.results;

  it("says what is done to a schedule, and by whom, and makes no version of it", async () => {
    const { id } = await newFlag();
    const { id: schedule } = await scheduled({
      record_id: id,
      is_recurring: true,
      recurrence_interval: "daily",
    });
    const later = soon(30);
    await patch(schedule, { scheduled_at: later });
    await patch(schedule, { scheduled_at: later });
    await patch(schedule, { is_recurring: false });
    await patch(schedule, { is_recurring: true });
    await service.api("DELETE", `${ROOT}${schedule}/`);
    await patch(schedule, { deleted: false });
    const entries = (await entriesOf(id)).toReversed();
    expect(entries.map((entry: { activity: string }) => entry.activity)).toEqual([
      "created",
      "schedule_created",
      "schedule_changed",
      "schedule_paused",
      "schedule_resumed",
      "schedule_cancelled",
      "schedule_restored",
    ]);
    const [, made, moved, paused, , cancelled, restored] = entries;
    const changeIn = (entry: { detail: { changes: unknown[] } }) => entry.detail.changes[0];
    expect(made.user.email).toBe(entries[0].user.email);
    expect(changeIn(made)).toMatchObject({
      action: "created",
      field: "scheduled_changes",
      before: null,
      after: { id: schedule, payload: ON, recurrence_interval: "daily", timezone: "UTC" },
    });
    expect(changeIn(moved)).toMatchObject({ after: { scheduled_at: later.replace("Z", "000Z") } });
    expect(changeIn(paused)).toMatchObject({
      before: { is_recurring: true },
      after: { is_recurring: false },
    });
    expect([changeIn(cancelled), changeIn(restored)]).toMatchObject([{ after: null }, { before: null }]);
    expect((await service.api("GET", `${FLAGS}${id}/versions/`)).json.count).toBe(1);
    expect((await service.api("GET", `${FLAGS}${id}/`)).json.version).toBe(1);
  });

  it("says nothing of what was refused", async () => {
    const { id } = await newFlag();
    const { id: schedule } = await scheduled({ record_id: id });
    await patch(schedule, { scheduled_at: "2026-01-01T00:00:00Z" });
    await service.api("POST", ROOT, bodyFor({ record_id: String(id), payload: {} }));
    expect(await entriesOf(id)).toHaveLength(2);
  });
});

describe("what is refused when it is made", () => {
  const recurring = { is_recurring: true, recurrence_interval: "daily" };
  it.each<[string, object, string | null]>([
    ["a moment that has passed", { scheduled_at: "2026-01-01T00:00:00Z" }, "scheduled_at"],
    ["no moment", { scheduled_at: undefined }, "scheduled_at"],
    ["a moment that is none", { scheduled_at: "tomorrow" }, "scheduled_at"],
    ["no flag", { record_id: undefined }, "record_id"],
    ["an unknown flag", { record_id: "999999" }, "record_id"],
    ["a flag that cannot be", { record_id: "x" }, "record_id"],
    ["a long id", { record_id: "1".repeat(201) }, "record_id"],
    ["another model", { model_name: "Survey" }, "model_name"],
    ["an unknown operation", { payload: { operation: "explode", value: 1 } }, "payload__operation"],
    ["no payload", { payload: undefined }, "payload"],
    ["a state that is none", { payload: { operation: "update_status", value: "on" } }, "payload__value"],
    ["nothing to change", { payload: { operation: "update", value: {} } }, "payload__value"],
    [
      "a field that a save refuses",
      { payload: { operation: "update", value: { key: "no spaces" } } },
      "payload__value__key",
    ],
    ["both recurrences", { ...recurring, cron_expression: "0 9 * * *" }, "cron_expression"],
    ["a recurrence without one", { is_recurring: true }, "recurrence_interval"],
    ["an interval without is_recurring", { recurrence_interval: "daily" }, "is_recurring"],
    ["a cron expression without is_recurring", { cron_expression: "0 9 * * *" }, "is_recurring"],
    [
      "an interval that is none",
      { is_recurring: true, recurrence_interval: "hourly" },
      "recurrence_interval",
    ],
    ["a broken cron expression", { is_recurring: true, cron_expression: "9 o'clock" }, "cron_expression"],
    [
      "a cron expression with seconds",
      { is_recurring: true, cron_expression: "0 0 9 * * *" },
      "cron_expression",
    ],
    ["an end before the start", { ...recurring, end_date: soon(0.5) }, "end_date"],
    [
      "condition sets again and again",
      {
        ...recurring,
        payload: { operation: "add_release_condition", value: { groups: [{ properties: [] }] } },
      },
      "payload",
    ],
    [
      "shares that do not add up",
      {
        payload: {
          operation: "update_variants",
          value: { variants: [{ key: "a", rollout_percentage: 60 }], payloads: {} },
        },
      },
      "payload",
    ],
    [
      "a payload of no variant",
      { payload: { operation: "update_variants", value: { variants: VARIANTS, payloads: { c: "1" } } } },
      "payload",
    ],
    [
      "conditions that a save refuses",
      {
        payload: {
          operation: "add_release_condition",
          value: { groups: [{ properties: [], rollout_percentage: 300 }] },
        },
      },
      "payload",
    ],
    [
      "groups that are none",
      { payload: { operation: "add_release_condition", value: { groups: "all" } } },
      "payload__value__groups",
    ],
  ])("%s", async (_, fields, attr) => {
    const before = (await service.api("GET", ROOT)).json.count;
    const { status, json } = await schedule(fields);
    expect([status, json.attr], json.detail).toEqual([400, attr]);
    expect((await service.api("GET", ROOT)).json.count).toBe(before);
  });

  it("a key that is taken, without a trace on the flag", async () => {
    const other = await newFlag();
    const payload = { operation: "update", value: { key: other.key } };
    const { status, json } = await schedule({ payload });
    expect([status, json.attr, json.code]).toEqual([400, "payload", "unique"]);
    expect((await service.api("GET", `${FLAGS}${flag.id}/`)).json.version).toBe(1);
  });

  it("a deleted flag", async () => {
    const { id } = await newFlag();
    await service.api("PATCH", `${FLAGS}${id}/`, { deleted: true });
    const { status, json } = await schedule({ record_id: id });
    expect([status, json.attr]).toEqual([400, "record_id"]);
  });

  it("a secret that the flag encrypts; one that stays is masked", async () => {
    const filters = { groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '"secret"' } };
    const { id } = await newFlag({ filters, is_remote_configuration: true, has_encrypted_payloads: true });
    const change = (payloads: object) => ({
      operation: "update",
      value: { filters: { ...filters, payloads } },
    });
    const refused = await schedule({ record_id: id, payload: change({ true: '"other"' }) });
    expect([refused.status, refused.json.attr]).toEqual([400, "payload"]);
    const record = await scheduled({ record_id: id, payload: change({ true: '"secret"' }) });
    expect(JSON.stringify(record)).not.toContain("secret");
    await service.api("POST", `${ROOT}${record.id}/run/`);
    const after = (await service.api("GET", `${FLAGS}${id}/`)).json;
    expect([after.version, after.filters.payloads]).toEqual([2, { true: '"secret"' }]);
  });
});

describe("an update", () => {
  it("changes what it names", async () => {
    const { id } = await scheduled();
    const later = soon(5);
    const { json } = await patch(id, {
      scheduled_at: later,
      payload: { operation: "update", value: { tags: ["X"] } },
    });
    expect(json).toMatchObject({
      scheduled_at: later.replace("Z", "000Z"),
      payload: { operation: "update", value: { tags: ["x"] } },
      is_recurring: false,
    });
    const [job] = await service.db
      .select()
      .from(jobs)
      .where(eq(jobs.key, String(id)));
    expect(job?.run_at).toEqual(new Date(later));
    const same = { record_id: String(flag.id), model_name: "FeatureFlag" };
    expect((await patch(id, same)).status).toBe(200);
  });

  it("pauses a recurring one, which keeps its recurrence, and lets it go on", async () => {
    const cron = { is_recurring: true, cron_expression: "0 9 * * 1-5" };
    const { id } = await scheduled(cron);
    const paused = { is_recurring: false, cron_expression: "0 9 * * 1-5" };
    expect((await patch(id, { is_recurring: false })).json).toMatchObject(paused);
    expect((await patch(id, { is_recurring: true })).json).toMatchObject(cron);
  });

  it.each<[string, object, string]>([
    ["another flag", { record_id: "1234" }, "record_id"],
    ["another model", { model_name: "Survey" }, "model_name"],
    ["a moment that has passed", { scheduled_at: "2026-01-01T00:00:00Z" }, "scheduled_at"],
    ["both recurrences", { cron_expression: "0 9 * * *" }, "cron_expression"],
    ["no recurrence", { recurrence_interval: null }, "recurrence_interval"],
    ["an end before the start", { end_date: "2026-01-01T00:00:00Z" }, "end_date"],
    ["null for a moment", { scheduled_at: null }, "scheduled_at"],
    [
      "what a save refuses",
      { payload: { operation: "update", value: { evaluation_tags: ["none"] } } },
      "payload",
    ],
    [
      "condition sets again and again",
      { payload: { operation: "add_release_condition", value: { groups: [{}] } } },
      "payload",
    ],
    ["a deletion", { deleted: true }, "deleted"],
  ])("refuses %s", async (_, body, attr) => {
    const record = await scheduled({ is_recurring: true, recurrence_interval: "weekly" });
    const { status, json } = await patch(record.id, body);
    expect([status, json.attr], json.detail).toEqual([400, attr]);
    expect((await service.api("GET", `${ROOT}${record.id}/`)).json).toEqual(record);
  });

  it("counts again whom a guarded one concerns when its payload changes", async () => {
    const { id } = await scheduled({ guard: true });
    expect((await patch(id, { guard: false })).json.expected_impact).toBeNull();
    expect((await patch(id, { guard: true })).json.expected_impact).toMatchObject({ changed: 0, total: 0 });
  });
});

describe("running at once", () => {
  it("makes the change in the caller's name, once", async () => {
    const { id } = await newFlag();
    const record = await scheduled({ record_id: id });
    const { status, json } = await service.api("POST", `${ROOT}${record.id}/run/`);
    expect([status, json.executed_at !== null, json.failure_reason]).toEqual([200, true, null]);
    expect((await service.api("GET", `${FLAGS}${id}/`)).json).toMatchObject({ active: true, version: 2 });
    const again = await service.api("POST", `${ROOT}${record.id}/run/`);
    expect([again.status, again.json.detail]).toEqual([400, "This scheduled change has finished."]);
    expect((await patch(record.id, { scheduled_at: soon(9) })).status).toBe(400);
    expect((await service.api("GET", `${FLAGS}${id}/`)).json.version).toBe(2);
  });

  it("leaves a recurring one in line", async () => {
    const { id } = await newFlag();
    const record = await scheduled({ record_id: id, is_recurring: true, recurrence_interval: "daily" });
    const { json } = await service.api("POST", `${ROOT}${record.id}/run/`);
    expect(json).toMatchObject({ executed_at: null, scheduled_at: record.scheduled_at });
    expect(json.last_executed_at).not.toBeNull();
    expect((await service.api("GET", `${FLAGS}${id}/`)).json.active).toBe(true);
  });

  it("says what stands in the way, and changes nothing", async () => {
    const { id } = await newFlag();
    const record = await scheduled({ record_id: id });
    await service.api("PATCH", `${FLAGS}${id}/`, { deleted: true });
    const { status, json } = await service.api("POST", `${ROOT}${record.id}/run/`);
    expect([status, json.detail]).toEqual([400, "The feature flag was deleted."]);
    expect((await service.api("GET", `${ROOT}${record.id}/`)).json.executed_at).toBeNull();
  });
});
