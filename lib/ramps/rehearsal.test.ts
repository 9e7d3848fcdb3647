import { afterAll, beforeAll, expect, it } from "vitest";
import { eventOf } from "#testing/events.ts";
import { called, errorsGuardrail, HOUR_MS, RAMPS, type RampService, startRamps } from "#testing/ramps.ts";

let service: RampService;
beforeAll(async () => {
  service = await startRamps();
});
afterAll(() => service.close());

const STEPS = [
  { shares: { 0: 10 }, hold: { hours: 48 } },
  { shares: { 0: 50 }, hold: { hours: 48 } },
  { shares: { 0: 100 }, hold: { hours: 24 } },
];
const signUps = errorsGuardrail({
  metric: {
    kind: "ExperimentMetric",
    metric_type: "funnel",
    series: [{ kind: "EventsNode", event: "signed up" }],
  },
  harm: "decrease",
  margin: 0,
});

const rehearse = async (flag: { id: number }, fields: object = {}) => {
  const { status, json, text } = await service.api("POST", `${RAMPS}rehearse/`, {
    feature_flag: flag.id,
    steps: STEPS,
    guardrails: [signUps],
    weeks: 2,
    ...fields,
  });
  expect(status, text).toBe(200);
  return json;
};

/** People who come over two weeks; half of them sign up an hour later. */
async function writeWeeks(key: string | null, people: number) {
  const span = 13 * 24 * HOUR_MS;
  const events = Array.from({ length: people }, (_, i) => {
    const id = `visitor-${i}`;
    const at = Date.now() - span + Math.floor((i * span) / people);
    return [
      { ...(key === null ? eventOf("$pageview", id) : called(key, id)), at },
      ...(i % 2 ? [{ ...eventOf("signed up", id), at: at + HOUR_MS }] : []),
    ];
  }).flat();
  await service.write(events);
}

it("of a project without events has nobody to replay", async () => {
  const flag = await service.newFlag();
  expect(await rehearse(flag)).toMatchObject({ source: "none", replays: 0, people: 0, caught: [] });
});

it("replays those who came over the last weeks, and stores nothing", async () => {
  const flag = await service.newFlag();
  await writeWeeks(null, 1_500);
  const fresh = await rehearse(flag);
  expect(fresh).toMatchObject({
    source: "events",
    people: 1_500,
    is_sample: false,
    hours: 120,
    ended_in_step: null,
  });
  await writeWeeks(flag.key, 1_500);
  const found = await rehearse(flag);
  expect(found.source).toBe("calls");
  expect(found.replays).toBeGreaterThanOrEqual(100);
  expect(found.false_stops / found.replays).toBeLessThanOrEqual(0.1);
  expect(found.caught.map(({ size }: { size: number }) => size)).toEqual([0.02, 0.05, 0.1]);
  expect(await rehearse(flag)).toEqual(found);
  expect(await service.readFlag(flag.id)).toMatchObject({ version: 1 });
  expect((await service.api("GET", RAMPS)).json.count).toBe(0);
});

it("catches a large regression before a small one, and says where the weeks are too short", async () => {
  const flag = await service.newFlag({ active: false });
  await writeWeeks(flag.key, 4_000);
  const long = [{ shares: { 0: 50 }, hold: { hours: 1_000 } }];
  const { caught, hours, ended_in_step } = await rehearse(flag, { steps: long });
  expect([hours, ended_in_step]).toEqual([null, 0]);
  const [small, , large] = caught;
  expect(large.share).toBeGreaterThan(small.share);
  expect(await service.readFlag(flag.id)).toMatchObject({ active: false, version: 1 });
});

it("leaves out people whom the flag's conditions leave out", async () => {
  const properties = [{ key: "plan", type: "person", value: "pro" }];
  const flag = await service.newFlag({ filters: { groups: [{ properties, rollout_percentage: 0 }] } });
  const people = Array.from({ length: 300 }, (_, i) => `member-${i}`);
  await service.write(
    people.flatMap((id, i) => [
      eventOf("$set", id, { $set: { plan: i % 3 ? "free" : "pro" } }),
      { ...called(flag.key, id), at: Date.now() - 5 * 24 * HOUR_MS },
    ]),
  );
  expect(await rehearse(flag)).toMatchObject({ source: "calls", people: 100 });
});
