import { describe, expect, it } from "vitest";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { plannedMetric, plannedSource, planWith } from "#testing/experiment-plans.ts";
import { createReader, type UnitEvent } from "./reader.ts";
import { buildScope, countsCalls, createGrouper, pickMetrics } from "./scope.ts";
import { parseSnapshot } from "./snapshot.ts";

const CALLED = "$feature_flag_called";
const asking = planWith({ start: 100, end: 200 });
/** Exposure by an event of its own. */
const visiting = planWith({
  exposure: {
    event: "visited",
    flag: null,
    property: "$feature/checkout",
    filtered: ["page"],
    matches: ([page], at) => page === "/prices" && at !== 150,
  },
});

type Given = Partial<UnitEvent> & { properties?: Record<string, unknown> };

/** What a plan makes of events with properties. */
function read(plan: Plan, events: Given[]) {
  const reader = createReader(plan);
  return reader.read(
    events.map(({ at = 150, event = CALLED, person = "person", properties = {} }) => ({
      at,
      event,
      person,
      values: reader.columns.map((name) => properties[name]),
    })),
  );
}

describe("who is exposed", () => {
  const called = (at: number, variant: unknown, flag: unknown = "checkout"): Given => ({
    at,
    properties: { $feature_flag: flag, $feature_flag_response: variant },
  });

  it.each([
    { name: "from the start on", event: called(100, "test"), counts: true },
    { name: "not before it", event: called(99, "test"), counts: false },
    { name: "up to the end", event: called(200, "test"), counts: true },
    { name: "not after it", event: called(201, "test"), counts: false },
    { name: "by a variant of the experiment", event: called(150, "control"), counts: true },
    { name: "by no other variant", event: called(150, "gone"), counts: false },
    { name: "by nothing but text", event: called(150, true), counts: false },
    { name: "by no other flag", event: called(150, "test", "other"), counts: false },
    { name: "by no other event", event: { ...called(150, "test"), event: "order" }, counts: false },
  ])("counts $name", ({ event, counts }) => {
    const { exposures } = read(asking, [event]);
    expect(exposures).toHaveLength(counts ? 1 : 0);
    if (counts) expect(exposures[0]?.at).toBe(event.at);
  });

  it("counts by an event of one's own, with its conditions", () => {
    const visited = (at: number, page: string, variant = "test"): Given => ({
      at,
      event: "visited",
      properties: { page, "$feature/checkout": variant },
    });
    const { exposures } = read(visiting, [
      visited(5, "/prices"),
      visited(6, "/about"),
      visited(150, "/prices"),
      visited(1e15, "/prices", "control"),
      { ...visited(7, "/prices"), event: CALLED },
    ]);
    expect(exposures).toEqual([
      { at: 5, variant: "test" },
      { at: 1e15, variant: "control" },
    ]);
  });

  it("counts everybody for the first variant where no property tells", () => {
    const plan = planWith({ exposure: { ...visiting.exposure, property: null, matches: () => true } });
    expect(read(plan, [{ event: "visited" }]).exposures).toEqual([{ at: 150, variant: "control" }]);
    expect(read({ ...plan, variants: [] }, [{ event: "visited" }]).exposures).toEqual([]);
  });
});

