import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRuntime } from "#lib/app/runtime.ts";
import { organization_memberships, organizations, users } from "#lib/platform/db/tables/accounts.ts";
import { scheduled_changes } from "#lib/platform/db/tables/feature_flags.ts";
import { jobs } from "#lib/platform/db/tables/jobs.ts";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { dying } from "#testing/dying.ts";
import { jobContext } from "#testing/jobs.ts";
import { eventually } from "#testing/processes.ts";
import { type Service, startService } from "#testing/service.ts";
import { findDrift } from "./guard.ts";
import { scheduledChangeDue, scheduledChangeSweep } from "./run.ts";

const ROOT = "/api/projects/1/scheduled_changes/";
const FLAGS = "/api/projects/1/feature_flags/";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ON = { operation: "update_status", value: true };
const DAILY = { is_recurring: true, recurrence_interval: "daily" };

let service: Service;
let made = 0;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The moment that everything in here is scheduled for. */
const MOMENT = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS);
const later = (ms: number) => new Date(MOMENT.getTime() + ms);

async function newFlag(fields: object = {}): Promise<number> {
  made += 1;
  return (await service.api("POST", FLAGS, { key: `flag-${made}`, active: false, ...fields })).json.id;
}

/** A new flag that is off, and a schedule of it. */
async function scheduled({
  flag = {},
  key,
  ...fields
}: {
  flag?: object;
  key?: string;
  [field: string]: unknown;
} = {}) {
  const flagId = await newFlag(flag);
  const body = { record_id: flagId, model_name: "FeatureFlag", payload: ON, scheduled_at: MOMENT, ...fields };
  const { status, json, text } = await service.api("POST", ROOT, body, key ? { key } : {});
  expect(status, text).toBe(201);
  return { id: json.id as number, flagId };
}

const readFlag = async (id: number) => (await service.api("GET", `${FLAGS}${id}/`)).json;
const read = async (id: number) => (await service.api("GET", `${ROOT}${id}/`)).json;
const instant = (date: Date) => date.toISOString().replace("Z", "000Z");

/** Does what is in line for a schedule as if it were that moment. */
const runAt = (id: number, now: Date, db = service.db) =>
  scheduledChangeDue.run({ ...jobContext(service.runtime, { now, payload: { id } }), db });

