/**
 * A ramp's plan, tried on what people did in the last weeks. Nobody was treated then, so whoever is dealt to the
 * treatment by chance behaves as they did: what stops is a false stop. A regression is made by scaling the treatment's
 * sums, which is how a relative change acts on them. The plan is looked at once an hour.
 */
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import type { Random } from "#lib/engines/statistics/simulation/random.ts";
import { SAMPLE_TYPES, type Sample, type SampleType } from "#lib/engines/statistics/types.ts";
import { levelOf } from "./decide.ts";
import { judge } from "./judge.ts";
import { comparisonAt, splitAt } from "./split.ts";
import type { Before, Caught, Guardrail, History, PersonHistory, Plan, Rehearsal, Step } from "./types.ts";

/** True changes for the worse, beyond each guardrail's margin, that a rehearsal looks for. */
const REGRESSIONS: readonly number[] = [0.02, 0.05, 0.1];

const REPLAYS = 200;

/** People with a draw below the first are treated, below the second compared: parts of everybody in [0, 1]. */
type Parts = { readonly treated: number; readonly compared: number };

/** A step laid over the history: from an hour to before another. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly isOver: boolean;
  /** Null where nobody can be compared. */
  readonly parts: Parts | null;
}

/** What somebody adds to their arm's sums from an hour on: n, and the sums in the order of `sampleOf`. */
interface Addition {
  readonly hour: number;
  readonly person: number;
  readonly sums: readonly number[];
}

const SUMS = 6;

const sampleOf = ([
  n = 0,
  sum = 0,
  squares = 0,
  total = 0,
  total_squares = 0,
  product = 0,
]: ArrayLike<number> & Iterable<number>): Sample => ({
  n,
  sum,
  sum_squares: squares,
  denominator_sum: total,
  denominator_sum_squares: total_squares,
  numerator_denominator_sum_product: product,
});

/** When somebody is exposed in a step that begins at an hour; null where they are not. */
const exposedAt = ({ hours }: PersonHistory, from: number): number | null =>
  hours.find((hour) => hour >= from) ?? null;

/** Several condition sets are taken for one that has the mean of their shares. */
function partsAt(before: Before, plan: Plan, index: number): Parts | null {
  const comparison = comparisonAt(before, plan, index);
  if (!comparison) return null;
  const { shares, variants } = splitAt(before, plan, index);
  if (comparison.kind === "shares") {
    const total = comparison.sets.reduce((sum, set) => sum + (shares?.[String(set)] ?? 0), 0);
    return { treated: total / comparison.sets.length / 100, compared: 1 };
  }
  const [treated, control] = [comparison.treatment, comparison.control].map(
    (key) => (variants?.[key] ?? 0) / 100,
  ) as [number, number];
  return { treated, compared: treated + control };
}

/** The first hour after which a step's holds are fulfilled; null where the history ends before. */
function endOf({ hold }: Step, from: number, parts: Parts | null, history: History): number | null {
  const earliest = from + Math.ceil(hold.hours ?? 0);
  if (earliest > history.hours) return null;
  const each = (history.people_total / Math.max(1, history.people.length)) * (parts?.compared ?? 1);
  const needed = (hold.people ?? 0) / each;
  if (needed <= 0) return earliest;
  const exposed = history.people.flatMap((person) => exposedAt(person, from) ?? []).sort((a, b) => a - b);
  const last = exposed[Math.ceil(needed) - 1];
  return last === undefined || last >= history.hours ? null : Math.max(earliest, last + 1);
}

function layWindows(plan: Plan, before: Before, history: History): Window[] {
  const windows: Window[] = [];
  for (const [i, step] of plan.steps.entries()) {
    const from = windows.at(-1)?.to ?? 0;
    const parts = partsAt(before, plan, i);
    const end = endOf(step, from, parts, history);
    windows.push({ from, to: end ?? history.hours, isOver: end !== null, parts });
    if (end === null) break;
  }
  return windows;
}