describe("hits of a source", () => {
  const hitsOf = (source: Parameters<typeof plannedSource>[0], events: Given[]) =>
    read(
      planWith({ sources: [plannedSource(source)] }),
      events.map((event) => ({ event: "order", ...event })),
    ).hits[0];

  it("have their time and place among all events", () => {
    expect(hitsOf({}, [{ event: "other" }, { at: 7 }, { event: "other" }, { at: 8 }])).toEqual([
      { at: 7, position: 1, value: null, key: null },
      { at: 8, position: 3, value: null, key: null },
    ]);
  });

  it.each([
    { name: "a number", source: { math: "sum", property: "amount" }, given: 2.5, value: 2.5, key: null },
    {
      name: "a text as number",
      source: { math: "sum", property: "amount" },
      given: "7",
      value: 7,
      key: null,
    },
    { name: "no number", source: { math: "sum", property: "amount" }, given: "?", value: null, key: null },
    {
      name: "a session",
      source: { math: "unique_session", property: "amount" },
      given: "a",
      value: null,
      key: "a",
    },
    {
      name: "a number as key",
      source: { math: "unique_session", property: "amount" },
      given: 5,
      value: null,
      key: "5",
    },
    {
      name: "no empty key",
      source: { math: "unique_session", property: "amount" },
      given: "",
      value: null,
      key: null,
    },
    {
      name: "no key but text",
      source: { math: "unique_session", property: "amount" },
      given: true,
      value: null,
      key: null,
    },
  ] as const)("have $name", ({ source, given, value, key }) => {
    expect(hitsOf(source, [{ properties: { amount: given, other: 9 } }])).toMatchObject([{ value, key }]);
  });

  it.each([
    [{ company: "acme" }, "acme"],
    [{ company: 5 }, "5"],
    [{ company: "" }, null],
    [{ team: "x" }, null],
    [null, null],
    ["acme", null],
    [undefined, null],
  ])("have the group of %j", ($groups, key) => {
    const source = { math: "unique_group", group_type: "company" } as const;
    expect(hitsOf(source, [{ properties: { $groups } }])).toMatchObject([{ key, value: null }]);
  });

  it("have no group by a name that every object has", () => {
    const source = { math: "unique_group", group_type: "constructor" } as const;
    expect(hitsOf(source, [{ properties: { $groups: {} } }])).toMatchObject([{ key: null }]);
  });

  it("have their person where persons are counted", () => {
    expect(hitsOf({ math: "dau" }, [{ person: "p-1" }, { person: null }])).toMatchObject([
      { key: "p-1", value: null },
      { key: null, value: null },
    ]);
  });

  it("are those that fulfil its conditions", () => {
    const source = {
      filtered: ["plan", "seats"],
      matches: ([plan, seats]: readonly unknown[], at: number) => plan === "pro" && seats === 3 && at > 5,
    };
    const properties = { plan: "pro", seats: 3 };
    const found = hitsOf(source, [
      { at: 6, properties },
      { at: 5, properties },
      { at: 7, properties: { ...properties, seats: 4 } },
    ]);
    expect(found?.map(({ at }) => at)).toEqual([6]);
  });

  it("may be of any event, and of several sources", () => {
    const plan = planWith({
      sources: [plannedSource(), plannedSource({ event: null }), plannedSource({ event: "view" })],
    });
    const { hits } = read(plan, [
      { event: "order", at: 1 },
      { event: "view", at: 2 },
      { event: "x", at: 3 },
    ]);
    expect(hits.map((list) => list.map(({ at }) => at))).toEqual([[1], [1, 2, 3], [2]]);
  });
});

describe("what a plan reads", () => {
  const of = (plan: Plan) => {
    const { names, columns, carriers } = createReader(plan);
    return { names, columns, carriers };
  };
  const flagColumns = ["$feature_flag", "$feature_flag_response"];

  it.each([
    {
      name: "is the flag's calls and its sources' events",
      plan: planWith({ sources: [plannedSource(), plannedSource({ event: "view" })] }),
      is: { names: [CALLED, "order", "view"], columns: flagColumns, carriers: [CALLED] },
    },
    {
      name: "is all events where a source counts all",
      plan: planWith({ sources: [plannedSource({ event: null })] }),
      is: { names: null, columns: flagColumns, carriers: [CALLED] },
    },
    {
      name: "are properties of all events where a source asks all for one",
      plan: planWith({ sources: [plannedSource({ event: null, math: "sum", property: "amount" })] }),
      is: { names: null, columns: [...flagColumns, "amount"], carriers: null },
    },
    {
      name: "are properties that sources take or ask for, each once",
      plan: planWith({
        sources: [
          plannedSource({ math: "sum", property: "amount" }),
          plannedSource({ event: "view", filtered: ["amount", "plan"] }),
          plannedSource({ event: "join", math: "unique_group", group_type: "company" }),
          plannedSource({ event: "leave", math: "dau" }),
        ],
      }),
      is: {
        names: [CALLED, "order", "view", "join", "leave"],
        columns: [...flagColumns, "amount", "plan", "$groups"],
        carriers: [CALLED, "order", "view", "join"],
      },
    },
    {
      name: "is the event that exposes, with its conditions",
      plan: visiting,
      is: { names: ["visited"], columns: ["page", "$feature/checkout"], carriers: ["visited"] },
    },
  ])("$name", ({ plan, is }) => {
    const found = of(plan);
    expect({ ...found, columns: found.columns.toSorted() }).toEqual({
      ...is,
      columns: is.columns.toSorted(),
    });
  });
});

