import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRuntime } from "#lib/app/runtime.ts";
import { organization_memberships, organizations, users } from "#lib/platform/db/tables/accounts.ts";
import { ramp_people, ramps } from "#lib/platform/db/tables/ramps.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { dying } from "#testing/dying.ts";
import { eventOf } from "#testing/events.ts";
import { eventually } from "#testing/processes.ts";
import {
  called,
  errorsGuardrail,
  FLAGS,
  peopleOf,
  RAMPS,
  type RampService,
  startRamps,
} from "#testing/ramps.ts";
import { rampTick } from "./run.ts";

let service: RampService;
beforeAll(async () => {
  service = await startRamps();
});
afterEach(() => service.endAll());
afterAll(() => service.close());

const step = (share: number, hold: object = { hours: 1 }) => ({ shares: { 0: share }, hold });
const STEPS = [step(5), step(50), step(100)];
const shareOf = async (id: number) => (await service.readFlag(id)).filters.groups[0].rollout_percentage;

describe("a ramp", () => {
  it("goes through its steps by time, and says so in the flag's log", async () => {
    const flag = await service.newFlag();
    const { id, status, step: at, before, waits_for } = await service.start(flag, STEPS);
    expect({ status, at, before }).toEqual({
      status: "running",
      at: 0,
      before: { shares: { 0: 0 }, variants: {} },
    });
    expect(waits_for).toMatchObject([{ hold: "hours" }]);
    const shares = [await shareOf(flag.id)];
    for (const hours of [0.9, 1.1, 2, 2.2]) {
      await service.tick(hours);
      shares.push(await shareOf(flag.id));
    }
    expect(shares).toEqual([5, 5, 50, 50, 100]);
    await service.tick(3.3);
    const ended = await service.read(id);
    expect(ended).toMatchObject({ status: "completed", step: 2, waits_for: [], cost: { people: 0 } });
    expect(ended.ended_at).not.toBeNull();
    expect(ended.runs.map(({ step: of, outcome }) => [of, outcome])).toEqual([
      [0, "advanced"],
      [1, "advanced"],
      [2, "completed"],
    ]);
    const log = await service.log(flag.id);
    const triggers = log.map((entry: { detail: { trigger: unknown } }) => entry.detail.trigger);
    expect(triggers.slice(0, -1)).toMatchObject([
      { job_type: "ramp", job_id: String(id), payload: { action: "complete" } },
      { payload: { action: "advance", step: 2, steps: 3 } },
      { payload: { action: "advance", step: 1 } },
      { payload: { action: "start", step: 0 } },
    ]);
    expect(log[0].detail.changes).toEqual([
      { type: "FeatureFlag", action: "changed", field: "ramp", before: "running", after: "completed" },
    ]);
  });

  it("changes shares of several audiences and variants, and nothing else of the flag", async () => {
    const groups = [
      { properties: [{ key: "staff", type: "person", value: "yes" }], rollout_percentage: 0 },
      { properties: [], rollout_percentage: 10 },
      { properties: [{ key: "beta", type: "person", value: "yes" }], variant: "test" },
    ];
    const variants = [
      { key: "control", rollout_percentage: 100 },
      { key: "test", rollout_percentage: 0 },
    ];
    const flag = await service.newFlag({
      filters: { groups, multivariate: { variants }, payloads: { test: "1" } },
    });
    const { id } = await service.start(flag, [
      { shares: { 0: 100 }, variants: { control: 90, test: 10 }, hold: { hours: 1 } },
      { shares: { 1: 20 }, hold: { hours: 1 } },
    ]);
    await service.tick(1.1);
    const { filters } = await service.readFlag(flag.id);
    expect(filters.groups).toMatchObject([
      { ...groups[0], rollout_percentage: 100 },
      { rollout_percentage: 20 },
      groups[2] as object,
    ]);
    expect(filters.multivariate.variants).toMatchObject([
      { key: "control", rollout_percentage: 90 },
      { key: "test", rollout_percentage: 10 },
    ]);
    expect(filters.payloads).toEqual({ test: "1" });
    await service.act(id, "roll_back");
    const back = (await service.readFlag(flag.id)).filters;
    expect(back.groups.map((group: { rollout_percentage?: number }) => group.rollout_percentage)).toEqual([
      0,
      10,
      undefined,
    ]);
    expect(back.multivariate.variants).toMatchObject(variants);
  });

  it("waits for approval, besides what else holds it", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, [
      step(5, { hours: 1, approval: true }),
      step(50, { approval: true }),
      step(100, {}),
    ]);
    await service.tick(2);
    expect(await shareOf(flag.id)).toBe(5);
    const early = await service.act(id, "next", {});
    expect(early.waits_for).toMatchObject([{ hold: "hours" }]);
    await service.tick();
    expect(await shareOf(flag.id)).toBe(5);
    await service.age(id, 1);
    await service.tick();
    expect(await shareOf(flag.id)).toBe(50);
    await service.age(id, 1);
    expect((await service.read(id)).waits_for).toEqual([{ hold: "approval" }]);
    expect(await service.act(id, "next", {})).toMatchObject({ step: 2, status: "running" });
    expect(await shareOf(flag.id)).toBe(100);
    await service.tick();
    expect((await service.read(id)).status).toBe("completed");
  });

  it("can be moved on by hand whatever its step is held for", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    const refused = await service.api("POST", `${RAMPS}${id}/next/`, {});
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining("no approval")]);
    expect(await service.act(id, "next", { skip_holds: true })).toMatchObject({ step: 1 });
    await service.act(id, "next", { skip_holds: true });
    expect(await service.act(id, "next", { skip_holds: true })).toMatchObject({ status: "completed" });
    expect(await shareOf(flag.id)).toBe(100);
  });

  it("stays where it is while it is paused, and begins its step again when it is resumed", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    const paused = await service.act(id, "pause");
    expect(paused).toMatchObject({ status: "paused", waits_for: [], reason: { code: "person" } });
    await service.tick(9);
    expect(await service.read(id)).toMatchObject({ status: "paused", step: 0 });
    const next = await service.api("POST", `${RAMPS}${id}/next/`, { skip_holds: true });
    expect(next.status).toBe(400);
    const resumed = await service.act(id, "resume");
    expect(resumed).toMatchObject({ status: "running", step: 0, reason: null });
    expect(resumed.runs.map(({ outcome }) => outcome)).toEqual(["paused", null]);
    await service.tick(1.1);
    expect(await shareOf(flag.id)).toBe(50);
    await service.act(id, "cancel");
    expect(await shareOf(flag.id)).toBe(50);
    for (const action of ["pause", "resume", "next", "roll_back", "cancel"]) {
      const { status, json } = await service.api("POST", `${RAMPS}${id}/${action}/`, {});
      expect([action, status, json.detail]).toEqual([action, 400, "This ramp has ended."]);
    }
  });

  it("is the only one of its flag until it has ended", async () => {
    const flag = await service.newFlag();
    const body = { feature_flag: flag.id, steps: STEPS };
    const replies = await Promise.all(Array.from({ length: 5 }, () => service.api("POST", RAMPS, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect((await service.readFlag(flag.id)).version).toBe(2);
    const made = replies.find(({ status }) => status === 201)?.json;
    await service.act(made.id, "roll_back");
    expect(await service.readFlag(flag.id)).toMatchObject({ performed_rollback: true });
    await service.start(flag, STEPS);
    expect(await service.readFlag(flag.id)).toMatchObject({ performed_rollback: false });
    const { json } = await service.api("GET", `${RAMPS}?feature_flag=${flag.id}`);
    expect(json.results.map(({ status }: { status: string }) => status)).toEqual(["running", "rolled_back"]);
  });
});

describe("somebody who changes the flag meanwhile", () => {
  const patch = (id: number, body: object) => service.api("PATCH", `${FLAGS}${id}/`, body);
  const groups = (share: number, properties: object[] = []) => ({
    filters: { groups: [{ properties, rollout_percentage: share }] },
  });

  it.each<[string, object, string]>([
    ["its share", groups(7), "edited"],
    ["who it is for", groups(5, [{ key: "plan", type: "person", value: "pro" }]), "edited"],
    ["whether it is on", { active: false }, "flag_off"],
  ])("pauses the ramp by changing %s, which stays", async (_, body, code) => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    await patch(flag.id, body);
    const edited = await service.readFlag(flag.id);
    await service.tick(2);
    expect(await service.read(id)).toMatchObject({ status: "paused", step: 0, reason: { code } });
    await service.tick(4);
    expect(await service.readFlag(flag.id)).toEqual(edited);
  });

  it("and changes its name or payloads does not", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    const { filters } = await service.readFlag(flag.id);
    await patch(flag.id, { name: "Later", filters: { ...filters, payloads: { true: "1" } } });
    await service.tick(1.1);
    expect(await service.read(id)).toMatchObject({ status: "running", step: 1 });
    expect((await service.readFlag(flag.id)).filters.payloads).toEqual({ true: "1" });
  });

  it("lets it be resumed on what the flag is now", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    const properties = [{ key: "plan", type: "person", value: "pro" }];
    await patch(flag.id, groups(7, properties));
    await service.tick();
    await service.act(id, "resume");
    expect((await service.readFlag(flag.id)).filters.groups).toMatchObject([
      { properties, rollout_percentage: 5 },
    ]);
    await service.tick(1.1);
    expect(await shareOf(flag.id)).toBe(50);
  });

  it("makes resuming impossible by turning it off, and ends the ramp by deleting it", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    await patch(flag.id, { active: false });
    await service.tick();
    const refused = await service.api("POST", `${RAMPS}${id}/resume/`);
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining("off")]);
    await patch(flag.id, { active: true });
    await service.act(id, "resume");
    await patch(flag.id, { deleted: true });
    await service.tick();
    expect(await service.read(id)).toMatchObject({ status: "cancelled", reason: { code: "flag_deleted" } });
  });

  it("so that its condition sets are gone gets an error from what would restore them", async () => {
    const flag = await service.newFlag({
      filters: { groups: [{ properties: [] }, { properties: [], rollout_percentage: 0 }] },
    });
    const { id } = await service.start(flag, [{ shares: { 1: 5 }, hold: { hours: 1 } }]);
    await patch(flag.id, groups(5));
    for (const action of ["resume", "roll_back"]) {
      await service.act(id, "pause");
      const { status, json } = await service.api("POST", `${RAMPS}${id}/${action}/`);
      expect([status, json.detail]).toEqual([400, "The flag has no condition set with the index 1."]);
    }
    expect(await service.act(id, "cancel")).toMatchObject({ status: "cancelled" });
  });
});

