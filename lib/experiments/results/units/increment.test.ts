import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { DAY_MS, UNIT_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import {
  type Hit,
  type PlannedMetric,
  RECOMPUTE,
  type UnitHistory,
  type UnitValue,
} from "#lib/experiments/metric_kinds/kind.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { hitAt, plannedMetric, plannedSource, planWith, unitValue } from "#testing/experiment-plans.ts";
import { computeState, createIncrement, isTied } from "./unit.ts";

const MINUTE = UNIT_MS.minute;

const retention = (last: boolean) => ({ from: 1, to: 4, unit: "minute" as const, last });
const metrics: Record<string, Partial<PlannedMetric>> = {
  mean: {},
  "mean in a window": { window: 5 * MINUTE },
  "mean with earlier values": { lookback: 6 * MINUTE },
  ratio: { type: "ratio", sources: [0, 1] },
  "ratio in a window": { type: "ratio", sources: [0, 1], window: 5 * MINUTE },
  funnel: { type: "funnel", sources: [0, 1] },
  "funnel in any order": { type: "funnel", sources: [0, 1], ordered: false },
  "funnel in windows": { type: "funnel", sources: [0, 1, 0], window: 5 * MINUTE },
  "funnel with earlier values": { type: "funnel", sources: [0, 1], lookback: 6 * MINUTE },
  "retention from the first start": { type: "retention", sources: [0, 1], retention: retention(false) },
  "retention from the last start": { type: "retention", sources: [0, 1], retention: retention(true) },
  "retention in a window": {
    type: "retention",
    sources: [0, 0],
    retention: retention(false),
    window: 5 * MINUTE,
  },
};

type Happened = {
  at: number;
  exposes: string | null;
  sources: number[];
  value: number | null;
  early: boolean;
};

const happened: fc.Arbitrary<Happened[]> = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 24 }).map((minutes) => minutes * MINUTE),
      exposes: fc.constantFrom(null, null, null, "control", "test"),
      sources: fc.constantFrom<number[]>([], [0], [1], [0, 1]),
      value: fc.constantFrom(null, 1, 2.5, 0.1, 0.2, 1e9 + 0.1, -3),
      early: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((list) => list.toSorted((a, b) => a.at - b.at));

const historyOf = (events: readonly Happened[]): UnitHistory => ({
  exposures: events.flatMap(({ at, exposes }) => (exposes === null ? [] : [{ at, variant: exposes }])),
  hits: [0, 1].map((source) =>
    events.flatMap(({ at, sources, value }, position) =>
      sources.includes(source) ? [hitAt(at, { position, value, key: "person" })] : [],
    ),
  ),
});

const valuesOf = (values: readonly (UnitValue | null)[]) => values.map((value) => value ?? unitValue());

describe("going on from what is stored", () => {
  it.each(
    Object.keys(metrics).flatMap((name) =>
      (["total", "sum", "dau", "max"] as const)
        .filter((math) => math === "total" || /^(mean|ratio)/.test(name))
        .map((math) => ({ name, math })),
    ),
  )("gives what all events together give, or asks for all of them: $name, $math", ({ name, math }) => {
    const asked = fc.record({
      events: happened,
      since: fc.integer({ min: 1, max: 24 }),
      end: fc.option(fc.integer({ min: 5, max: 24 })),
      handling: fc.constantFrom("exclude" as const, "first_seen" as const),
      group_type: fc.constantFrom(null, "company"),
    });
    fc.assert(
      fc.property(asked, ({ events, since: minutes, end, handling, group_type }) => {
        const plan = planWith({
          end: end === null ? null : end * MINUTE,
          handling,
          group_type,
          sources: [plannedSource({ math }), plannedSource({ math })],
          metrics: [plannedMetric(metrics[name])],
        });
        const since = minutes * MINUTE;
        const isOld = ({ early, at }: Happened) => early && at < since;
        const stored = computeState(plan, historyOf(events.filter(isOld)), since);
        if (!stored) return;
        const delta = events.filter((event) => !isOld(event));
        const unit = { ...stored, values: valuesOf(stored.values) };
        const found = createIncrement(plan)(unit, delta, historyOf(delta), since);
        if (found === RECOMPUTE) return;
        const all = computeState(plan, historyOf(events), 60 * MINUTE);
        expect(all).toMatchObject({ variant: stored.variant, first_at: stored.first_at });
        if (stored.variant !== MULTIPLE) expect(found).toEqual(valuesOf(all?.values ?? []));
      }),
      { numRuns: 300 },
    );
  });
});

