import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ramp_people } from "#lib/platform/db/tables/ramps.ts";
import { finishErasures } from "#testing/erasures.ts";
import { eventOf } from "#testing/events.ts";
import { called, errorsGuardrail, peopleOf, type RampService, startRamps } from "#testing/ramps.ts";

let service: RampService;
beforeAll(async () => {
  service = await startRamps();
});
afterEach(() => service.endAll());
afterAll(() => service.close());

const HELD = { hours: 99 };
const step = (share: number) => ({ shares: { 0: share }, hold: HELD });
const node = (event: string, fields: object = {}) => ({ kind: "EventsNode", event, ...fields });
const metric = (fields: object) => ({ kind: "ExperimentMetric", ...fields });

/** One guardrail for each kind of metric. None of them stops anything. */
const GUARDRAILS = [
  metric({ metric_type: "mean", source: node("buy", { math: "sum", math_property: "amount" }) }),
  metric({ metric_type: "funnel", series: [node("view"), node("buy")] }),
  metric({ metric_type: "ratio", numerator: node("buy"), denominator: node("view") }),
  metric({
    metric_type: "retention",
    start_event: node("view"),
    completion_event: node("buy"),
    retention_window_start: 0,
    retention_window_end: 7,
    retention_window_unit: "day",
    start_handling: "first_seen",
  }),
].map((each) => errorsGuardrail({ name: each.kind, metric: each, margin: 99 }));

const rowsOf = (rampId: number) =>
  service.db.select().from(ramp_people).where(eq(ramp_people.ramp_id, rampId)).orderBy(ramp_people.person_id);

/** What is shown of the step that runs. */
async function shown(id: number) {
  const { runs } = await service.read(id);
  const run = runs.at(-1);
  return { people: run?.people, verdicts: run?.verdicts };
}

/** The same as computed from all events at once. */
async function recounted(id: number) {
  await service.db.execute(sql`update ramp_runs set seen = null, observed = null where ramp_id = ${id}`);
  await service.db.execute(sql`delete from ramp_people where ramp_id = ${id}`);
  await service.tick();
  return shown(id);
}

describe("the figures of a step", () => {
  it("are the same however often they were brought up to date", async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, [step(50)], { guardrails: GUARDRAILS });
    const people = peopleOf(flag.key, 260, 50);
    for (const round of [0, 1, 2, 3]) {
      await service.write(
        people.flatMap(({ id: person, isIn }, i) => [
          ...((i + round) % 3 === 0 ? [called(flag.key, person)] : []),
          ...((i * 7 + round) % 5 < 3 ? [eventOf("view", person)] : []),
          ...((i * 11 + round) % (isIn ? 4 : 7) === 0
            ? [eventOf("buy", person, { amount: (i % 9) + 0.5 })]
            : []),
        ]),
      );
      await service.tick();
    }
    const found = await shown(id);
    expect(found.people).toEqual({
      control: people.filter(({ isIn }) => !isIn).length,
      treatment: people.filter(({ isIn }) => isIn).length,
    });
    const verdicts = Object.values(found.verdicts ?? {});
    expect(verdicts.map(({ status }) => status)).toEqual(["holding", "holding", "holding", "holding"]);
    for (const { treatment, control } of verdicts) expect(treatment).toBeGreaterThan(control ?? 0);
    expect(await recounted(id)).toEqual(found);
  });

  it("count what people do from the step on, and from when they are exposed", async () => {
    const flag = await service.newFlag();
    await service.write([eventOf("buy", "early"), called(flag.key, "early")]);
    const guardrails = [errorsGuardrail({ metric: metric({ metric_type: "mean", source: node("buy") }) })];
    const { id, runs } = await service.start(flag, [step(50)], { guardrails });
    const began = Date.parse(runs[0]?.started_at ?? "");
    await service.write([
      { ...eventOf("buy", "late"), at: began + 5 },
      { ...called(flag.key, "late"), at: began + 10 },
      { ...eventOf("buy", "late"), at: began + 15 },
      { ...eventOf("buy", "early"), at: began - 5 },
      { ...eventOf("buy", "stranger"), at: began + 5 },
    ]);
    await service.tick();
    const rows = (await rowsOf(id)).filter(({ run }) => run === 1);
    expect(rows.map(({ cells }) => cells[0])).toEqual([1]);
  });

  it("have everybody for whom the flag was called before, as soon as they do anything", async () => {
    const flag = await service.newFlag();
    const people = peopleOf(flag.key, 60, 50);
    await service.write(people.map(({ id }) => called(flag.key, id)));
    const { id } = await service.start(flag, [step(50)], { guardrails: [errorsGuardrail()] });
    await service.tick();
    expect((await shown(id)).people).toEqual({ control: 0, treatment: 0 });
    // Those who keep their value are not reported again, those who are let in are.
    await service.write(
      people
        .slice(0, 40)
        .map(({ id: person, isIn }) => (isIn ? called(flag.key, person) : eventOf("view", person))),
    );
    await service.write([eventOf("view", "never called")]);
    await service.tick();
    const active = people.slice(0, 40);
    const expected = {
      control: active.filter(({ isIn }) => !isIn).length,
      treatment: active.filter(({ isIn }) => isIn).length,
    };
    expect((await shown(id)).people).toEqual(expected);
    await service.act(id, "pause");
    await service.act(id, "resume");
    await service.tick();
    expect((await shown(id)).people).toEqual({ control: 0, treatment: 0 });
  });

  it("compare the people of each condition set among themselves, and nobody whom others let in", async () => {
    const set = (plan: string, rollout_percentage: number) => ({
      properties: [{ key: "plan", type: "person", value: plan }],
      rollout_percentage,
    });
    const groups = [set("staff", 100), set("pro", 0), set("free", 0)];
    const flag = await service.newFlag({ filters: { groups } });
    const plans = ["staff", "pro", "free", "none"];
    const people = peopleOf(flag.key, 400, 80).map((person, i) => ({ ...person, plan: plans[i % 4] }));
    const { id } = await service.start(flag, [{ shares: { 1: 80, 2: 20 }, hold: HELD }]);
    await service.write(
      people.map(({ id: person, plan }) => {
        const properties = { $feature_flag: flag.key, $feature_flag_response: true, $set: { plan } };
        return eventOf("$feature_flag_called", person, properties);
      }),
    );
    await service.tick();
    const rows = await rowsOf(id);
    const compared = rows.filter(({ is_treated }) => is_treated !== null);
    expect(new Set(compared.map(({ stratum }) => stratum))).toEqual(new Set([1, 2]));
    expect(compared.length).toBe(200);
    const treated = (stratum: number) =>
      compared.filter((row) => row.stratum === stratum && row.is_treated).length;
    expect(treated(1)).toBe(people.filter(({ plan, isIn }) => plan === "pro" && isIn).length);
    expect(treated(2)).toBeLessThan(40);
  });

  it("compare a variant that grows with the first one, but for people who are given one", async () => {
    const variants = ["control", "a", "b"].map((key, i) => ({ key, rollout_percentage: i === 0 ? 100 : 0 }));
    const forced = { properties: [{ key: "vip", type: "person", value: "yes" }], variant: "a" };
    const flag = await service.newFlag({
      filters: { groups: [forced, { properties: [], rollout_percentage: 100 }], multivariate: { variants } },
    });
    const { id, runs } = await service.start(flag, [{ variants: { control: 40, a: 20, b: 40 }, hold: HELD }]);
    expect(runs[0]?.comparison).toEqual({ kind: "variants", control: "control", treatment: "b" });
    const people = peopleOf(flag.key, 300, 100);
    await service.write(
      people.map(({ id: person }, i) =>
        eventOf("$feature_flag_called", person, {
          $feature_flag: flag.key,
          ...(i < 50 && { $set: { vip: "yes" } }),
        }),
      ),
    );
    await service.tick();
    const { people: found } = await shown(id);
    const compared = (found?.control ?? 0) + (found?.treatment ?? 0);
    expect(compared).toBeGreaterThan(160);
    expect(compared).toBeLessThan(240);
    expect((await rowsOf(id)).filter(({ is_treated }) => is_treated === null).length).toBe(300 - compared);
  });
});