describe("a schedule that is due", () => {
  it("changes the flag in its author's name, and says so in the log", async () => {
    const { id, flagId } = await scheduled();
    await runAt(id, later(-1));
    expect((await readFlag(flagId)).active).toBe(false);
    await runAt(id, MOMENT);
    expect(await readFlag(flagId)).toMatchObject({ active: true, version: 2 });
    expect(await read(id)).toMatchObject({
      executed_at: instant(MOMENT),
      failure_reason: null,
      last_executed_at: null,
    });
    const [entry] = (await service.api("GET", `${FLAGS}${flagId}/activity/`)).json.results;
    const { json: me } = await service.api("GET", "/api/users/@me/");
    expect(entry).toMatchObject({
      activity: "updated",
      user: { email: me.email },
      detail: {
        changes: [{ field: "active", before: false, after: true }, {}, { field: "version" }],
        trigger: {
          job_type: "scheduled_change",
          job_id: String(id),
          payload: { operation: "update_status" },
        },
      },
    });
  });

  const groups = [{ properties: [], rollout_percentage: 10 }];
  const more = { properties: [], rollout_percentage: 20 };
  const VARIANTS = [
    { key: "a", rollout_percentage: 60 },
    { key: "b", rollout_percentage: 40 },
  ];
  const variantFilters = { groups, multivariate: { variants: VARIANTS }, payloads: { a: "1", b: "2" } };
  it.each<[string, object, object, object]>([
    [
      "adds condition sets",
      { groups },
      { operation: "add_release_condition", value: { groups: [more] } },
      { groups: [groups[0], more] },
    ],
    [
      "adds condition sets, payloads and variants",
      variantFilters,
      {
        operation: "add_release_condition",
        value: { groups: [more], payloads: { b: "3" }, multivariate: { variants: VARIANTS.toReversed() } },
      },
      {
        groups: [groups[0], more],
        payloads: { a: "1", b: "3" },
        multivariate: { variants: VARIANTS.toReversed() },
      },
    ],
    [
      "replaces variants, and keeps the payloads of those that stay",
      variantFilters,
      {
        operation: "update_variants",
        value: {
          variants: [
            { key: "b", rollout_percentage: 50 },
            { key: "c", rollout_percentage: 50 },
          ],
        },
      },
      {
        groups,
        payloads: { b: "2" },
        multivariate: {
          variants: [
            { key: "b", rollout_percentage: 50 },
            { key: "c", rollout_percentage: 50 },
          ],
        },
      },
    ],
    [
      "replaces variants with their payloads",
      variantFilters,
      { operation: "update_variants", value: { variants: VARIANTS, payloads: { a: "9" } } },
      { ...variantFilters, payloads: { a: "9" } },
    ],
    [
      "updates any field",
      { groups },
      { operation: "update", value: { filters: { groups: [more] } } },
      { groups: [more] },
    ],
  ])("%s", async (_, filters, payload, expected) => {
    const { id, flagId } = await scheduled({ flag: { filters }, payload });
    await runAt(id, MOMENT);
    expect((await read(id)).failure_reason).toBeNull();
    expect((await readFlag(flagId)).filters).toMatchObject(expected);
  });

  it("works on the flag as it is then", async () => {
    const payload = { operation: "add_release_condition", value: { groups: [{ properties: [] }] } };
    const { id, flagId } = await scheduled({ payload });
    const own = { properties: [], rollout_percentage: 7 };
    await service.api("PATCH", `${FLAGS}${flagId}/`, { filters: { groups: [own] } });
    await runAt(id, MOMENT);
    expect((await readFlag(flagId)).filters.groups).toMatchObject([own, { properties: [] }]);
  });

  it("is found by the sweep when nothing is in line for it", async () => {
    const { id, flagId } = await scheduled();
    await service.db.delete(jobs).where(eq(jobs.key, String(id)));
    await scheduledChangeSweep.run(jobContext(service.runtime, { now: later(-1) }));
    expect((await readFlag(flagId)).active).toBe(false);
    await scheduledChangeSweep.run(jobContext(service.runtime, { now: MOMENT }));
    expect((await readFlag(flagId)).active).toBe(true);
  });

  it("that was cancelled, paused or moved does not run", async () => {
    const [gone, paused, moved] = [await scheduled(), await scheduled(DAILY), await scheduled()];
    await service.api("DELETE", `${ROOT}${gone.id}/`);
    await service.api("PATCH", `${ROOT}${paused.id}/`, { is_recurring: false });
    await service.api("PATCH", `${ROOT}${moved.id}/`, { scheduled_at: later(HOUR_MS) });
    for (const { id, flagId } of [gone, paused, moved]) {
      await runAt(id, MOMENT);
      expect((await readFlag(flagId)).active).toBe(false);
    }
    expect((await readJobState(service.db, "scheduled_changes.due", String(moved.id)))?.run_at).toEqual(
      later(HOUR_MS),
    );
  });
});

describe("a schedule that cannot run", () => {
  it("because the flag was deleted is finished with the reason", async () => {
    const { id, flagId } = await scheduled();
    await service.api("PATCH", `${FLAGS}${flagId}/`, { deleted: true });
    await runAt(id, MOMENT);
    expect(await read(id)).toMatchObject({
      executed_at: instant(MOMENT),
      failure_reason: "The feature flag was deleted.",
    });
    expect((await readFlag(flagId)).active).toBe(false);
  });

  it("because a save would be refused by now changes nothing at all, and can be run when that is over", async () => {
    const key = "taken-by-then";
    const { id, flagId } = await scheduled({
      payload: { operation: "update", value: { key, active: true } },
    });
    const holder = await newFlag({ key });
    await runAt(id, MOMENT);
    expect((await read(id)).failure_reason).toBe("There is already a feature flag with this key.");
    expect(await readFlag(flagId)).toMatchObject({ active: false, version: 1 });
    await service.api("PATCH", `${FLAGS}${holder}/`, { key: "renamed" });
    const { json } = await service.api("POST", `${ROOT}${id}/run/`);
    expect(json.failure_reason).toBeNull();
    expect(await readFlag(flagId)).toMatchObject({ active: true, key, version: 2 });
  });

  it.each<[string, (userId: number) => Promise<unknown>, string]>([
    [
      "whose author is deactivated",
      (id) => service.db.update(users).set({ is_active: false }).where(eq(users.id, id)),
      "is deactivated",
    ],
    [
      "whose author left",
      (id) => service.db.delete(organization_memberships).where(eq(organization_memberships.user_id, id)),
      "no longer has access to this project",
    ],
    [
      "whose author is gone",
      (id) => service.db.delete(users).where(eq(users.id, id)),
      "no longer has an account",
    ],
  ])("%s says so", async (name, leave, reason) => {
    const [organization] = await service.db.select().from(organizations);
    const email = `${name.replaceAll(" ", "-")}@example.com`;
    const person = await addPerson(service.db, email, { [organization?.id ?? ""]: 1 });
    const key = (await addKey(service.db, person.id)).value;
    service.runtime.directory.drop();
    const { id, flagId } = await scheduled({ key });
    await leave(person.id);
    service.runtime.directory.drop();
    await runAt(id, MOMENT);
    expect((await read(id)).failure_reason).toContain(reason);
    expect((await readFlag(flagId)).active).toBe(false);
  });

  it("for now is tried again: nothing is noted", async () => {
    const { id, flagId } = await scheduled();
    await expect(runAt(id, MOMENT, dying(service.db, 2))).rejects.toThrow("killed");
    expect(await read(id)).toMatchObject({ executed_at: null, failure_reason: null });
    await runAt(id, MOMENT);
    expect((await readFlag(flagId)).version).toBe(2);
  });
});

