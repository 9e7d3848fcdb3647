import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "#lib/platform/db/tables/events.ts";
import { cohort_people, feature_flag_hash_key_overrides } from "#lib/platform/db/tables/feature_flags.ts";
import { everyone, person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;
const cohorts = { dynamic: 0, static: 0 };
const PERSONS = ["ann", "bob", "cleo", "dan"];
const COMPANIES = ["acme", "zoo"];
const PATH = "/api/projects/1/feature_flags/evaluate/";

beforeAll(async () => {
  service = await startSdkService();
  const { db, api } = service;
  const plans = ["pro", "free", "pro", undefined];
  const ids = await Promise.all(
    PERSONS.map((id, i) =>
      service.storePerson([id], { ...(plans[i] && { plan: plans[i] }), age: 20 + 10 * i }),
    ),
  );
  await db.insert(groups).values(
    COMPANIES.map((group_key, i) => ({
      project_id: 1,
      group_type_index: 0,
      group_key,
      properties: { tier: ["gold", "basic"][i] },
    })),
  );
  const made = await api("POST", "/api/projects/1/cohorts/", {
    name: "Adults on pro",
    filters: { properties: { type: "AND", values: [person("plan", ["pro"]), person("age", 25, "gt")] } },
  });
  expect(made.status, made.text).toBe(201);
  cohorts.dynamic = made.json.id;
  const listed = await api("POST", "/api/projects/1/cohorts/", { name: "Named", is_static: true });
  expect(listed.status, listed.text).toBe(201);
  cohorts.static = listed.json.id;
  await db
    .insert(cohort_people)
    .values([ids[0], ids[1]].map((id) => ({ cohort_id: cohorts.static, person_id: id ?? 0 })));
  overridden = ids[2] ?? 0;
});
afterAll(() => service.close());

let overridden = 0;

const evaluate = (body: object) => service.api("POST", PATH, body);

async function answerTo(body: object) {
  const { status, json, text } = await evaluate(body);
  expect(status, text).toBe(200);
  return json;
}

/** What `POST /flags?v=2` says of a flag, in the words of the evaluation. */
async function served(key: string, call: object) {
  const { json } = await service.ask({ distinct_id: "somebody", ...call });
  const { enabled, variant, reason, metadata } = json.flags[key];
  const { code, condition_index } = reason;
  return { value: variant ?? enabled, code, condition_index, payload: metadata.payload };
}

// biome-ignore lint/suspicious/noExplicitAny: the answer as it came
const outcomeOf = ({ value, payload, reason }: any) => ({
  value,
  code: reason.code,
  condition_index: reason.condition_index,
  payload,
});

describe("the same answer as POST /flags", () => {
  const share = fc.constantFrom(0, 30, 50, 100, null);
  type Dependency = (earlier: readonly number[]) => object | null;
  const personRow = fc.constantFrom(
    person("plan", ["pro"]),
    person("plan", ["pro"], "is_not"),
    person("age", 30, "gt"),
    person("email", "is_set", "is_set"),
  );
  const groupRow = fc.constantFrom({
    key: "tier",
    type: "group",
    group_type_index: 0,
    operator: "exact",
    value: ["gold"],
  });
  const cohortRow = fc
    .tuple(fc.constantFrom("dynamic" as const, "static" as const), fc.constantFrom("in", "not_in"))
    .map(([kind, operator]) => () => ({ key: "id", type: "cohort", operator, value: cohorts[kind] }));
  const flagRow = fc.tuple(fc.nat(9), fc.constantFrom(true, false, "a")).map(
    ([which, value]): Dependency =>
      (earlier) => {
        const key = earlier[which % Math.max(earlier.length, 1)];
        return key === undefined
          ? null
          : { key: String(key), type: "flag", operator: "flag_evaluates_to", value };
      },
  );
  const flag = fc
    .record({
      byGroup: fc.boolean(),
      sets: fc.array(
        fc.record({
          own: fc.array(personRow, { maxLength: 2 }),
          company: fc.array(groupRow, { maxLength: 1 }),
          cohort: fc.option(cohortRow),
          dependency: fc.option(flagRow),
          share,
          forced: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      variants: fc.boolean(),
      payload: fc.boolean(),
      active: fc.constantFrom(true, true, true, false),
      continuous: fc.boolean(),
      holdout: fc.constantFrom(null, null, 40),
      early: fc.boolean(),
    })
    .map((spec) => (earlier: readonly number[]) => ({
      active: spec.active,
      ensure_experience_continuity: spec.continuous && !spec.byGroup,
      filters: {
        groups: spec.sets.map((set) => ({
          rollout_percentage: set.share,
          ...(set.forced && spec.variants && { variant: "a" }),
          properties: spec.byGroup
            ? set.company
            : [...set.own, ...[set.cohort?.(), set.dependency?.(earlier)].filter((row) => row != null)],
        })),
        ...(spec.byGroup && { aggregation_group_type_index: 0 }),
        ...(spec.variants && {
          multivariate: {
            variants: [
              { key: "a", rollout_percentage: 40 },
              { key: "b", rollout_percentage: 60 },
            ],
          },
        }),
        ...(spec.payload && { payloads: spec.variants ? { a: '"A"' } : { true: "[1]" } }),
        ...(spec.holdout !== null && { holdout: { id: 1, exclusion_percentage: spec.holdout } }),
        early_exit: spec.early,
      },
    }));
  const subject = fc.record({
    distinct_id: fc.constantFrom(...PERSONS, "nobody"),
    groups: fc.constantFrom({}, { company: "acme" }, { company: "zoo" }, { company: "unseen" }),
    person_properties: fc.constantFrom({}, { plan: "free" }, { email: "a@b.c", age: 90 }),
  });

  type Spec = (earlier: readonly number[]) => { ensure_experience_continuity: boolean };
  // biome-ignore lint/suspicious/noExplicitAny: a subject as the request names it
  type Who = any;
  let made = 0;

  async function store(specs: readonly Spec[]): Promise<{ id: number; key: string }[]> {
    const flags: { id: number; key: string }[] = [];
    for (const spec of specs) {
      made += 1;
      const key = `random-${made}`;
      const body = spec(flags.map(({ id }) => id));
      flags.push({ key, id: (await service.createFlag(key, body)).id });
      if (!body.ensure_experience_continuity) continue;
      const override = { person_id: overridden, feature_flag_key: key, hash_key: `anonymous-${made}` };
      await service.db.insert(feature_flag_hash_key_overrides).values({ project_id: 1, ...override });
    }
    return flags;
  }

  async function expectSame(flag: { id: number; key: string }, who: Who): Promise<void> {
    const answer = await answerTo({ id: flag.id, ...who });
    expect(outcomeOf(answer), JSON.stringify(who)).toEqual(await served(flag.key, who));
    const { code, set } = answer.reason;
    if (set !== null)
      expect(answer.sets[set - 1].result).toBe(answer.value === false ? "out_of_rollout" : "match");
    expect(answer.if_on === null).toBe(code !== "flag_disabled");
  }

  it("for stored flags, and for drafts once they are saved", { timeout: 240_000 }, async () => {
    const specs = fc.array(flag, { minLength: 1, maxLength: 5 });
    const subjects = fc.array(subject, { minLength: 3, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(specs, flag, subjects, async (before, later, people) => {
        const flags = await store(before);
        for (const flag of flags) for (const who of people) await expectSame(flag, who);
        const { id, key } = flags.at(-1) ?? { id: 0, key: "" };
        const draft = later(flags.slice(0, -1).map((flag) => flag.id));
        const tried = [];
        for (const who of people) tried.push(outcomeOf(await answerTo({ id, draft, ...who })));
        await service.changeFlag(key, draft);
        for (const [place, who] of people.entries()) expect(tried[place]).toEqual(await served(key, who));
        for (const each of flags.toReversed())
          await service.changeFlag(each.key, { active: false, deleted: true });
      }),
      { numRuns: 25 },
    );
  });
});

describe("why", () => {
  it("a described person: rows on cohorts and other flags are evaluated, and say what was found", async () => {
    const base = await service.createFlag("base", { filters: when(person("plan", ["pro"])) });
    const { id } = await service.createFlag("on-top", {
      filters: when(
        { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true },
        { key: "id", type: "cohort", operator: "in", value: cohorts.dynamic },
      ),
    });
    const described = { id, use_stored: false, distinct_id: "p16" };
    const young = await answerTo({ ...described, person_properties: { plan: "pro", age: 20 } });
    expect(young).toMatchObject({ value: false, reason: { code: "no_condition_match", set: null } });
    expect(young.sets).toMatchObject([
      {
        set: 1,
        result: "rows_failed",
        text: "does not match: row 2 fails",
        rows: [
          { result: "pass", why: 'Flag "base" is true.' },
          { result: "fail", why: `Not in cohort ${cohorts.dynamic}.` },
        ],
      },
    ]);
    expect(young.sets[0].rows[1].rows[0].rows).toMatchObject([
      { result: "pass" },
      { why: "age is 20.", result: "fail" },
    ]);
    const old = await answerTo({ ...described, person_properties: { plan: "pro", age: 40 } });
    expect(old).toMatchObject({ value: true, reason: { set: 1, text: "Set 1 matches this person." } });
  });

  it("a person outside the rollout: the rows match; the hash and the percentage are shown", async () => {
    const { id } = await service.createFlag("narrow", {
      filters: { groups: [{ properties: [person("plan", ["pro"])], rollout_percentage: 0.1 }] },
    });
    const answer = await answerTo({
      id,
      use_stored: false,
      distinct_id: "p16",
      person_properties: { plan: "pro" },
    });
    expect(answer.reason).toEqual({
      code: "out_of_rollout_bound",
      condition_index: 0,
      set: 1,
      text: "Every row of set 1 matches, but this person is outside its rollout.",
    });
    expect(answer.sets[0]).toMatchObject({
      result: "out_of_rollout",
      rows: [{ result: "pass" }],
      rollout: { percentage: 0.1, hash: expect.any(Number), within: false },
    });
    expect(answer.sets[0].text).toMatch(
      /^does not match: every row matches, but this person falls at [\d.]+%, outside the rollout of 0.1%$/,
    );
  });

  it("a flag that is off: what it would give if it were on, with rows that were really checked", async () => {
    const { id } = await service.createFlag("resting", {
      active: false,
      filters: when(person("plan", ["pro"])),
    });
    const answer = await answerTo({ id, distinct_id: "ann" });
    expect(answer).toMatchObject({ value: false, reason: { code: "flag_disabled" }, if_on: { value: true } });
    expect(answer.sets[0]).toMatchObject({
      result: "match",
      rows: [{ result: "pass", why: 'plan is "pro".' }],
    });
    expect((await answerTo({ id, distinct_id: "bob" })).if_on.reason.code).toBe("no_condition_match");
  });

  it("a group, stored or described", async () => {
    const filters = {
      aggregation_group_type_index: 0,
      groups: [
        {
          properties: [
            { key: "tier", type: "group", group_type_index: 0, operator: "exact", value: ["gold"] },
          ],
        },
      ],
    };
    const { id } = await service.createFlag("for-companies", { filters });
    const stored = await answerTo({ id, groups: { company: "acme" } });
    expect(stored).toMatchObject({
      value: true,
      reason: { text: "Set 1 matches this group." },
      bucketing: { by: "group", group_type: "company", id: "acme" },
      person: null,
      groups: [{ type: "company", key: "acme", is_stored: true }],
    });
    const described = { id, groups: { company: "new" }, group_properties: { company: { tier: "gold" } } };
    expect(await answerTo(described)).toMatchObject({ value: true, groups: [{ is_stored: false }] });
    expect(await answerTo({ id, distinct_id: "ann" })).toMatchObject({ reason: { code: "no_group_type" } });
  });

  it("a person by UUID, and a draft of a new flag", async () => {
    const found = await service.api("GET", "/api/projects/1/persons/?distinct_id=ann");
    const draft = { key: "not-there-yet", active: true, filters: when(person("plan", ["pro"])) };
    const answer = await answerTo({ draft, person_id: found.json.results[0].id });
    expect(answer).toMatchObject({
      value: true,
      is_draft: true,
      person: { distinct_id: "ann", is_stored: true },
    });
    expect((await service.api("GET", "/api/projects/1/feature_flags/?search=not-there-yet")).json.count).toBe(
      0,
    );
  });

  it("keeps encrypted payloads to itself", async () => {
    const { id } = await service.createFlag("secret", {
      has_encrypted_payloads: true,
      filters: { ...everyone, payloads: { true: '"s3cret"' } },
    });
    const filters = { ...everyone, payloads: { true: '"drafted"' } };
    for (const body of [{ id }, { id, draft: { filters } }, { id, draft: { active: true } }])
      expect((await answerTo({ ...body, distinct_id: "ann" })).payload).toMatch(/\*{3}/);
  });
});

describe("what cannot be evaluated", () => {
  const draft = { filters: everyone };
  it.each([
    ["neither a flag nor a draft", { distinct_id: "a" }, 400, "id"],
    ["nobody", { draft }, 400, "distinct_id"],
    ["an unknown flag", { id: 999_999, distinct_id: "a" }, 404, null],
    ["an id beyond any", { id: 2 ** 40, distinct_id: "a" }, 400, "id"],
    ["an unknown person", { draft, person_id: "01890a5d-ac96-774b-bcce-b302099a8057" }, 404, null],
    ["an id that is not this person's", { draft, person_id: "ANN", distinct_id: "bob" }, 400, "distinct_id"],
    ["an unknown group type", { draft, distinct_id: "a", groups: { planet: "x" } }, 400, "groups"],
    [
      "filters that a save would refuse",
      { draft: { filters: { groups: [{ rollout_percentage: 101 }] } }, distinct_id: "a" },
      400,
      "filters",
    ],
    [
      "a key that a save would refuse",
      { draft: { ...draft, key: "no spaces" }, distinct_id: "a" },
      400,
      "draft__key",
    ],
    ["the key of another flag", { draft: { ...draft, key: "base" }, distinct_id: "a" }, 400, "key"],
    [
      "properties that are no object",
      { draft, distinct_id: "a", person_properties: [] },
      400,
      "person_properties",
    ],
    ["no body", [], 400, null],
  ])("%s", async (_, body, status, attr) => {
    const ann = (await service.api("GET", "/api/projects/1/persons/?distinct_id=ann")).json.results[0].id;
    const reply = await service.api(
      "POST",
      PATH,
      JSON.stringify(body).replace('"ANN"', JSON.stringify(ann)),
      {
        headers: { "content-type": "application/json" },
      },
    );
    expect([reply.status, reply.json.attr], reply.text).toEqual([status, attr]);
  });

  it("a deleted flag, though its draft is", async () => {
    const { id } = await service.createFlag("over");
    await service.changeFlag("over", { deleted: true });
    expect((await evaluate({ id, distinct_id: "a" })).status).toBe(400);
    expect(await answerTo({ id, draft, distinct_id: "a" })).toMatchObject({ value: true });
  });

  it("without the scope", async () => {
    const made = await service.api("POST", "/api/personal_api_keys/", {
      label: "surveys",
      scopes: ["survey:read"],
    });
    const reply = await service.api("POST", PATH, { draft, distinct_id: "a" }, { key: made.json.value });
    expect(reply.status).toBe(403);
  });
});