describe("people who turn out to be", () => {
  const setUp = async () => {
    const flag = await service.newFlag();
    const { id } = await service.start(flag, [step(50)], { guardrails: GUARDRAILS });
    const people = peopleOf(flag.key, 240, 50);
    await service.write(
      people.flatMap(({ id: person }) => [
        called(flag.key, person),
        eventOf("view", person),
        eventOf("buy", person),
      ]),
    );
    await service.tick();
    return { flag, id, people };
  };
  const merge = (one: string, other: string) =>
    service.write([eventOf("$identify", one, { $anon_distinct_id: other })]);

  it("one are counted once, and in neither arm where they were in both", async () => {
    const { id, people } = await setUp();
    const [treated, alsoTreated] = people.filter(({ isIn }) => isIn);
    const untreated = people.find(({ isIn }) => !isIn);
    const before = (await shown(id)).people;
    await merge(treated?.id ?? "", alsoTreated?.id ?? "");
    await service.tick();
    expect((await shown(id)).people).toEqual({
      control: before?.control,
      treatment: (before?.treatment ?? 0) - 1,
    });
    await merge(treated?.id ?? "", untreated?.id ?? "");
    await service.tick();
    expect((await shown(id)).people).toEqual({
      control: (before?.control ?? 0) - 1,
      treatment: (before?.treatment ?? 0) - 2,
    });
  });

  it("erased are gone from the figures of the step, as if they had never been there", async () => {
    const { id, people } = await setUp();
    const before = await shown(id);
    const gone = people
      .filter(({ isIn }) => isIn)
      .slice(0, 3)
      .map((person) => person.id);
    const { json } = await service.api("GET", `/api/projects/1/persons/?search=${gone[0]}`);
    const stored = await service.api("GET", `/api/projects/1/persons/${json.results[0].id}/stored/`);
    expect(stored.json.stored).toMatchObject({ ramp_people: 1 });
    const reply = await service.api("POST", "/api/projects/1/persons/bulk_delete/", {
      distinct_ids: gone,
      delete_events: true,
    });
    expect(reply.status, reply.text).toBe(202);
    await finishErasures(service);
    await service.tick();
    const after = await shown(id);
    expect(after.people).toEqual({
      control: before.people?.control,
      treatment: (before.people?.treatment ?? 0) - gone.length,
    });
    expect(await rowsOf(id)).toHaveLength(people.length - gone.length);
    expect(await recounted(id)).toEqual(after);
  });
});

it("events of a step that runs are not deleted for their age", async () => {
  const flag = await service.newFlag();
  const { id } = await service.start(flag, [step(50)], { guardrails: [errorsGuardrail()] });
  await service.age(id, 40 * 24);
  const preview = () =>
    service.api("POST", "/api/projects/1/event_retention/preview/", {
      event_retention: { days: 30 },
    });
  const { json, status, text } = await preview();
  expect(status, text).toBe(200);
  expect(json.kept_for).toMatchObject([{ name: `ramp of ${flag.key}` }]);
  await service.act(id, "cancel");
  expect((await preview()).json.kept_for).toEqual([]);
});