describe("a recurring schedule", () => {
  it("runs at each of its moments, and is in line for the next", async () => {
    const { id, flagId } = await scheduled(DAILY);
    await runAt(id, MOMENT);
    expect(await read(id)).toMatchObject({
      executed_at: null,
      last_executed_at: instant(MOMENT),
      scheduled_at: instant(later(DAY_MS)),
    });
    expect((await readJobState(service.db, "scheduled_changes.due", String(id)))?.run_at).toEqual(
      later(DAY_MS),
    );
    await runAt(id, later(DAY_MS));
    expect((await readFlag(flagId)).version).toBe(3);
  });

  it("runs once for all moments that were missed, then at the next in the future", async () => {
    const { id, flagId } = await scheduled(DAILY);
    await runAt(id, later(3.5 * DAY_MS));
    expect((await readFlag(flagId)).version).toBe(2);
    expect((await read(id)).scheduled_at).toBe(instant(later(4 * DAY_MS)));
  });

  it("does not run twice when the clock is set back", async () => {
    const { id, flagId } = await scheduled({ is_recurring: true, cron_expression: "0 * * * *" });
    await runAt(id, MOMENT);
    for (const minutes of [-60, -30, 0, 59]) await runAt(id, later(minutes * 60_000));
    expect((await readFlag(flagId)).version).toBe(2);
    await runAt(id, later(HOUR_MS));
    expect((await readFlag(flagId)).version).toBe(3);
  });

  it("is finished after its end, also where that passed unnoticed", async () => {
    const end = { end_date: later(DAY_MS + 1) };
    const [noticed, unnoticed] = [
      await scheduled({ ...DAILY, ...end }),
      await scheduled({ ...DAILY, ...end }),
    ];
    await runAt(noticed.id, MOMENT);
    expect((await read(noticed.id)).executed_at).toBeNull();
    await runAt(noticed.id, later(DAY_MS));
    expect(await read(noticed.id)).toMatchObject({
      executed_at: instant(later(DAY_MS)),
      last_executed_at: instant(later(DAY_MS)),
    });
    await runAt(unnoticed.id, later(9 * DAY_MS));
    expect(await read(unnoticed.id)).toMatchObject({
      executed_at: instant(later(9 * DAY_MS)),
      last_executed_at: null,
    });
    expect((await readFlag(unnoticed.flagId)).version).toBe(1);
    const refused = await service.api("PATCH", `${ROOT}${noticed.id}/`, { end_date: null });
    expect(refused.status).toBe(400);
  });

  it("notes a failure and goes on, until it works again", async () => {
    const { id, flagId } = await scheduled(DAILY);
    await service.api("PATCH", `${FLAGS}${flagId}/`, { deleted: true });
    await runAt(id, MOMENT);
    expect(await read(id)).toMatchObject({
      executed_at: null,
      last_executed_at: null,
      failure_reason: "The feature flag was deleted.",
      scheduled_at: instant(later(DAY_MS)),
    });
    await service.api("PATCH", `${FLAGS}${flagId}/`, { deleted: false });
    await runAt(id, later(DAY_MS));
    expect((await read(id)).failure_reason).toBeNull();
    expect((await readFlag(flagId)).active).toBe(true);
  });

  it("leaves out what passed while it was paused, and keeps its time", async () => {
    const { id, flagId } = await scheduled(DAILY);
    await service.api("PATCH", `${ROOT}${id}/`, { is_recurring: false });
    const long_ago = later(-9 * DAY_MS);
    await service.db
      .update(scheduled_changes)
      .set({ scheduled_at: long_ago, first_at: long_ago })
      .where(eq(scheduled_changes.id, id));
    const { json } = await service.api("PATCH", `${ROOT}${id}/`, { is_recurring: true });
    expect(Date.parse(json.scheduled_at)).toBeGreaterThan(Date.now());
    expect((Date.parse(json.scheduled_at) - MOMENT.getTime()) % DAY_MS).toBe(0);
    expect((await readFlag(flagId)).version).toBe(1);
  });
});