const FIRST = 100;
const SINCE = 200;

type Given = {
  metric?: Partial<PlannedMetric>;
  plan?: Partial<Plan>;
  stored?: Partial<UnitValue>;
  hits?: Hit[][];
  exposures?: UnitHistory["exposures"];
  variant?: string;
};

/** What becomes of a unit of `test`, exposed at 100 and looked at until 200, with new events. */
function updated({ metric, plan, stored, hits = [], exposures = [], variant = "test" }: Given) {
  const sources = [0, 1, 2].map(() => plannedSource());
  const increment = createIncrement(planWith({ sources, metrics: [plannedMetric(metric)], ...plan }));
  const unit = { variant, first_at: FIRST, values: [unitValue(stored)] };
  const events = [...hits.flat(), ...exposures].toSorted((a, b) => a.at - b.at);
  const history = { exposures, hits: [0, 1, 2].map((source) => hits[source] ?? []) };
  const values = increment(unit, events, history, SINCE);
  return values === RECOMPUTE ? RECOMPUTE : values === unit.values ? "as it was" : values[0];
}

const sourced = (math: "total" | "sum" | "avg" | "dau", group_type: string | null = null) => ({
  sources: [0, 1].map(() => plannedSource({ math })),
  group_type,
});
const numbered = (at: number, value: number | null) => hitAt(at, { value });

