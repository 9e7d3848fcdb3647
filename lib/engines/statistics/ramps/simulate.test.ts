import { expect, it } from "vitest";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import { type RampWorld, simulateRamps } from "./simulate.ts";
import type { Plan } from "./types.ts";

const ALPHA = 0.2;
const plan: Plan = {
  steps: [10, 50, 100].map((share) => ({ shares: { "0": share }, hold: { hours: 6 } })),
  guardrails: [
    { id: "errors", harm: "increase", margin: 0, action: "roll_back" },
    { id: "orders", harm: "decrease", margin: 0, action: "pause" },
  ],
  alpha: ALPHA,
};
const world: RampWorld = {
  plan,
  before: { shares: { "0": 0 } },
  people_per_hour: 100,
  errors: 0.2,
  orders: 0.2,
  lifts: { errors: 0, orders: 0 },
};
const RAMPS = 120;
const stopsOf = (changed: Partial<RampWorld>, ramps: number) =>
  simulateRamps({ ...world, ...changed }, ramps, 11).filter(({ stopped_by }) => stopped_by !== null);

it("ramps that harm nobody are stopped no more often than stated, though looked at after every event", () => {
  const { length } = stopsOf({}, RAMPS);
  expect(wilsonInterval(length, RAMPS, 0.999)[0]).toBeLessThan(ALPHA);
});

it("ramps that do harm are stopped by the guardrail that shows it, the sooner the more harm", () => {
  const stopsBy = (id: string, lifts: RampWorld["lifts"]) =>
    stopsOf({ lifts, people_per_hour: 250 }, 30).filter(({ stopped_by }) => stopped_by === id);
  const doubled = stopsBy("errors", { errors: 1, orders: 0 });
  const worst = stopsBy("errors", { errors: 4, orders: 0 });
  const nothing = stopsBy("orders", { errors: 0, orders: -1 });
  for (const stops of [doubled, worst, nothing]) expect(stops.length).toBeGreaterThan(25);
  const mean = (stops: typeof worst) => stops.reduce((sum, { hours }) => sum + hours, 0) / stops.length;
  expect(mean(worst)).toBeLessThan(mean(doubled));
});