describe("exactly once", () => {
  it("with several runners at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => scheduled({ scheduled_at: new Date(Date.now() + 1_500) })),
    );
    const others = createRuntime(service.db, { encryption_key: Buffer.alloc(32, 7) });
    const runners = await Promise.all(
      [service.runtime, others].map((runtime) =>
        startRunner({
          runtime,
          jobs: [scheduledChangeDue, scheduledChangeSweep],
          pollMs: 20,
          concurrency: 4,
        }),
      ),
    );
    try {
      for (const { id } of all) {
        await eventually(async () => (await read(id)).executed_at ?? undefined);
        await eventually(async () => {
          const state = await readJobState(service.db, "scheduled_changes.due", String(id));
          return state?.state === "done" || undefined;
        });
      }
    } finally {
      await Promise.all(runners.map((runner) => runner.stop()));
    }
    service.runtime.flags.drop();
    for (const { id, flagId } of all) {
      expect(await readFlag(flagId)).toMatchObject({ active: true, version: 2 });
      expect((await read(id)).failure_reason).toBeNull();
    }
  });

  it("when many begin with the same one at the same moment", async () => {
    const { id, flagId } = await scheduled(DAILY);
    await Promise.all(Array.from({ length: 6 }, () => runAt(id, MOMENT)));
    expect((await readFlag(flagId)).version).toBe(2);
    expect((await read(id)).scheduled_at).toBe(instant(later(DAY_MS)));
  });

  it.each([
    ["a one-off", {}],
    ["a recurring one", DAILY],
    ["a guarded one", { guard: true }],
    ["one that fails", { flag: { key: "to-be-deleted" } }],
  ])("%s, wherever its process is killed", async (name, fields) => {
    for (let at = 1; ; at += 1) {
      const unique = "flag" in fields ? { flag: { key: `to-be-deleted-${at}` } } : {};
      const { id, flagId } = await scheduled({ ...fields, ...unique });
      if ("flag" in fields) await service.api("PATCH", `${FLAGS}${flagId}/`, { deleted: true });
      const before = (await readFlag(flagId)).version;
      const died = await runAt(id, MOMENT, dying(service.db, at)).then(
        () => false,
        (error: Error) => error.message.includes("killed"),
      );
      await runAt(id, MOMENT);
      service.runtime.flags.drop();
      const after = await readFlag(flagId);
      const record = await read(id);
      expect(after.version - before, `${name}, killed at ${at}`).toBe("flag" in fields ? 0 : 1);
      expect(record.failure_reason === null).toBe(!("flag" in fields));
      expect(record.executed_at !== null || record.scheduled_at === instant(later(DAY_MS))).toBe(true);
      if (!died) {
        expect(at).toBeGreaterThan(1);
        break;
      }
    }
  });
});

describe("the bound of a guard", () => {
  it.each<[[number, number], [number, number], boolean]>([
    [[0, 1_000], [10, 1_000], false],
    [[0, 1_000], [11, 1_000], true],
    [[100, 1_000], [200, 1_000], false],
    [[100, 1_000], [201, 1_000], true],
    [[4, 1_000], [13, 1_000], false],
    [[500, 1_000], [0, 1_000], false],
    [[0, 0], [0, 0], false],
  ])("%j to %j: %s", ([before, of], [after, ofThen], isTooMuch) => {
    const impact = (changed: number, total: number) => ({
      changed,
      total,
      group_type_index: null,
      as_of: "",
    });
    expect(findDrift(impact(before, of), impact(after, ofThen)) !== null).toBe(isTooMuch);
  });
});