/** What people add to a guardrail's sums within a window, by hour. */
function additionsOf({ people, types }: History, { from, to }: Window, id: string): Addition[] {
  const isShare = SAMPLE_TYPES[types[id] as SampleType].isShare;
  const capped = (value: number) => (isShare ? Math.min(1, value) : value);
  const additions: Addition[] = [];
  for (const [person, history] of people.entries()) {
    const exposed = exposedAt(history, from);
    if (exposed === null || exposed >= to) continue;
    additions.push({ hour: exposed, person, sums: [1, 0, 0, 0, 0, 0] });
    let [value, other, x, y] = [0, 0, 0, 0];
    for (const [hour, more, denominator = 0] of history.values[id] ?? []) {
      if (hour < exposed) continue;
      if (hour >= to) break;
      [value, other] = [value + more, other + denominator];
      const [a, b] = [capped(value), capped(other)];
      additions.push({
        hour,
        person,
        sums: [0, a - x, a * a - x * x, b - y, b * b - y * y, a * b - x * y],
      });
      [x, y] = [a, b];
    }
  }
  return additions.sort((a, b) => a.hour - b.hour);
}

/**
 * An arm as it would be with `times` the people: the noise of averages shrinks by the root of that.
 *
 * @param all sums of both arms
 */
function enlarge(arm: Float64Array, all: Float64Array, times: number): Float64Array {
  const [n, both] = [arm[0] ?? 0, all[0] ?? 0];
  if (n === 0 || times === 1) return arm;
  const kept = 1 / Math.sqrt(times);
  return arm.map((sum, i) => {
    const usual = (all[i] ?? 0) / both;
    return i === 0 ? n * times : n * times * (usual + kept * (sum / n - usual));
  });
}

/** The same arm had its values been `factor` times as large. */
function scale({ n, ...arm }: Sample, type: SampleType, factor: number): Sample {
  const most = SAMPLE_TYPES[type].value === "proportion" ? n : Number.POSITIVE_INFINITY;
  return {
    ...arm,
    n,
    sum: Math.min(most, arm.sum * factor),
    sum_squares: arm.sum_squares * factor ** 2,
    numerator_denominator_sum_product: (arm.numerator_denominator_sum_product ?? 0) * factor,
  };
}

/** One way in which a replay can end: a guardrail, and how much worse it is made; 0 for not at all. */
interface Track {
  readonly guardrail: Guardrail;
  /** Its index in the plan. */
  readonly place: number;
  readonly size: number;
  readonly factor: number;
}

function trackOf(guardrail: Guardrail, place: number, size: number): Track {
  const change = size === 0 ? 0 : guardrail.margin + size;
  const factor = guardrail.harm === "increase" ? 1 + change : Math.max(0, 1 - change);
  return { guardrail, place, size, factor };
}

/** When a track stopped a replay. */
type Stop = { readonly hours: number; readonly people: number };

type Prepared = Window & { readonly additions: readonly (readonly Addition[])[] };

/** People dealt to the arms once. */
interface Deal {
  /** A number of each in [0, 1): it stays theirs in every step, as a flag's hash does. */
  readonly draws: Float64Array;
  /** How many people each of them counts for. */
  readonly times: number;
  readonly treated: Set<number>;
}

/** A guardrail's arms within a step, to which the additions are made hour by hour. */
function createArms(additions: readonly Addition[], parts: Parts, { draws, times, treated }: Deal) {
  const [control, treatment] = [new Float64Array(SUMS), new Float64Array(SUMS)];
  let next = 0;
  return {
    addUntil(hour: number) {
      for (let one = additions[next]; one && one.hour <= hour; one = additions[++next]) {
        const draw = draws[one.person] ?? 1;
        if (draw >= parts.compared) continue;
        const isTreated = draw < parts.treated;
        if (isTreated) treated.add(one.person);
        const arm = isTreated ? treatment : control;
        for (let i = 0; i < SUMS; i++) arm[i] = (arm[i] ?? 0) + (one.sums[i] ?? 0);
      }
    },
    samples() {
      const all = control.map((sum, i) => sum + (treatment[i] ?? 0));
      return [control, treatment].map((arm) => sampleOf(enlarge(arm, all, times))) as [Sample, Sample];
    },
  };
}