/** A ramp that has treated people with errors, which the others do not have. */
async function harmful(fields: object = {}, guardrail: object = {}) {
  const flag = await service.newFlag();
  const ramp = await service.start(flag, [step(50), step(100)], {
    guardrails: [errorsGuardrail(guardrail)],
    ...fields,
  });
  const people = peopleOf(flag.key, 300, 50);
  await service.write([
    ...people.map(({ id }) => called(flag.key, id)),
    ...people.flatMap(({ id, isIn }, i) =>
      isIn || i % 10 === 0 ? [eventOf("$exception", id), eventOf("$exception", id)] : [],
    ),
  ]);
  return { flag, id: ramp.id, people };
}

describe("harm", () => {
  it("rolls the flag back, with the evidence and what it cost", async () => {
    const { flag, id, people } = await harmful();
    await service.tick();
    const treated = people.filter(({ isIn }) => isIn).length;
    const ramp = await service.read(id);
    expect(ramp).toMatchObject({
      status: "rolled_back",
      step: 0,
      reason: {
        code: "guardrail",
        guardrail: "guardrail-1",
        detail: expect.stringContaining("Errors was higher by"),
      },
      cost: { people: treated },
    });
    expect(ramp.runs).toMatchObject([
      {
        outcome: "rolled_back",
        people: { treatment: treated, control: people.length - treated },
        verdicts: { "guardrail-1": { status: "breached", treatment: 2 } },
      },
    ]);
    const cost = ramp.cost?.guardrails["guardrail-1"];
    expect(cost?.total).toBeGreaterThan(treated);
    expect(cost?.interval[0]).toBeGreaterThan(0);
    expect(await service.readFlag(flag.id)).toMatchObject({ performed_rollback: true, version: 3 });
    expect(await shareOf(flag.id)).toBe(0);
    const [entry] = await service.log(flag.id);
    expect(entry.detail.trigger).toMatchObject({
      job_type: "ramp",
      payload: { action: "roll_back", code: "guardrail", guardrail: "guardrail-1" },
    });
    const left = await service.db.select().from(ramp_people).where(eq(ramp_people.ramp_id, id));
    expect(left).toEqual([]);
    await service.tick(9);
    expect(await service.readFlag(flag.id)).toMatchObject({ version: 3 });
  });

  it("pauses where the guardrail asks for that, and never goes on by itself", async () => {
    const { flag, id } = await harmful({}, { action: "pause" });
    await service.tick();
    expect(await service.read(id)).toMatchObject({ status: "paused", reason: { code: "guardrail" } });
    for (const hours of [2, 4, 8]) await service.tick(hours);
    expect(await service.read(id)).toMatchObject({ status: "paused", step: 0 });
    expect(await service.readFlag(flag.id)).toMatchObject({ performed_rollback: null, version: 2 });
    const [entry] = await service.log(flag.id);
    expect(entry).toMatchObject({
      user: { is_system: true },
      detail: { changes: [{ field: "ramp", before: "running", after: "paused" }] },
    });
  });

  it("stops a ramp that somebody wants to move on", async () => {
    const { flag, id } = await harmful({ steps: [step(50, { approval: true }), step(100)] });
    await service.act(id, "pause");
    await service.act(id, "resume");
    await service.write(
      peopleOf(flag.key, 300, 50).flatMap(({ id: person, isIn }) => [
        called(flag.key, person),
        ...(isIn ? [eventOf("$exception", person)] : []),
      ]),
    );
    // The figures are brought up to date, and the process dies before it has decided.
    for (let at = 2; (await service.read(id)).runs.at(-1)?.people.treatment === 0; at += 1)
      await service.tick(0, dying(service.db, at)).catch(() => undefined);
    expect(await service.read(id)).toMatchObject({ status: "running" });
    await service.act(id, "next", { skip_holds: true });
    expect(await service.read(id)).toMatchObject({ status: "rolled_back" });
    expect(await shareOf(flag.id)).toBe(0);
  });

  it.each([
    [
      "is deactivated",
      (id: number) => service.db.update(users).set({ is_active: false }).where(eq(users.id, id)),
    ],
    [
      "has left",
      (id: number) =>
        service.db.delete(organization_memberships).where(eq(organization_memberships.user_id, id)),
    ],
    ["is gone", (id: number) => service.db.delete(users).where(eq(users.id, id))],
  ])("rolls back also where its author %s, whose ramp otherwise pauses", async (name, leave) => {
    const [organization] = await service.db.select().from(organizations);
    const email = `${name.replaceAll(" ", "-")}@example.com`;
    const author = await addPerson(service.db, email, { [organization?.id ?? ""]: 1 });
    const harmed = await harmful();
    const flag = await service.newFlag();
    const { id } = await service.start(flag, STEPS);
    const { value: key } = await addKey(service.db, author.id);
    service.runtime.directory.drop();
    expect((await service.api("GET", RAMPS, undefined, { key })).status).toBe(200);
    for (const ramp of [harmed.id, id])
      await service.db.update(ramps).set({ created_by_id: author.id }).where(eq(ramps.id, ramp));
    await leave(author.id);
    service.runtime.directory.drop();
    await service.tick(1.1);
    expect(await service.read(harmed.id)).toMatchObject({ status: "rolled_back" });
    expect(await service.read(id)).toMatchObject({ status: "paused", reason: { code: "author" } });
    expect(await shareOf(flag.id)).toBe(5);
  });
});