describe("a guarded schedule", () => {
  const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
  const pros = { filters: { groups: [{ properties: [PRO], rollout_percentage: 100 }] } };
  let people = 0;

  async function addPeople(count: number, plan: string) {
    const batch = Array.from({ length: count }, () => {
      people += 1;
      return { event: "seen", distinct_id: `person-${people}`, properties: { $set: { plan } } };
    });
    const { status, text } = await service.api(
      "POST",
      "/batch/",
      { api_key: service.token, batch },
      { key: null },
    );
    expect(status, text).toBe(200);
  }

  beforeAll(async () => {
    await addPeople(190, "free");
    await addPeople(10, "pro");
  });

  it("stores whose value it is expected to change, and runs when that is so", async () => {
    const { id, flagId } = await scheduled({ flag: pros, guard: true });
    expect(await read(id)).toMatchObject({
      guard: true,
      expected_impact: { changed: 10, total: 200, group_type_index: null },
    });
    await runAt(id, MOMENT);
    expect((await readFlag(flagId)).active).toBe(true);
  });

  it("changes nothing where somebody has changed what it changes, until it is run by hand", async () => {
    const { id, flagId } = await scheduled({
      flag: pros,
      guard: true,
      payload: { operation: "update", value: { name: "Scheduled", active: true } },
    });
    await service.api("PATCH", `${FLAGS}${flagId}/`, { name: "Somebody else's" });
    await runAt(id, MOMENT);
    expect((await read(id)).failure_reason).toBe(
      "Somebody has edited the flag since this was scheduled (description). Nothing was changed.",
    );
    expect(await readFlag(flagId)).toMatchObject({ active: false, version: 2 });
    expect((await service.api("POST", `${ROOT}${id}/run/`)).json.failure_reason).toBeNull();
    expect(await readFlag(flagId)).toMatchObject({ active: true, name: "Scheduled" });
  });

  it("does not mind other changes, nor that it is done already", async () => {
    const [other, same] = [
      await scheduled({ flag: pros, guard: true }),
      await scheduled({ flag: pros, guard: true, ...DAILY }),
    ];
    await service.api("PATCH", `${FLAGS}${other.flagId}/`, { name: "Renamed" });
    await service.api("PATCH", `${FLAGS}${same.flagId}/`, { active: true });
    for (const { id } of [other, same]) {
      await runAt(id, MOMENT);
      expect((await read(id)).failure_reason).toBeNull();
    }
  });

  it("does not take what other schedules do for an edit: a release in steps, on in the morning and off at night", async () => {
    const share = (rollout_percentage: number) => ({
      payload: {
        operation: "update",
        value: { filters: { groups: [{ properties: [], rollout_percentage }] } },
      },
    });
    const first = await scheduled({ flag: { ...pros, active: true }, guard: true, ...share(10) });
    const onSame = async (fields: object) => {
      const body = {
        record_id: first.flagId,
        model_name: "FeatureFlag",
        scheduled_at: MOMENT,
        guard: true,
        ...fields,
      };
      return (await service.api("POST", ROOT, body)).json;
    };
    const second = await onSame(share(100));
    const off = await onSame({ payload: { operation: "update_status", value: false }, ...DAILY });
    const on = await onSame({ payload: ON, ...DAILY });
    expect([off.expected_impact.changed, on.expected_impact.changed]).toEqual([10, 10]);
    for (const { id } of [first, second]) {
      await runAt(id, MOMENT);
      expect((await read(id)).failure_reason).toBeNull();
    }
    expect((await readFlag(first.flagId)).filters.groups).toMatchObject([{ rollout_percentage: 100 }]);
    await service.api("PATCH", `${FLAGS}${first.flagId}/`, pros);
    for (const day of [0, 1])
      for (const { id } of [off, on]) {
        await runAt(id, later(day * DAY_MS));
        expect((await read(id)).failure_reason).toBeNull();
      }
    // Somebody turns it off for good: it stays off until they say otherwise.
    await service.api("PATCH", `${FLAGS}${first.flagId}/`, { active: false });
    for (const day of [2, 3]) {
      await runAt(on.id, later(day * DAY_MS));
      expect((await read(on.id)).failure_reason).toContain("(state)");
    }
    await service.api("POST", `${ROOT}${on.id}/run/`);
    await runAt(off.id, later(4 * DAY_MS));
    await runAt(on.id, later(4 * DAY_MS));
    expect((await read(on.id)).failure_reason).toBeNull();
    expect((await readFlag(first.flagId)).active).toBe(true);
  });

  it("changes nothing where it would concern many more people, while an unguarded one runs", async () => {
    const [guarded, open] = [await scheduled({ flag: pros, guard: true }), await scheduled({ flag: pros })];
    await addPeople(10, "pro");
    await runAt(guarded.id, MOMENT);
    expect((await read(guarded.id)).failure_reason, "twice as many are not too many").toBeNull();
    const second = await scheduled({ flag: pros, guard: true });
    await addPeople(25, "pro");
    await runAt(second.id, MOMENT);
    expect((await read(second.id)).failure_reason).toBe(
      "It would change the value of 45 of 235 people; when it was scheduled, it would have been 20 of 210. Nothing was changed.",
    );
    expect((await readFlag(second.flagId)).active).toBe(false);
    await runAt(open.id, MOMENT);
    expect((await readFlag(open.flagId)).active).toBe(true);
  });
});