/** Runs a plan to its end; of each track, where it stops. */
function* replay(
  tracks: readonly Track[],
  windows: readonly Prepared[],
  level: number,
  { types }: History,
  deal: Deal,
): Generator<void, (Stop | null)[]> {
  const stops: (Stop | null)[] = tracks.map(() => null);
  for (const { from, to, parts, additions } of windows) {
    yield;
    if (!parts) continue;
    const arms = additions.map((list) => createArms(list, parts, deal));
    for (let hour = from; hour < to; hour++) {
      for (const arm of arms) arm.addUntil(hour);
      const samples = arms.map((arm) => arm.samples());
      for (const [t, { guardrail, place, factor }] of tracks.entries()) {
        const [control, treatment] = samples[place] ?? [];
        const type = types[guardrail.id];
        if (stops[t] || !control || !treatment || !type) continue;
        const strata = [{ control, treatment: scale(treatment, type, factor) }];
        if (judge(guardrail, { type, strata }, level).status === "breached")
          stops[t] = { hours: hour + 1, people: Math.round(deal.treated.size * deal.times) };
      }
    }
  }
  return stops;
}

/** The middle one of numbers of which those that never came are the largest; null where it is one of these. */
function medianOf(found: readonly number[], of: number): number | null {
  return [...found].sort((a, b) => a - b)[Math.floor(of / 2)] ?? null;
}

/**
 * Runs a plan many times on what happened, with people dealt to the arms by chance.
 *
 * @param random deals; the same numbers give the same answer
 * @param replays above 0
 * @returns a computation that can be interrupted where it yields: every few milliseconds
 */
export function* rehearse(
  plan: Plan,
  before: Before,
  history: History,
  random: Random,
  replays = REPLAYS,
): Generator<void, Rehearsal> {
  const windows: Prepared[] = [];
  for (const window of layWindows(plan, before, history)) {
    const additions: Addition[][] = [];
    for (const { id } of plan.guardrails) {
      yield;
      additions.push(additionsOf(history, window, id));
    }
    windows.push({ ...window, additions });
  }
  const tracks = plan.guardrails.flatMap((guardrail, place) =>
    [0, ...REGRESSIONS].map((size) => trackOf(guardrail, place, size)),
  );
  const level = levelOf(plan, before);
  const times = history.people_total / Math.max(1, history.people.length);
  const stops: (Stop | null)[][] = [];
  while (stops.length < replays) {
    const draws = Float64Array.from(history.people, () => random.uniform());
    stops.push(yield* replay(tracks, windows, level, history, { draws, times, treated: new Set() }));
  }
  const false_stops = stops.filter((of) => of.some((stop, t) => stop && tracks[t]?.size === 0)).length;
  const caught = tracks.flatMap(({ guardrail, size }, t): Caught[] => {
    if (size === 0) return [];
    const found = stops.flatMap((of) => of[t] ?? []);
    return [
      {
        guardrail: guardrail.id,
        size,
        share: found.length / replays,
        share_interval: wilsonInterval(found.length, replays),
        hours: medianOf(
          found.map(({ hours }) => hours),
          replays,
        ),
        people: medianOf(
          found.map(({ people }) => people),
          replays,
        ),
      },
    ];
  });
  const last = windows.at(-1);
  const isShort = last?.isOver === false;
  return {
    replays,
    false_stops,
    false_stop_interval: wilsonInterval(false_stops, replays),
    hours: isShort ? null : (last?.to ?? 0),
    ended_in_step: isShort ? windows.length - 1 : null,
    people: history.people.length,
    is_sample: history.people.length < history.people_total,
    caught,
  };
}