describe("a number goes on", () => {
  it.each<{ name: string; given: Given; is: ReturnType<typeof updated> }>([
    {
      name: "by as many events as are new",
      given: { stored: { value: 2 }, hits: [[hitAt(210), hitAt(220)]] },
      is: unitValue({ value: 4 }),
    },
    {
      name: "by events that come late, too",
      given: { stored: { value: 2 }, hits: [[hitAt(150)]] },
      is: unitValue({ value: 3 }),
    },
    {
      name: "by none before the exposure",
      given: { stored: { value: 2 }, hits: [[hitAt(99)]] },
      is: "as it was",
    },
    {
      name: "by those before the exposure among earlier values",
      given: {
        metric: { lookback: 50 },
        stored: { value: 2, covariate: 3 },
        hits: [[hitAt(49), hitAt(50), hitAt(99)]],
      },
      is: unitValue({ value: 2, covariate: 5 }),
    },
    {
      name: "by none after its window",
      given: { metric: { window: 110 }, stored: { value: 2 }, hits: [[hitAt(209), hitAt(210)]] },
      is: unitValue({ value: 3 }),
    },
    {
      name: "as it was without events of its source",
      given: { stored: { value: 2 }, hits: [[], [hitAt(210)]] },
      is: "as it was",
    },
    {
      name: "by numbers that are added up",
      given: {
        plan: sourced("sum"),
        stored: { value: 0.1 },
        hits: [[numbered(210, 0.2), numbered(220, null)]],
      },
      is: unitValue({ value: 0.3 }),
    },
    {
      name: "by late numbers whose order makes no difference",
      given: { plan: sourced("sum"), stored: { value: 0.1 }, hits: [[numbered(150, 0.2)]] },
      is: unitValue({ value: 0.3 }),
    },
    {
      name: "not by late numbers whose order makes a difference",
      given: { plan: sourced("sum"), stored: { value: 1 / 3 }, hits: [[numbered(150, 0.2)]] },
      is: RECOMPUTE,
    },
    {
      name: "not by late numbers of more than six places",
      given: { plan: sourced("sum"), stored: { value: 1 }, hits: [[numbered(150, 1e-7)]] },
      is: RECOMPUTE,
    },
    {
      name: "not by late numbers that are too large",
      given: { plan: sourced("sum"), stored: { value: 1 }, hits: [[numbered(150, -1e8)]] },
      is: RECOMPUTE,
    },
    {
      name: "by numbers of any size that come in time",
      given: { plan: sourced("sum"), stored: { value: 1 }, hits: [[numbered(200, 1e8)]] },
      is: unitValue({ value: 1e8 + 1 }),
    },
    {
      name: "not by large numbers whose order is not known",
      given: { plan: sourced("sum"), stored: { value: 1 }, hits: [[numbered(210, 1e8), numbered(210, 2)]] },
      is: RECOMPUTE,
    },
    {
      name: "by small numbers whose order is not known",
      given: { plan: sourced("sum"), stored: { value: 1 }, hits: [[numbered(210, 3), numbered(210, 2)]] },
      is: unitValue({ value: 6 }),
    },
    {
      name: "by late events without a number",
      given: { plan: sourced("sum"), stored: { value: 1 / 3 }, hits: [[numbered(150, null)]] },
      is: "as it was",
    },
    {
      name: "to one person, who is one",
      given: { plan: sourced("dau"), hits: [[hitAt(210), hitAt(220)]] },
      is: unitValue({ value: 1 }),
    },
    {
      name: "as it was with a person who is counted",
      given: { plan: sourced("dau"), stored: { value: 1 }, hits: [[hitAt(210)]] },
      is: "as it was",
    },
    {
      name: "not by persons of a group, who may be counted",
      given: { plan: sourced("dau", "company"), stored: { value: 1 }, hits: [[hitAt(210)]] },
      is: RECOMPUTE,
    },
    {
      name: "by none of the persons of a group before the exposure",
      given: { plan: sourced("dau", "company"), stored: { value: 1 }, hits: [[hitAt(99)]] },
      is: "as it was",
    },
    {
      name: "not to an average",
      given: { plan: sourced("avg"), stored: { value: 1 }, hits: [[numbered(210, 2)]] },
      is: RECOMPUTE,
    },
    {
      name: "not to an average of earlier values",
      given: {
        plan: sourced("avg"),
        metric: { lookback: 50 },
        stored: { value: 1 },
        hits: [[numbered(90, 2)]],
      },
      is: RECOMPUTE,
    },
    {
      name: "above and below the line of a ratio",
      given: {
        metric: { type: "ratio", sources: [1, 0] },
        stored: { value: 2, other: 3 },
        hits: [
          [hitAt(99), hitAt(210)],
          [hitAt(211), hitAt(212)],
        ],
      },
      is: unitValue({ value: 4, other: 4 }),
    },
    {
      name: "below the line of a ratio alone",
      given: {
        metric: { type: "ratio", sources: [1, 0] },
        stored: { value: 2, other: 3 },
        hits: [[hitAt(210)]],
      },
      is: unitValue({ value: 2, other: 4 }),
    },
    {
      name: "above the line of a ratio alone",
      given: {
        metric: { type: "ratio", sources: [1, 0] },
        stored: { value: 2, other: 3 },
        hits: [[], [hitAt(210)]],
      },
      is: unitValue({ value: 3, other: 3 }),
    },
    {
      name: "as it was with a ratio of which nothing is new",
      given: { metric: { type: "ratio", sources: [1, 0] }, stored: { value: 2 }, hits: [[hitAt(99)]] },
      is: "as it was",
    },
    {
      name: "to no ratio of averages",
      given: { plan: sourced("avg"), metric: { type: "ratio", sources: [0, 1] }, hits: [[], [hitAt(210)]] },
      is: RECOMPUTE,
    },
  ])("$name", ({ given, is }) => {
    expect(updated(given)).toEqual(is);
  });
});

