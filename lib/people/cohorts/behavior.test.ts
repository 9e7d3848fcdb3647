import { describe, expect, it } from "vitest";
import { behavioralIds, parseBehavior, withLists } from "./behavior.ts";

const performed = (given: object = {}) => ({
  type: "behavioral",
  key: "signed up",
  value: "performed_event",
  event_type: "events",
  ...given,
});
const person = { type: "person", key: "plan", operator: "exact", value: ["pro"] };
const inCohort = (value: unknown) => ({ type: "cohort", key: "id", operator: "in", value });
const and = (...values: unknown[]) => ({ type: "AND", values });

describe("a behavior", () => {
  const row = { key: "plan", type: "event", operator: "exact", value: "pro" };

  it.each<[string, object, object]>([
    ["an event by its name", {}, { event: "signed up" }],
    ["any event", { key: null }, { event: null }],
    [
      "an event since a moment",
      { explicit_datetime: "2026-03-02T00:00:00Z" },
      { since: new Date("2026-03-02T00:00:00Z") },
    ],
    ["an event at any time", { explicit_datetime: null }, { since: null }],
    ["an event with properties", { event_filters: [row] }, { rows: [row] }],
    [
      "an event with a property of a feature",
      { event_filters: [{ ...row, type: "feature" }] },
      { rows: [{ ...row, type: "feature" }] },
    ],
    [
      "an event with a property of no type",
      { event_filters: [{ key: "plan" }] },
      { rows: [{ key: "plan" }] },
    ],
    ["an event whose conditions are no list", { event_filters: "plan" }, { rows: [] }],
  ])("can be %s", (_, given, told) => {
    expect(parseBehavior(performed(given))).toEqual({ event: "signed up", since: null, rows: [], ...told });
  });

  it.each<[string, object]>([
    ["another behavior", { value: "performed_event_multiple" }],
    ["an action", { event_type: "actions" }],
    ["an event by number", { key: 7 }],
    ["no key", { key: undefined }],
    ["a moment that is none", { explicit_datetime: "soon" }],
    ["a property of persons", { event_filters: [row, { ...row, type: "person" }] }],
    ["a condition that is no object", { event_filters: [row, "plan"] }],
    ["a condition that is a list", { event_filters: [[]] }],
    ["a condition that is null", { event_filters: [null] }],
  ])("cannot be %s", (_, given) => {
    expect(parseBehavior(performed(given))).toBeNull();
  });
});

describe("cohorts that ask what people did", () => {
  const idsOf = (filters: Record<number, unknown>) =>
    [
      ...behavioralIds(new Map(Object.entries(filters).map(([id, tree]) => [Number(id), { filters: tree }]))),
    ].sort();
  const asking = { properties: and(performed()) };

  it.each<[string, Record<number, unknown>, number[]]>([
    ["none", {}, []],
    ["none of those by properties", { 1: { properties: and(person) }, 2: {}, 3: null, 4: [] }, []],
    ["the one that asks", { 1: asking, 2: { properties: and(person) } }, [1]],
    ["one without a group", { 1: { properties: performed() } }, [1]],
    [
      "one that asks deep inside",
      { 1: { properties: and(person, and(and(person), and(person, performed()))) } },
      [1],
    ],
    [
      "one that refers to it, by number or text",
      { 1: asking, 2: { properties: and(inCohort(1)) }, 3: { properties: and(inCohort("1")) } },
      [1, 2, 3],
    ],
    [
      "one that refers to it through others, whatever their order",
      { 1: { properties: and(inCohort(2)) }, 2: { properties: and(person, and(inCohort(3))) }, 3: asking },
      [1, 2, 3],
    ],
    [
      "none that refers to others",
      { 1: asking, 2: { properties: and(inCohort(3)) }, 3: { properties: and(person) } },
      [1],
    ],
    [
      "none whose property has the number of one as value",
      { 1: asking, 2: { properties: and({ ...person, value: 1 }) } },
      [1],
    ],
    [
      "those of a circle",
      { 1: { properties: and(inCohort(2)) }, 2: { properties: and(inCohort(1), performed()) } },
      [1, 2],
    ],
    ["none of what is no condition", { 1: { properties: and("behavioral", null, [performed()]) } }, []],
  ])("are %s", (_, filters, ids) => {
    expect(idsOf(filters)).toEqual(ids);
  });
});

describe("a tree with lists for behaviors", () => {
  const replaced = (node: unknown) => {
    const asked: unknown[] = [];
    const tree = withLists(node, (row) => -asked.push(row));
    return { tree, asked };
  };
  const list = (value: number, more: object = {}) => ({ ...inCohort(value), ...more });

  it("names a list in the place of each behavior", () => {
    const [first, second] = [performed(), performed({ key: "paid" })];
    expect(replaced(and(person, first, { type: "OR", values: [second, inCohort(4)] }))).toEqual({
      tree: and(person, list(-1), { type: "OR", values: [list(-2), inCohort(4)] }),
      asked: [first, second],
    });
  });

  it.each([
    [true, list(-1, { negation: true })],
    [false, list(-1)],
    [undefined, list(-1)],
    ["yes", list(-1)],
  ])("keeps a negation of %j as it counts", (negation, expected) => {
    expect(replaced(performed({ negation })).tree).toEqual(expected);
  });

  it.each([[null], ["text"], [person], [{}], [and("text", null)]])("leaves %j as it is", (node) => {
    expect(replaced(node)).toEqual({ tree: node, asked: [] });
  });
});