describe("the events that a plan needs", () => {
  it.each([
    { sources: [plannedSource()], counts: false },
    { sources: [], counts: false },
    { sources: [plannedSource({ event: CALLED })], counts: true },
    { sources: [plannedSource(), plannedSource({ event: null })], counts: true },
  ])("are calls of all flags where a metric counts them: $counts", ({ sources, counts }) => {
    const plan = planWith({ sources });
    expect(countsCalls(plan)).toBe(counts);
    expect(buildScope(plan, createReader(plan), 7, 900)).toMatchObject({
      project_id: 7,
      own_calls_only: !counts,
      to: 900,
    });
  });

  it("begin before the start where a metric looks back", () => {
    const plan = planWith({
      start: 500,
      group_type: "company",
      sources: [plannedSource()],
      metrics: [plannedMetric({ lookback: 60 })],
    });
    expect(buildScope(plan, createReader(plan), 7, 900)).toMatchObject({
      from: 440,
      group_type: "company",
      exposure: { event: CALLED, flag: "checkout" },
      names: [CALLED, "order"],
    });
  });
});

it("a part of a plan has the sources of its metrics, each once", () => {
  const sources = ["a", "b", "c", "d"].map((event) => plannedSource({ event }));
  const plan = planWith({
    sources,
    metrics: [
      plannedMetric({ sources: [0] }),
      plannedMetric({ type: "ratio", sources: [3, 1] }),
      plannedMetric({ type: "funnel", sources: [1, 2, 1] }),
    ],
  });
  const part = pickMetrics(plan, plan.metrics.slice(1).reverse());
  expect(part.sources.map(({ event }) => event)).toEqual(["b", "c", "d"]);
  expect(part.metrics.map((metric) => [metric.type, metric.sources])).toEqual([
    ["funnel", [0, 1, 0]],
    ["ratio", [2, 0]],
  ]);
  expect(part).toMatchObject({ variants: plan.variants, exposure: { event: CALLED } });
  expect(plan.metrics[2]?.sources).toEqual([1, 2, 1]);
});

describe("rows of units", () => {
  const row = (unit: string, at: number, fields: Record<string, unknown> = {}) => ({
    unit,
    at,
    event: "order",
    props: null,
    ...fields,
  });
  function grouped(...pages: ReturnType<typeof row>[][]) {
    const found: [string, UnitEvent[]][] = [];
    const grouper = createGrouper((unit, events) => found.push([unit, events]));
    for (const page of pages) grouper.push(page);
    grouper.end();
    return found;
  }

  it("are put together, wherever pages end", () => {
    const found = grouped([row("a", 1), row("a", 2)], [], [row("a", 3), row("b", 4)], [row("c", 5)]);
    expect(found.map(([unit, events]) => [unit, events.map(({ at }) => at)])).toEqual([
      ["a", [1, 2, 3]],
      ["b", [4]],
      ["c", [5]],
    ]);
  });

  it("are none without any", () => {
    expect(grouped([])).toEqual([]);
  });

  it("read as events: JSON null is an absent property, and a person's own events are theirs", () => {
    const [[, events] = ["", []]] = grouped([
      row("a", 1.4, { props: '["x",null,0]' }),
      row("a", 2, { person: "p" }),
      row("a", 3, { person: null }),
    ]);
    expect(events).toEqual([
      { at: 1, event: "order", person: "a", values: ["x", undefined, 0] },
      { at: 2, event: "order", person: "p", values: [] },
      { at: 3, event: "order", person: null, values: [] },
    ]);
  });
});

describe("a snapshot", () => {
  it.each([
    { text: "10:20:12,15", sees: [1, 9, 10, 11, 13, 14, 16, 19], misses: [12, 15, 20, 21] },
    { text: "10:10:", sees: [9], misses: [10, 11] },
    { text: "10:12:", sees: [9, 10, 11], misses: [12] },
    { text: "0:5:0", sees: [1, 4], misses: [0, 5] },
    { text: "", sees: [], misses: [0, 1] },
  ])("$text sees what had ended before it", ({ text, sees, misses }) => {
    const { has, from } = parseSnapshot(text);
    expect(sees.filter((transaction) => !has(transaction))).toEqual([]);
    expect(misses.filter((transaction) => has(transaction))).toEqual([]);
    expect(from).toBe(text.split(":")[0]);
  });
});
