import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { property_definitions } from "#lib/platform/db/tables/events.ts";
import { person, type SdkService, startSdkService } from "#testing/sdk.ts";

let service: SdkService;
const known = {
  ...{ project_id: 1, type: "person", group_type_index: -1, property_type: "String" },
  last_seen_at: new Date(),
};
const PROVE = "/api/projects/1/feature_flags/prove/";
const EVALUATE = "/api/projects/1/feature_flags/evaluate/";

beforeAll(async () => {
  service = await startSdkService();
  await service.db
    .insert(property_definitions)
    .values(["plan", "age"].map((name) => ({ ...known, name, count: 1 })));
});
afterAll(() => service.close());

const prove = (body: unknown) => service.api("POST", PROVE, body as object);

async function proofOf(body: object) {
  const { status, json, text } = await prove(body);
  expect(status, text).toBe(200);
  return json;
}

const pro = person("plan", ["pro"]);
const set = (properties: object[], rollout_percentage = 100) => ({ properties, rollout_percentage });

type Witness = { distinct_id: string; person_properties: object; groups: object; group_properties: object };

/** Evaluates a draft for a made-up person, as the dashboard's tester does. */
async function evaluated(filters: object, witness: Witness) {
  const { distinct_id, person_properties, groups, group_properties } = witness;
  const who = { distinct_id, person_properties, groups, group_properties, use_stored: false };
  const { status, json, text } = await service.api("POST", EVALUATE, { draft: { filters }, ...who });
  expect(status, text).toBe(200);
  return json;
}

it("proves what a draft does, with people for whom the evaluation says so", async () => {
  const filters = {
    groups: [
      set([person("plan", "", "is_set")]),
      set([pro]),
      set([person("age", 30, "gt"), person("age", "5", "lt")]),
    ],
  };
  const { findings, sets } = await proofOf({ draft: { filters } });
  expect(findings).toMatchObject([
    { code: "shadowed", set: 2, row: null, witness: { decided_by: 1 } },
    { code: "never_matches", set: 3, row: 2, witness: { failing_row: 2 } },
  ]);
  expect(sets).toMatchObject([
    { set: 1, reachable: true, note: null },
    { set: 2, reachable: false, witness: null },
    { set: 3, reachable: false, witness: null },
  ]);
  const first = await evaluated(filters, sets[0].witness);
  expect(first).toMatchObject({ value: true, reason: { set: 1 } });
  const shown = await evaluated(filters, findings[0].witness);
  expect(shown).toMatchObject({ reason: { set: 1 }, sets: [{}, { result: "skipped" }, {}] });
  const near = await evaluated(filters, findings[1].witness);
  expect(near.sets[2].rows.map(({ result }: { result: string }) => result)).toEqual(["pass", "fail"]);
});

it("finds a stored flag's unknown properties, equal flags and flags that are off", async () => {
  const filters = { groups: [set([pro, person("shoe_size", "43")])] };
  const made = [];
  for (const key of ["first", "second"]) {
    const { json, status, text } = await service.api("POST", "/api/projects/1/feature_flags/", {
      key,
      active: true,
      filters,
    });
    expect(status, text).toBe(201);
    made.push(json.id);
  }
  expect((await proofOf({ id: made[0] })).findings).toMatchObject([
    { code: "unknown_property", set: 1, row: 2, message: 'No stored person has the property "shoe_size".' },
    {
      code: "same_flag",
      set: null,
      message: 'The flag "second" has the same value for everybody.',
      witness: null,
    },
  ]);
  await service.api("PATCH", `/api/projects/1/feature_flags/${made[1]}/`, { active: false });
  expect((await proofOf({ id: made[0] })).findings).toMatchObject([{ code: "unknown_property" }]);
  const needs = { key: String(made[1]), type: "flag", operator: "flag_evaluates_to", value: true };
  const { findings, sets } = await proofOf({ draft: { filters: { groups: [set([needs])] } } });
  expect(findings).toMatchObject([{ code: "impossible_value", set: 1, row: 1 }]);
  expect(sets).toMatchObject([{ reachable: false }]);
});

describe("bad input is refused with its place", () => {
  it.each<[string, unknown, number, object]>([
    ["nothing", {}, 400, { code: "required", attr: "id" }],
    ["an unknown flag", { id: 987_654 }, 404, {}],
    ["an id of another type", { id: "7" }, 400, { attr: "id" }],
    ["no object", [], 400, {}],
    ["sets that are no list", { draft: { filters: { groups: {} } } }, 400, {}],
    ["an unfinished row", { draft: { filters: { groups: [set([{ key: "" }])] } } }, 400, { attr: "filters" }],
    [
      "an unknown cohort",
      { draft: { filters: { groups: [set([{ key: "id", type: "cohort", value: 99, operator: "in" }])] } } },
      400,
      {},
    ],
    ["a percentage out of range", { draft: { filters: { groups: [set([pro], 120)] } } }, 400, {}],
  ])("%s", async (_, body, status, error) => {
    const answer = await prove(body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json).toMatchObject(error);
  });

  it.each([
    ["patterns that repeat repetitions", [person("plan", "((((a{9}){9}){9}){9}){9}", "regex")]],
    [
      "a long list",
      [
        person(
          "plan",
          Array.from({ length: 3_000 }, (_, i) => `v${i}`),
        ),
      ],
    ],
    ["a name that cannot be stored", [person("a\u0000b", "x")]],
    ["names every object has", [person("__proto__", "x"), person("constructor", "x")]],
  ])("%s gives no 500", async (_, properties) => {
    const { status, text } = await prove({ draft: { filters: { groups: [set(properties)] } } });
    expect([200, 400], text).toContain(status);
  });
});