describe("a funnel goes on", () => {
  const funnel: Partial<PlannedMetric> = { type: "funnel", sources: [0, 1] };
  const windows = { ...funnel, window: 150 };
  const exposures = [{ at: 210, variant: "test" }];

  it.each<{ name: string; given: Given; is: ReturnType<typeof updated> }>([
    {
      name: "from the step that was reached",
      given: { metric: funnel, stored: { other: 1 }, hits: [[], [hitAt(210)]] },
      is: unitValue({ value: 1, other: 2 }),
    },
    {
      name: "by one step of two",
      given: { metric: funnel, hits: [[hitAt(210)]] },
      is: unitValue({ other: 1 }),
    },
    {
      name: "by no step that was reached",
      given: { metric: funnel, stored: { other: 1 }, hits: [[hitAt(210)]] },
      is: "as it was",
    },
    {
      name: "as it was where all steps were reached, whatever comes late",
      given: { metric: funnel, stored: { value: 1, other: 2 }, hits: [[hitAt(150)]] },
      is: "as it was",
    },
    {
      name: "not by steps that come late",
      given: { metric: funnel, stored: { other: 1 }, hits: [[hitAt(199)]] },
      is: RECOMPUTE,
    },
    {
      name: "by a step at the moment until which it is known",
      given: { metric: funnel, stored: { other: 1 }, hits: [[], [hitAt(200)]] },
      is: unitValue({ value: 1, other: 2 }),
    },
    {
      name: "as it was with a step before the exposure",
      given: { metric: funnel, hits: [[hitAt(99)]] },
      is: "as it was",
    },
    {
      name: "not with a step before the exposure that may be an earlier value",
      given: { metric: { ...funnel, lookback: 50 }, hits: [[hitAt(99)]] },
      is: RECOMPUTE,
    },
    {
      name: "by a step at the exposure or later where there are earlier values",
      given: { metric: { ...funnel, lookback: 50 }, stored: { covariate: 1 }, hits: [[hitAt(200)]] },
      is: unitValue({ other: 1, covariate: 1 }),
    },
    {
      name: "not in any order",
      given: { metric: { ...funnel, ordered: false }, stored: { other: 1 }, hits: [[hitAt(210)]] },
      is: RECOMPUTE,
    },
    {
      name: "as it was without events of its steps",
      given: { metric: { ...funnel, ordered: false }, stored: { other: 1 }, hits: [[], [], [hitAt(210)]] },
      is: "as it was",
    },
    {
      name: "as it was with an exposure that opens no window",
      given: { metric: funnel, stored: { other: 1 }, exposures },
      is: "as it was",
    },
    {
      name: "with a mark where an exposure opens a second window",
      given: { metric: windows, stored: { other: 1 }, exposures },
      is: unitValue({ other: 1, mark: 1 }),
    },
    {
      name: "as it was where there were several windows before",
      given: { metric: windows, stored: { other: 1, mark: 1 }, exposures },
      is: "as it was",
    },
    {
      name: "with a mark where all steps were reached",
      given: { metric: windows, stored: { value: 1, other: 2 }, exposures },
      is: unitValue({ value: 1, other: 2, mark: 1 }),
    },
    {
      name: "not by steps in one of several windows",
      given: { metric: windows, stored: { other: 1, mark: 1 }, hits: [[], [hitAt(230)]] },
      is: RECOMPUTE,
    },
    {
      name: "not with a window that opens late",
      given: { metric: windows, stored: { other: 1 }, exposures: [{ at: 199, variant: "test" }] },
      is: RECOMPUTE,
    },
    {
      name: "by no step after its only window",
      given: { metric: windows, stored: { other: 1 }, hits: [[], [hitAt(250)]] },
      is: "as it was",
    },
    {
      name: "by a step at the end of its only window",
      given: { metric: windows, stored: { other: 1 }, hits: [[], [hitAt(249)]] },
      is: unitValue({ value: 1, other: 2 }),
    },
  ])("$name", ({ given, is }) => {
    expect(updated(given)).toEqual(is);
  });
});

