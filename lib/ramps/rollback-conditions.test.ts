import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "#lib/platform/db/connect.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { dying } from "#testing/dying.ts";
import { eventOf } from "#testing/events.ts";
import { jobContext } from "#testing/jobs.ts";
import { FLAGS, type RampService, startRamps } from "#testing/ramps.ts";
import { readConditions, rollbackConditionsCheck } from "./rollback-conditions.ts";

let service: RampService;
beforeAll(async () => {
  service = await startRamps();
  const day = 86_400_000;
  const events = Array.from({ length: 28 }, (_, i) => ({
    ...eventOf("$exception", `person-${i}`, { level: i % 2 ? "error" : "warning", code: i % 4 }),
    at: Date.now() - (i % 7) * day - 1_000,
  }));
  // More than a week ago.
  const older = Array.from({ length: 70 }, (_, i) => ({
    ...eventOf("$exception", `older-${i}`),
    at: Date.now() - 8 * day,
  }));
  await service.write([...events, ...older]);
});
// Each check looks at all flags that are on.
afterEach(() => service.db.update(feature_flags).set({ active: false }));
afterAll(() => service.close());

const check = (db: Db = service.db) =>
  rollbackConditionsCheck.run({
    ...jobContext(service.runtime, { now: new Date() }),
    db,
  });

const condition = (fields: object = {}, event: object = {}) => ({
  threshold: 3.9,
  threshold_type: "insight",
  threshold_metric: { insight: "TRENDS", events: [{ id: "$exception", type: "events", ...event }] },
  operator: "gt",
  ...fields,
});
const level = (value: unknown, more: object = {}) => ({
  properties: [{ key: "level", value, type: "event", operator: "exact", ...more }],
});

const newFlag = (...conditions: unknown[]) => service.newFlag({ rollback_conditions: conditions });

describe("a flag with rollback conditions", () => {
  it.each<[string, object, boolean]>([
    ["more than so many a day", condition(), true],
    ["not more than that", condition({ threshold: 4 }), false],
    ["fewer than so many a day", condition({ threshold: 4.1, operator: "lt" }), true],
    ["not fewer than that", condition({ operator: "lt" }), false],
    ["a threshold that is a text", condition({ threshold: "3.9" }), true],
    [
      "a query with series",
      condition({
        threshold_metric: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "$exception" }] },
      }),
      true,
    ],
    ["events of one value", condition({ threshold: 1.9 }, level("error")), true],
    ["not more events of one value", condition({ threshold: 2 }, level("error")), false],
    ["events of several values", condition({}, level(["error", "warning"])), true],
    ["numbers", condition({ threshold: 0.9 }, { properties: { code: 3 } }), true],
  ])("is turned off for %s", async (_, rollback, isOff) => {
    const { id } = await newFlag(rollback);
    await check();
    const flag = await service.readFlag(id);
    expect([flag.active, flag.performed_rollback]).toEqual(isOff ? [false, true] : [true, null]);
    const [entry] = await service.log(id);
    if (isOff)
      expect(entry.detail.trigger).toMatchObject({
        job_type: "rollback_conditions",
        payload: { detail: expect.stringContaining("$exception happened") },
      });
    else expect(entry.activity).toBe("created");
  });

  it.each<[string, unknown]>([
    ["of the type sentry", condition({ threshold_type: "sentry" })],
    ["that count actions", condition({ threshold_metric: { actions: [{ id: 1 }] } })],
    ["that sum up a property", condition({}, { math: "sum", math_property: "code" })],
    ["on people", condition({}, level("error", { type: "person" }))],
    ["with another comparison", condition({}, level("e", { operator: "icontains" }))],
    ["without an event", condition({}, { id: null })],
    ["of a text", "4 a day"],
    ["of nothing", null],
  ])("is left alone by those %s", async (_, rollback) => {
    expect(readConditions([rollback])).toEqual([]);
    const { id } = await newFlag(rollback);
    await check();
    expect((await service.readFlag(id)).version).toBe(1);
  });

  it("is turned off once, wherever the process is killed, and by how many ever", async () => {
    for (let at = 1; ; at += 1) {
      const { id } = await newFlag(condition({ threshold: 100 }), condition());
      const died = await check(dying(service.db, at)).then(
        () => false,
        (error: Error) => /killed|failed/.test(error.message),
      );
      await Promise.all([check(), check()]);
      service.runtime.flags.drop();
      expect(await service.readFlag(id)).toMatchObject({
        active: false,
        performed_rollback: true,
        version: 2,
      });
      if (!died) break;
    }
  });

  it("that somebody turns on again is on until the conditions are looked at again", async () => {
    const { id } = await newFlag(condition());
    await check();
    const { json } = await service.api("PATCH", `${FLAGS}${id}/`, { active: true, rollback_conditions: [] });
    expect(json).toMatchObject({ active: true, performed_rollback: false });
    await check();
    expect(await service.readFlag(id)).toMatchObject({ active: true });
  });

  it("pauses its ramp", async () => {
    const flag = await newFlag(condition());
    const { id } = await service.start(flag, [{ shares: { 0: 10 }, hold: { hours: 1 } }]);
    await check();
    await service.tick();
    expect(await service.read(id)).toMatchObject({ status: "paused", reason: { code: "flag_off" } });
    expect((await service.readFlag(flag.id)).filters.groups[0].rollout_percentage).toBe(10);
  });
});
