import { describe, expect, it } from "vitest";
import { randomFrom } from "#lib/engines/statistics/simulation/random.ts";
import { rehearse } from "./rehearse.ts";
import type { Before, History, Increment, PersonHistory, Plan } from "./types.ts";

/** What a computation comes to that may be interrupted. */
function finished<T>(computation: Generator<void, T>): T {
  for (let step = computation.next(); ; step = computation.next()) if (step.done) return step.value;
}

const before: Before = { shares: { "0": 0 } };
const plan: Plan = {
  steps: [20, 50, 100].map((share) => ({ shares: { "0": share }, hold: { hours: 24 } })),
  guardrails: [{ id: "orders", harm: "decrease", margin: 0, action: "pause" }],
  alpha: 0.05,
};

/** People who come once, at any hour of three days, and order right away: most of them about ten. */
function historyOf(people: number, spread: number): History {
  const random = randomFrom(3);
  const one = (): PersonHistory => {
    const hour = Math.floor(72 * random.uniform());
    const values: Increment[] = [[hour, 10 + spread * random.normal()]];
    return { hours: [hour], values: { orders: values } };
  };
  return {
    hours: 72,
    people: Array.from({ length: people }, one),
    people_total: people,
    types: { orders: "mean" },
  };
}
const rehearseWith = (history: History, changed: Partial<Plan> = {}) =>
  finished(rehearse({ ...plan, ...changed }, before, history, randomFrom(1), 100));

describe("a rehearsal", () => {
  it("stops for nothing no more often than stated, and catches larger regressions sooner", () => {
    const { false_stops, false_stop_interval, caught, ...rest } = rehearseWith(historyOf(1_500, 1));
    expect(false_stop_interval[0]).toBeLessThan(0.05);
    expect(false_stops).toBeLessThan(12);
    const [two, five, ten] = caught;
    expect(caught.map(({ size }) => size)).toEqual([0.02, 0.05, 0.1]);
    expect(ten?.share).toBe(1);
    expect(five?.share).toBeGreaterThanOrEqual(two?.share ?? 1);
    expect(ten?.hours).toBeLessThan(five?.hours ?? 0);
    expect(ten?.people).toBeLessThan(five?.people ?? 0);
    expect(rest).toEqual({ replays: 100, hours: 72, ended_in_step: null, people: 1_500, is_sample: false });
  });

  it("counts a sample for all whom it stands for", () => {
    const few = historyOf(1_000, 10);
    const some = rehearseWith({ ...few, people_total: 120_000 });
    expect(rehearseWith(few).caught[1]?.share).toBeLessThan(0.3);
    expect(some).toMatchObject({ is_sample: true, people: 1_000 });
    expect(some.caught[1]?.share).toBeGreaterThan(0.9);
    expect(some.caught[1]?.people).toBeGreaterThan(1_000);
    expect(some.false_stop_interval[0]).toBeLessThan(0.05);
  });

  it("says where the history ends before the plan does", () => {
    const longer = plan.steps.map((step) => ({ ...step, hold: { hours: 30 } }));
    expect(rehearseWith(historyOf(300, 1), { steps: longer })).toMatchObject({
      hours: null,
      ended_in_step: 2,
    });
    const many = [{ shares: { "0": 50 }, hold: { people: 301 } }];
    expect(rehearseWith(historyOf(300, 1), { steps: many })).toMatchObject({ hours: null, ended_in_step: 0 });
  });

  it("ends a step with the hour in which its people have come", () => {
    const at = (hour: number): PersonHistory => ({ hours: [hour, hour + 5], values: {} });
    const history = { ...historyOf(0, 1), people: [0, 3, 9, 20].map(at), people_total: 8 };
    const steps = [4, 6].map((people) => ({ shares: { "0": 50 }, hold: { people } }));
    // Each stands for two. The first step ends after hour 3; of the others, somebody comes again in hours 5, 8 and 9.
    expect(rehearseWith(history, { steps })).toMatchObject({ hours: 10, ended_in_step: null });
  });
});