describe("a return goes on", () => {
  const at = (minutes: number) => FIRST + minutes * MINUTE;
  const returning = (last: boolean, fields: Partial<PlannedMetric> = {}): Partial<PlannedMetric> => ({
    type: "retention",
    sources: [0, 1],
    retention: retention(last),
    ...fields,
  });
  const waiting = { other: 1, mark: at(1) };

  it.each<{ name: string; given: Given; is: ReturnType<typeof updated> }>([
    {
      name: "with a first start",
      given: { metric: returning(false), hits: [[hitAt(at(1))]] },
      is: unitValue({ other: 1, mark: at(1) }),
    },
    {
      name: "with a first start and a return from it",
      given: { metric: returning(false), hits: [[hitAt(at(1))], [hitAt(at(5))]] },
      is: unitValue({ value: 1, other: 1, mark: at(1) }),
    },
    {
      name: "from the first of two starts",
      given: { metric: returning(false), hits: [[hitAt(at(1)), hitAt(at(4))], [hitAt(at(6))]] },
      is: unitValue({ other: 1, mark: at(1) }),
    },
    {
      name: "from the last of two starts where that counts",
      given: { metric: returning(true), hits: [[hitAt(at(1)), hitAt(at(4))], [hitAt(at(6))]] },
      is: unitValue({ value: 1, other: 1, mark: at(4) }),
    },
    {
      name: "with a return from a start that is known",
      given: { metric: returning(false), stored: waiting, hits: [[], [hitAt(at(5))]] },
      is: unitValue({ ...waiting, value: 1 }),
    },
    {
      name: "as it was with a return that is too late",
      given: { metric: returning(false), stored: waiting, hits: [[], [hitAt(at(6))]] },
      is: "as it was",
    },
    {
      name: "as it was with another return",
      given: { metric: returning(false), stored: { ...waiting, value: 1 }, hits: [[], [hitAt(at(5))]] },
      is: "as it was",
    },
    {
      name: "as it was with a return of one who did not start",
      given: { metric: returning(false), hits: [[], [hitAt(at(5))]] },
      is: "as it was",
    },
    {
      name: "as it was with a second start, though a return may come with it",
      given: { metric: returning(false), stored: waiting, hits: [[hitAt(at(2))]] },
      is: "as it was",
    },
    {
      name: "with a return from the first start where a second one comes with it",
      given: { metric: returning(false), stored: waiting, hits: [[hitAt(at(2))], [hitAt(at(5))]] },
      is: unitValue({ ...waiting, value: 1 }),
    },
    {
      name: "from a newer start where the last one counts",
      given: { metric: returning(true), stored: { ...waiting, value: 1 }, hits: [[hitAt(at(2))]] },
      is: unitValue({ other: 1, mark: at(2) }),
    },
    {
      name: "as it was with an older start where the last one counts",
      given: { metric: returning(true), stored: waiting, hits: [[hitAt(at(0.5))]] },
      is: "as it was",
    },
    {
      name: "not with an older start where the first one counts",
      given: { metric: returning(false), stored: waiting, hits: [[hitAt(at(0.5))]] },
      is: RECOMPUTE,
    },
    {
      name: "not with a start at the same moment as the one that counts",
      given: { metric: returning(true), stored: waiting, hits: [[hitAt(at(1))]] },
      is: RECOMPUTE,
    },
    {
      name: "not with a start that comes late, whose return may be known",
      given: { metric: returning(false), hits: [[hitAt(SINCE - 1)]] },
      is: RECOMPUTE,
    },
    {
      name: "with a start at the moment until which it is known",
      given: { metric: returning(false), hits: [[hitAt(SINCE)]] },
      is: unitValue({ other: 1, mark: SINCE }),
    },
    {
      name: "not with starts whose order is not known",
      given: { metric: returning(false), hits: [[hitAt(at(1))], [hitAt(at(1))]] },
      is: RECOMPUTE,
    },
    {
      name: "as it was with a start before the exposure",
      given: { metric: returning(false), hits: [[hitAt(FIRST - 1)]] },
      is: "as it was",
    },
    {
      name: "with a return at the experiment's end, not after it",
      given: {
        metric: returning(false),
        plan: { end: at(3) },
        stored: waiting,
        hits: [[], [hitAt(at(3) + 1)]],
      },
      is: "as it was",
    },
    {
      name: "with a return after the experiment's end and within a window",
      given: {
        metric: returning(false, { window: MINUTE }),
        plan: { end: at(3) },
        stored: waiting,
        hits: [[], [hitAt(at(4))]],
      },
      is: unitValue({ ...waiting, value: 1 }),
    },
    {
      name: "as it was without a rule",
      given: { metric: returning(false, { retention: null }), stored: waiting, hits: [[], [hitAt(at(3))]] },
      is: "as it was",
    },
  ])("$name", ({ given, is }) => {
    expect(updated(given)).toEqual(is);
  });
});

