import { describe, expect, it } from "vitest";
import type { ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { personConditions } from "./filter.ts";

type Cohort = ProjectCohorts["byId"] extends ReadonlyMap<number, infer Row> ? Row : never;

const NOW = Date.parse("2026-03-10T12:00:00Z");
const tree = (...values: unknown[]) => ({ properties: { type: "AND", values } });

const cohort = (id: number, given: Partial<Cohort>): Cohort => ({
  id,
  project_id: 1,
  name: `cohort ${id}`,
  description: "",
  filters: {},
  is_static: false,
  deleted: false,
  count: null,
  is_calculating: false,
  errors_calculating: 0,
  created_by_id: null,
  created_at: new Date(NOW),
  last_calculation: null,
  ...given,
});

const cohorts: ProjectCohorts = {
  revision: 1,
  byId: new Map([
    [1, cohort(1, { is_static: true })],
    [2, cohort(2, { filters: tree({ key: "plan", type: "person", operator: "exact", value: ["pro"] }) })],
    [3, cohort(3, { filters: tree({ key: "id", type: "cohort", operator: "in", value: 1 }) })],
  ]),
};

const conditionsOf = (...rows: unknown[]) => {
  const found = personConditions(JSON.stringify(rows), cohorts, NOW);
  if (!found) throw new Error("There are no conditions.");
  return found;
};
const person = (properties: Record<string, unknown> = {}, lists: number[] = [], distinct_id = "p") => ({
  distinct_id,
  properties,
  static_cohorts: new Set(lists),
});
const problemOf = (json: string): unknown => {
  try {
    return personConditions(json, cohorts, NOW);
  } catch (error) {
    return error;
  }
};

describe("conditions on persons", () => {
  it("are none for an empty list", () => {
    expect(personConditions("[]", cohorts, NOW)).toBeNull();
  });

  it.each<[string, unknown[], Parameters<typeof person>, Parameters<typeof person>]>([
    [
      "exact where no operator is named",
      [{ key: "plan", value: "pro" }],
      [{ plan: "Pro" }],
      [{ plan: "prof" }],
    ],
    [
      "exact where it is null",
      [{ key: "plan", value: ["a", "b"], operator: null }],
      [{ plan: "b" }],
      [{ plan: "c" }],
    ],
    ["is_not", [{ key: "plan", value: "pro", operator: "is_not" }], [{}], [{ plan: "pro" }]],
    ["is_set without a value", [{ key: "plan", operator: "is_set" }], [{ plan: "" }], [{}]],
    [
      "is_not_set with a null value",
      [{ key: "plan", operator: "is_not_set", value: null }],
      [{}],
      [{ plan: 1 }],
    ],
    ["gt", [{ key: "age", value: "30", operator: "gt" }], [{ age: 31 }], [{ age: 30 }]],
    [
      "regex",
      [{ key: "email", value: "@acme\\.", operator: "regex" }],
      [{ email: "a@acme.eu" }],
      [{ email: "acme" }],
    ],
    [
      "a span that counts back from now",
      [{ key: "joined", value: "-7d", operator: "is_date_after" }],
      [{ joined: "2026-03-04" }],
      [{ joined: "2026-03-03" }],
    ],
    ["false as a value", [{ key: "beta", value: false }], [{ beta: false }], [{ beta: true }]],
    ["the distinct id", [{ key: "distinct_id", value: "zoe" }], [{}, [], "zoe"], [{}, [], "bob"]],
    ["the type named", [{ key: "plan", type: "person", value: "pro" }], [{ plan: "pro" }], [{}]],
    [
      "all of several rows",
      [
        { key: "plan", value: "pro" },
        { key: "age", value: 30, operator: "gte" },
      ],
      [{ plan: "pro", age: 30 }],
      [{ plan: "free", age: 30 }],
    ],
    ["in a static cohort", [{ type: "cohort", value: 1 }], [{}, [1]], [{}, [2]]],
    [
      "in a static cohort whose number is a text",
      [{ type: "cohort", value: "1", operator: "in" }],
      [{}, [1]],
      [{}],
    ],
    ["not in a static cohort", [{ type: "cohort", value: 1, operator: "not_in" }], [{}], [{}, [1]]],
    ["in a cohort by properties", [{ type: "cohort", value: 2 }], [{ plan: "pro" }], [{ plan: "free" }, [2]]],
    [
      "not in a cohort by properties",
      [{ type: "cohort", value: 2, operator: "not_in" }],
      [{}],
      [{ plan: "pro" }],
    ],
    ["in a cohort within a cohort", [{ type: "cohort", value: 3 }], [{}, [1]], [{}]],
  ])("can ask for %s", (_, rows, inside, outside) => {
    const { matches } = conditionsOf(...rows);
    expect(matches(person(...inside))).toBe(true);
    expect(matches(person(...outside))).toBe(false);
  });

  it("name the properties and static cohorts that they look at, through other cohorts too", () => {
    expect(conditionsOf({ key: "plan", value: "pro" }, { key: "age", operator: "is_set" })).toMatchObject({
      properties: expect.arrayContaining(["plan", "age"]),
      static_cohort_ids: [],
    });
    expect(conditionsOf({ type: "cohort", value: 2 })).toMatchObject({
      properties: ["plan"],
      static_cohort_ids: [],
    });
    expect(conditionsOf({ type: "cohort", value: 3 })).toMatchObject({
      properties: [],
      static_cohort_ids: [1],
    });
  });

  it("can be a hundred", () => {
    const rows = (count: number) => JSON.stringify(Array(count).fill({ key: "plan", operator: "is_set" }));
    expect(problemOf(rows(100))).toHaveProperty("matches");
    expect(problemOf(rows(101))).toMatchObject({ status: 400, attr: "properties" });
  });

  it.each([
    ["no JSON", "[", "properties", "must be JSON"],
    ["an object", "{}", "properties", "must be a list"],
    ["a text", '"plan"', "properties", "must be a list"],
    ["null", "null", "properties", "must be a list"],
    ["a list as row", "[[]]", "properties__0", "must be an object"],
    ["null as row", '[{"key": "a", "value": 1}, null]', "properties__1", "must be an object"],
    ["an empty key", '[{"key": "", "value": 1}]', "properties__0__key", "must have a key"],
    ["a number as key", '[{"key": 7, "value": 1}]', "properties__0__key", "must have a key"],
    [
      "a number as operator",
      '[{"key": "a", "operator": 1, "value": 1}]',
      "properties__0__operator",
      "operator: 1.",
    ],
    [
      "an operator of cohorts",
      '[{"key": "a", "operator": "in", "value": 1}]',
      "properties__0__operator",
      "operator: in.",
    ],
    ["a null value", '[{"key": "a", "value": null}]', "properties__0__value", "must have a value"],
    [
      "no value, for is_not",
      '[{"key": "a", "operator": "is_not"}]',
      "properties__0__value",
      "must have a value",
    ],
    [
      "a broken pattern after a good row",
      '[{"key": "a", "value": 1}, {"key": "a", "operator": "not_regex", "value": "("}]',
      "properties__1__value",
      "",
    ],
    ["no date", '[{"key": "a", "operator": "is_date_before", "value": "soon"}]', "properties__0__value", ""],
    ["no version", '[{"key": "a", "operator": "semver_gt", "value": "x"}]', "properties__0__value", ""],
    [
      "behaviour",
      '[{"key": "a", "type": "behavioral", "value": 1}]',
      "properties__0__type",
      "person or cohort",
    ],
    [
      "an unknown cohort",
      '[{"type": "cohort", "value": 4711}]',
      "properties__0__value",
      "id 4711 does not exist",
    ],
    [
      "a cohort by name",
      '[{"type": "cohort", "value": "beta"}]',
      "properties__0__value",
      "id beta does not exist",
    ],
    ["no cohort", '[{"type": "cohort"}]', "properties__0__value", "id undefined does not exist"],
  ])("are refused with %s", (_, json, attr, detail) => {
    expect(problemOf(json)).toMatchObject({ status: 400, attr, message: expect.stringContaining(detail) });
  });

  it.each([
    ["operator", [{ key: "a", operator: "o".repeat(61), value: 1 }], "o"],
    ["cohort", [{ type: "cohort", value: "c".repeat(61) }], "c"],
  ])("say the first 60 letters of an %s that is unknown", (_, rows, letter) => {
    const { message } = problemOf(JSON.stringify(rows)) as Error;
    expect(message).toMatch(new RegExp(`\\b${letter}{60}\\b`));
  });
});
