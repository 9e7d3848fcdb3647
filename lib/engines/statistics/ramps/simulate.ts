import { emptySums } from "#lib/engines/statistics/simulation/people.ts";
import { type Random, randomFrom } from "#lib/engines/statistics/simulation/random.ts";
import { levelOf } from "./decide.ts";
import { judge } from "./judge.ts";
import { comparisonAt } from "./split.ts";
import type { Before, Plan } from "./types.ts";

/** What a guardrail of a simulated ramp may be: a share of people, and a count. */
const TYPES = { errors: "funnel", orders: "mean" } as const;

/** How people behave in a simulated ramp. */
export interface RampWorld {
  /** Its guardrails have the ids "errors" and "orders", its steps the share of one condition set. */
  readonly plan: Plan;
  readonly before: Before;
  /** New people of each hour, of both arms together. */
  readonly people_per_hour: number;
  /** Share of people who get an error within a day or so of their exposure, in [0, 1]. */
  readonly errors: number;
  /** Orders of a person in each hour; people differ: their rates are lognormal with a variance of 1 of the log. */
  readonly orders: number;
  /** True relative changes of the treatment. */
  readonly lifts: { readonly errors: number; readonly orders: number };
}

/** How a simulated ramp ended. */
export interface SimulatedRamp {
  /** The guardrail that stopped it; null where it was completed. */
  readonly stopped_by: string | null;
  readonly hours: number;
}

/** Somebody came, or one of their guardrails changed: an hour of the step, whether they are treated, which, by what. */
type RampEvent = readonly [
  hour: number,
  isTreated: boolean,
  what: "errors" | "orders" | null,
  person: number,
];

const exponential = (random: Random) => -Math.log(1 - random.uniform());

function eventsOf(world: RampWorld, share: number, hours: number, random: Random): RampEvent[] {
  const { people_per_hour, lifts } = world;
  const events: RampEvent[] = [];
  for (let person = 0; person < people_per_hour * hours; person++) {
    const at = hours * random.uniform();
    const isTreated = random.uniform() < share;
    events.push([at, isTreated, null, person]);
    const error = at + 8 * exponential(random);
    if (random.uniform() < world.errors * (1 + (isTreated ? lifts.errors : 0)) && error < hours)
      events.push([error, isTreated, "errors", person]);
    const rate = world.orders * (1 + (isTreated ? lifts.orders : 0)) * Math.exp(random.normal() - 0.5);
    for (let order = at + exponential(random) / rate; order < hours; order += exponential(random) / rate)
      events.push([order, isTreated, "orders", person]);
  }
  return events.sort(([a], [b]) => a - b);
}

/** Sums of both guardrails, to which what happens is added. */
function createSums() {
  const arms = () => ({ control: emptySums(), treatment: emptySums() });
  const sums = { errors: arms(), orders: arms() };
  const orders = new Map<number, number>();
  return {
    sums,
    add([, isTreated, what, person]: RampEvent) {
      const arm = isTreated ? "treatment" : "control";
      if (!what) {
        for (const { [arm]: sample } of Object.values(sums)) sample.n += 1;
        return;
      }
      const earlier = what === "orders" ? (orders.get(person) ?? 0) : 0;
      if (what === "orders") orders.set(person, earlier + 1);
      sums[what][arm].sum += 1;
      sums[what][arm].sum_squares += 2 * earlier + 1;
    },
  };
}

function runRamp(world: RampWorld, level: number, random: Random): SimulatedRamp {
  const { plan, before } = world;
  let hours = 0;
  for (const [index, step] of plan.steps.entries()) {
    const length = step.hold.hours ?? 0;
    const share = (step.shares?.["0"] ?? 100) / 100;
    const { sums, add } = createSums();
    const events = comparisonAt(before, plan, index) ? eventsOf(world, share, length, random) : [];
    // Looked at after everything that happens: nobody could look more often.
    for (const event of events) {
      add(event);
      const breached = plan.guardrails.find((guardrail) => {
        const id = guardrail.id as keyof typeof TYPES;
        const observation = { type: TYPES[id], strata: [sums[id]] };
        return judge(guardrail, observation, level).status === "breached";
      });
      if (breached) return { stopped_by: breached.id, hours: hours + event[0] };
    }
    hours += length;
  }
  return { stopped_by: null, hours };
}

/**
 * Runs ramps with invented people, each looked at after every event.
 *
 * @param seed fixes every number
 */
export function simulateRamps(world: RampWorld, ramps: number, seed: number): SimulatedRamp[] {
  const random = randomFrom(seed);
  const level = levelOf(world.plan, world.before);
  return Array.from({ length: ramps }, () => runRamp(world, level, random));
}