describe("an exposure", () => {
  const shown = (at: number, variant: string) => [{ at, variant }];

  it.each<{ name: string; given: Given; is: ReturnType<typeof updated> }>([
    {
      name: "to the same variant changes nothing",
      given: { exposures: shown(210, "test") },
      is: "as it was",
    },
    { name: "before the first one is looked into", given: { exposures: shown(99, "test") }, is: RECOMPUTE },
    { name: "to another variant is looked into", given: { exposures: shown(210, "control") }, is: RECOMPUTE },
    {
      name: "to another variant changes nothing where the first one counts",
      given: { exposures: shown(210, "control"), plan: { handling: "first_seen" } },
      is: "as it was",
    },
    {
      name: "to another variant at the same moment as the first one is looked into",
      given: { exposures: shown(FIRST, "control"), plan: { handling: "first_seen" } },
      is: RECOMPUTE,
    },
    {
      name: "changes nothing for a unit with several variants",
      given: { exposures: shown(210, "control"), variant: MULTIPLE, hits: [[hitAt(220)]] },
      is: "as it was",
    },
    {
      name: "before the first one of a unit with several variants is looked into",
      given: { exposures: shown(99, "control"), variant: MULTIPLE },
      is: RECOMPUTE,
    },
  ])("$name", ({ given, is }) => {
    expect(updated(given)).toEqual(is);
  });
});

describe("several metrics", () => {
  const plan = planWith({
    sources: [plannedSource(), plannedSource({ math: "avg" })],
    metrics: [plannedMetric(), plannedMetric({ sources: [1] }), plannedMetric({ window: DAY_MS })],
  });
  const unit = { variant: "test", first_at: FIRST, values: [1, 2, 3].map((value) => unitValue({ value })) };

  it("go on each by itself, and what is stored stays as it is", () => {
    const before = structuredClone(unit);
    const values = createIncrement(plan)(
      unit,
      [hitAt(210)],
      { exposures: [], hits: [[hitAt(210)], []] },
      SINCE,
    );
    expect(values).toEqual([2, 2, 4].map((value) => unitValue({ value })));
    expect(unit).toEqual(before);
  });

  it("are looked into together where one of them has to be", () => {
    const hits = [[hitAt(210)], [numbered(211, 5)]];
    expect(createIncrement(plan)(unit, hits.flat(), { exposures: [], hits }, SINCE)).toBe(RECOMPUTE);
  });
});

it.each([
  [[], false],
  [[1], false],
  [[1, 2, 3], false],
  [[1, 1], true],
  [[1, 2, 2], true],
])("events at %j have an unknown order: %s", (moments, tied) => {
  expect(isTied(moments.map((at) => ({ at })))).toBe(tied);
});
