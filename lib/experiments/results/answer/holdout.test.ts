import { afterAll, beforeAll, expect, it } from "vitest";
import { metric, source, startResults, type Told } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const HOLDOUTS = "/api/projects/1/experiment_holdouts/";
const holding = async (share: number) =>
  (
    await service.api("POST", HOLDOUTS, {
      name: "Kept out",
      filters: [{ properties: [], rollout_percentage: share }],
    })
  ).json;
const resultsOf = async (id: number) => service.api("GET", `${HOLDOUTS}${id}/results/`);

const called = (flag: string, id: string, variant: string, at = 1): Told => ({
  event: "$feature_flag_called",
  id,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: variant },
});
const people = (name: string, n: number) => Array.from({ length: n }, (_, i) => `${name} ${i}`);

const orders = metric({ metric_type: "funnel", name: "Orders", series: [source("order")] });
const spent = metric({
  metric_type: "mean",
  name: "Spent",
  source: source("order", { math: "sum", math_property: "amount" }),
});

it("people held out are compared with everybody else, over all experiments that used it", async () => {
  const holdout = await holding(25);
  const held = `holdout-${holdout.id}`;
  const first = await service.create({ holdout_id: holdout.id, metrics: [orders] });
  const second = await service.create({
    holdout_id: holdout.id,
    end_date: "2026-03-03T09:00:00Z",
    metrics: [spent],
    metrics_secondary: [orders],
  });
  const draft = await service.create({ holdout_id: holdout.id, start_date: null, metrics: [orders] });
  const other = await service.create({ metrics: [orders] });
  const [a, b] = [first.feature_flag_key, second.feature_flag_key];
  const out = people("out", 100);
  const [control, test, late] = [people("control", 150), people("test", 150), people("late", 20)];
  await service.send([
    ...out.map((id) => called(a, id, held)),
    // Of both experiments: people count once, from the first call on.
    ...out.slice(0, 40).map((id) => called(b, id, held, 3)),
    ...control.map((id) => called(a, id, "control")),
    ...test.map((id) => called(b, id, "test")),
    ...test.slice(0, 30).map((id) => called(a, id, "control", 4)),
    // After the end of the second, of another experiment's flag, and a value that is no variant: not exposed.
    ...late.map((id) => called(b, id, "control", 48)),
    ...late.map((id) => called(other.feature_flag_key, id, "control")),
    ...late.map((id) => called(a, id, "purple")),
    ...[...out.slice(0, 10), ...control.slice(0, 45), ...test.slice(0, 15), ...late].map((id) => ({
      event: "order",
      id,
      at: 50,
      properties: { amount: 2 },
    })),
    // Before anybody was exposed.
    ...out.map((id) => ({ event: "order", id, at: 0.5, properties: { amount: 7 } })),
  ]);
  const { status, json } = await resultsOf(holdout.id);
  expect(status).toBe(200);
  expect(json).toMatchObject({
    experiment_ids: [first.id, second.id],
    since: "2026-03-02T09:00:00.000000Z",
    units: { held_out: 100, rest: 300 },
    split: { share: 25, p_value: 1, mismatch: false },
    one_in: 1,
    level: 0.95,
  });
  expect(json.experiment_ids).not.toContain(draft.id);
  const [converted, amount] = json.metrics;
  expect(json.metrics.length).toBe(2);
  expect(converted).toMatchObject({
    name: "Orders",
    role: "primary",
    baseline: { key: "held_out", number_of_samples: 100, sum: 10, value: 0.1 },
    variants: [{ key: "rest", number_of_samples: 300, sum: 60, value: 0.2 }],
  });
  expect(converted.variants[0].estimate.effect).toBeCloseTo(1, 12);
  expect(converted.variants[0].estimate.chance_to_win).toBeCloseTo(0.94, 2);
  expect(amount).toMatchObject({
    name: "Spent",
    baseline: { sum: 20 },
    variants: [{ sum: 120, sum_squares: 240 }],
  });
});

it("a holdout that nobody uses has no results yet; an unknown one is none", async () => {
  const { id } = await holding(10);
  expect((await resultsOf(id)).json).toMatchObject({
    experiment_ids: [],
    since: null,
    units: { held_out: 0, rest: 0 },
    metrics: [],
  });
  await service.create({ holdout_id: id, metrics: [orders] });
  expect((await resultsOf(id)).json).toMatchObject({
    units: { held_out: 0, rest: 0 },
    split: null,
    metrics: [{ name: "Orders", variants: [{ estimate: null }] }],
  });
  expect((await resultsOf(987_654)).status).toBe(404);
});

it("too many or too few people held out are reported", async () => {
  const holdout = await holding(10);
  const made = await service.create({ holdout_id: holdout.id, metrics: [orders] });
  await service.send([
    ...people("many", 80).map((id) => called(made.feature_flag_key, id, `holdout-${holdout.id}`)),
    ...people("few", 120).map((id) => called(made.feature_flag_key, id, "test")),
  ]);
  const { split } = (await resultsOf(holdout.id)).json;
  expect(split).toMatchObject({ share: 10, mismatch: true });
});
