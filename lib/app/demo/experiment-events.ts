import type { RawEvent } from "./calls.ts";
import { type Behaviour, DAY_MS, type DemoExperiment } from "./experiments.ts";
import type { DemoPerson } from "./people.ts";
import { type Random, random, uuidOf } from "./random.ts";

/** Kinds of ids from here on, one an experiment. */
const KIND = 50;
const MINUTE_MS = 60_000;
/** Days within which people do what they do after an exposure. */
const ACTIVE_DAYS = 6;

type Told = Omit<RawEvent, "uuid" | "timestamp"> & { at: number };

/** A count with the given mean, as of events that come independently (Knuth's way, for small means). */
function poisson(r: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = r.next(); product > limit; product *= r.next()) count += 1;
  return count;
}

/** Money as people spend it: most little, few much; whole cents. */
const amountOf = (r: Random, mean: number): number => {
  const normal = Math.sqrt(-2 * Math.log(1 - r.next())) * Math.cos(2 * Math.PI * r.next());
  return Math.round(100 * mean * Math.exp(0.6 * normal - 0.18)) / 100;
};

const HABIT = 0.7;

/** A person's edits: some people write much, and they do so before and after. */
function* edits(r: Random, id: string, mean: number, from: number, days: number): Generator<Told> {
  for (let n = poisson(r, mean); n > 0; n -= 1)
    yield {
      event: "document edited",
      distinct_id: id,
      at: from + r.between(0, days * DAY_MS),
      properties: { $lib: "web" },
    };
}

function* steps(r: Random, id: string, names: string[], does: Behaviour, exposed: number): Generator<Told> {
  let at = exposed;
  for (const [i, name] of names.entries()) {
    if (r.next() >= (does.steps[i] ?? 0)) return;
    at += r.between(1, i === 0 ? 90 : 36 * 60) * MINUTE_MS;
    const properties: Record<string, unknown> = { $lib: "web" };
    if (name === "order paid")
      Object.assign(properties, { amount: amountOf(r, does.amount ?? 50), currency: "EUR" });
    yield { event: name, distinct_id: id, at, properties };
    if (name === "search performed" && r.next() < 0.45)
      yield {
        event: name,
        distinct_id: id,
        at: at + r.between(20, ACTIVE_DAYS * 24) * 60 * MINUTE_MS,
        properties,
      };
  }
}

const exposure = (flag: string, id: string, variant: string, at: number): Told => ({
  event: "$feature_flag_called",
  distinct_id: id,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: variant, $lib: "web" },
});

/** What one person does in an experiment. */
function* personEvents(
  r: Random,
  of: DemoExperiment,
  person: DemoPerson,
  variant: string,
  at: number,
): Generator<Told> {
  const { distinct_id: id } = person;
  const does = of.behaviour[variant] ?? { steps: [] };
  const habit = does.edits === undefined ? 0 : does.edits * Math.exp(HABIT * (r.next() * 2 - 1)) * 0.93;
  if (of.editsBefore) yield* edits(r, id, habit, at - 13 * DAY_MS, 12);
  if (r.next() < (of.lost?.[variant] ?? 0)) return;
  yield {
    event: "$pageview",
    distinct_id: id,
    at: at - MINUTE_MS,
    properties: { $lib: "web", $pathname: "/" },
  };
  yield exposure(of.body.feature_flag_key, id, variant, at);
  if (r.next() < (of.both ?? 0)) {
    const others = Object.keys(of.behaviour).filter((key) => key !== variant);
    yield exposure(of.body.feature_flag_key, id, r.pick(others), at + DAY_MS);
  }
  yield* steps(r, id, of.steps, does, at);
  if (does.edits !== undefined) yield* edits(r, id, habit, at + MINUTE_MS, ACTIVE_DAYS);
  if (r.next() < 0.02)
    yield {
      event: "support ticket opened",
      distinct_id: id,
      at: at + r.between(1, 5) * DAY_MS,
      properties: {},
    };
}

/** Weekends are quiet. */
const isQuiet = (at: number) => new Date(at).getUTCDay() % 6 === 0;

/**
 * Everything that people do in an experiment, oldest people first.
 *
 * @param n its place among the demo's experiments: ids follow from it
 * @param now milliseconds since 1970: nothing happens after it
 * @param variantFor the variant that a person really gets from the flag
 */
export function* experimentEvents(
  n: number,
  of: DemoExperiment,
  people: DemoPerson[],
  now: number,
  variantFor: (person: DemoPerson, at: number) => string | null,
): Generator<RawEvent> {
  if (of.started === null) return;
  const draw = random(5_000 + n);
  const start = now - of.started * DAY_MS;
  const end = of.ended === null ? now : now - of.ended * DAY_MS;
  const firstDay = Math.floor(start / DAY_MS) * DAY_MS;
  const chosen = people.filter((person) => person.signed_up < firstDay);
  let serial = 0;
  for (let i = 0; i < of.people && chosen.length > 0; i += 1) {
    // Each person once: whoever is drawn is taken out of the rest.
    const index = Math.floor(draw.next() * chosen.length);
    const person = chosen[index];
    chosen[index] = chosen[chosen.length - 1] as DemoPerson;
    chosen.pop();
    // A stream for each person, so that what they do is the same whatever the day of the week.
    const r = random((5_000 + n) * 100_000 + i);
    let at = start + r.between(0, Math.max(1, end - start - DAY_MS / 4));
    const earlier = r.next() < 0.6 ? r.between(2, 3) * DAY_MS : 0;
    if (isQuiet(at)) at = Math.max(start, at - earlier);
    const variant = person && variantFor(person, at);
    if (!person || !variant) continue;
    for (const { at: moment, ...event } of personEvents(r, of, person, variant, at)) {
      serial += 1;
      if (moment >= now) continue;
      yield { ...event, uuid: uuidOf(KIND + n, serial), timestamp: new Date(moment).toISOString() };
    }
  }
}