describe("exactly once", () => {
  it("when many begin with the same ramps at the same moment", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, [step(5), step(50), step(100, { hours: 99 })]);
    const harmed = await harmful();
    await Promise.all(Array.from({ length: 5 }, () => service.tick(1.1)));
    service.runtime.flags.drop();
    expect(await service.read(id)).toMatchObject({ status: "running", step: 1 });
    expect(await service.readFlag(flag.id)).toMatchObject({ version: 3 });
    expect(await service.readFlag(harmed.flag.id)).toMatchObject({ version: 3 });
  });

  it("with several runners at once", async () => {
    const flags = await Promise.all(Array.from({ length: 4 }, () => service.newFlag()));
    const steps = [step(5, { hours: 0.0001 }), step(50, { hours: 0.0001 }), step(100, { hours: 99 })];
    for (const flag of flags) await service.start(flag, steps);
    const others = createRuntime(service.db, { encryption_key: Buffer.alloc(32, 7) });
    const often = { ...rampTick, every: 50 };
    const runners = await Promise.all(
      [service.runtime, others].map((runtime) =>
        startRunner({ runtime, jobs: [often], pollMs: 20, concurrency: 2 }),
      ),
    );
    try {
      for (const flag of flags)
        await eventually(async () => {
          service.runtime.flags.drop();
          return (await shareOf(flag.id)) === 100 || undefined;
        });
    } finally {
      await Promise.all(runners.map((runner) => runner.stop()));
    }
    for (const { id } of flags) expect((await service.readFlag(id)).version).toBe(4);
  });

  it.each([
    ["in a step that is over", "running", 3],
    ["with harm to roll back", "rolled_back", 3],
    ["with harm to pause for", "paused", 2],
    ["at the end", "completed", 2],
  ])("%s, wherever its process is killed", async (name, status, version) => {
    for (let at = 1; ; at += 1) {
      const guardrails = [errorsGuardrail({ action: name.includes("pause") ? "pause" : "roll_back" })];
      const made =
        name.includes("harm") || name.includes("end")
          ? await harmful(name.includes("end") ? { steps: [step(100)], guardrails: [] } : { guardrails })
          : await harmful({ guardrails: [] });
      const died = await service.tick(1.1, dying(service.db, at)).then(
        () => false,
        (error: Error) => /killed|failed/.test(error.message),
      );
      await service.tick(1.2);
      service.runtime.flags.drop();
      const ramp = await service.read(made.id);
      expect(ramp.status, `${name}, killed at ${at}`).toBe(status);
      expect((await service.readFlag(made.flag.id)).version).toBe(version);
      expect(ramp.runs.length).toBe(version - 1 - (status === "rolled_back" ? 1 : 0));
      if (status === "running") await service.act(made.id, "cancel");
      if (!died) {
        expect(at).toBeGreaterThan(2);
        break;
      }
    }
  });
});
