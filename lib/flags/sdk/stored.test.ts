import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluateFor } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { groups } from "#lib/platform/db/tables/events.ts";
import { cohort_people, cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;

beforeAll(async () => {
  service = await startSdkService();
});
afterAll(() => service.close());

describe("what is stored", () => {
  let cohortId = 0;
  const vip = () => ({ type: "cohort", key: "id", value: cohortId, operator: "in" });

  beforeAll(async () => {
    const stored = await service.storePerson(["ada"], { country: "NL", plan: "free" });
    const [cohort] = await service.db
      .insert(cohorts)
      .values({ project_id: 1, name: "VIP", filters: {}, is_static: true })
      .returning();
    cohortId = cohort?.id ?? 0;
    await service.db.insert(cohort_people).values({ cohort_id: cohortId, person_id: stored });
    const tree = {
      properties: { type: "OR", values: [{ type: "AND", values: [person("country", ["NL"])] }] },
    };
    const [dutch] = await service.db
      .insert(cohorts)
      .values({ project_id: 1, name: "Dutch", filters: tree })
      .returning();
    service.runtime.cohorts.changed(1);
    await service.db.insert(groups).values({
      project_id: 1,
      group_type_index: 0,
      group_key: "acme",
      properties: { size: "big" },
    });
    await service.createFlag("from-nl", { filters: when(person("country", ["NL"])) });
    await service.createFlag("vip", { filters: when(vip()) });
    await service.createFlag("dutch", {
      filters: when({ type: "cohort", key: "id", value: dutch?.id, operator: "in" }),
    });
    const size = { key: "size", value: "big", operator: "exact", type: "group", group_type_index: 0 };
    await service.createFlag("big-company", {
      filters: { aggregation_group_type_index: 0, groups: [{ properties: [size], rollout_percentage: 100 }] },
    });
    const follows = {
      key: String(service.ids.vip),
      type: "flag",
      value: true,
      operator: "flag_evaluates_to",
    };
    await service.createFlag("follows-vip", { filters: when(follows) });
  });

  it.each([
    { who: { distinct_id: "ada" }, gets: { "from-nl": true, vip: true, dutch: true, "follows-vip": true } },
    {
      who: { distinct_id: "eve" },
      gets: { "from-nl": false, vip: false, dutch: false, "follows-vip": false },
    },
    // The request's own properties win over stored ones.
    {
      who: { distinct_id: "ada", person_properties: { country: "BE" } },
      gets: { "from-nl": false, dutch: false },
    },
    {
      who: { distinct_id: "eve", person_properties: { country: "NL" } },
      gets: { "from-nl": true, dutch: true },
    },
    { who: { distinct_id: "eve", groups: { company: "acme" } }, gets: { "big-company": true } },
    { who: { distinct_id: "eve", groups: { company: "tiny" } }, gets: { "big-company": false } },
    { who: { distinct_id: "eve", groups: { team: "acme" } }, gets: { "big-company": false } },
    {
      who: {
        distinct_id: "eve",
        groups: { company: "acme" },
        group_properties: { company: { size: "small" } },
      },
      gets: { "big-company": false },
    },
    {
      who: { distinct_id: "eve", groups: { company: "new" }, group_properties: { company: { size: "big" } } },
      gets: { "big-company": true },
    },
  ])("of $who counts", async ({ who, gets }) => {
    expect(await service.valuesFor(who)).toMatchObject(gets);
  });

  it("says that the group is missing", async () => {
    const { json } = await service.ask({ distinct_id: "ada", flag_keys: ["big-company"] });
    expect(json.flags["big-company"].reason.code).toBe("no_group_type");
  });
});

describe("the database", () => {
  /** Fails on every query. */
  const broken = new Proxy({} as SdkService["db"], {
    get: (_, name) => {
      throw new Error(`The database was queried: ${String(name)}`);
    },
  });
  const persons = { find: () => Promise.reject(new Error("The database was queried: persons")) };
  const evaluate = (key: string, person_properties: Record<string, unknown>) =>
    evaluateFor({ db: broken, evaluationDb: broken, persons, definitions: service.runtime.definitions }, 1, {
      distinct_id: "ada",
      person_properties,
      flag_keys: [key],
      now: Date.now(),
    });

  it("is left alone where the request has everything that flags look at", async () => {
    expect((await evaluate("from-nl", { country: "NL" })).get("from-nl")?.value).toBe(true);
    await service.createFlag("half", { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    expect((await evaluate("half", {})).get("half")?.reason).toMatch(/condition_match|out_of_rollout_bound/);
  });

  it.each(["from-nl", "vip", "follows-vip"])("is queried for the person where %s needs it", async (key) => {
    await expect(evaluate(key, {})).rejects.toThrow("The database was queried");
  });

  it("answers evaluation while others hold every connection for requests", async () => {
    const { pool } = service.database;
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    try {
      expect(await service.valuesFor({ distinct_id: "ada" })).toMatchObject({ "from-nl": true, vip: true });
    } finally {
      for (const client of held) client.release();
    }
  });

  it("changed by one flag leaves the outcomes of the others as they were", async () => {
    const before = (await evaluate("from-nl", { country: "NL" })).get("from-nl");
    await service.changeFlag("half", { active: false });
    expect((await evaluate("from-nl", { country: "NL" })).get("from-nl")).toBe(before);
  });
});

describe("experience continuity", () => {
  const half = { groups: [{ properties: [], rollout_percentage: 50 }] };
  const steadyFor = async (body: Record<string, unknown>) =>
    (await service.valuesFor({ flag_keys: ["steady"], ...body })).steady;

  beforeAll(async () => {
    await service.createFlag("steady", { filters: half, ensure_experience_continuity: true });
    await service.createFlag("unsteady", { filters: half });
  });

  it("keeps the value of before signing up, also later and without the anonymous id", async () => {
    const people = Array.from({ length: 12 }, (_, i) => ({ before: `anonymous-${i}`, after: `member-${i}` }));
    for (const { before, after } of people) {
      const first = await steadyFor({ distinct_id: before });
      expect(await steadyFor({ distinct_id: after, $anon_distinct_id: before })).toBe(first);
      expect(await steadyFor({ distinct_id: after })).toBe(first);
      // A second browser, another anonymous id: the first one stays.
      expect(await steadyFor({ distinct_id: after, $anon_distinct_id: `${before}-phone` })).toBe(first);
    }
    const keys = ["unsteady"];
    const values = await Promise.all(
      people.flatMap(({ before, after }) =>
        [before, after].map(
          async (id) => (await service.valuesFor({ distinct_id: id, flag_keys: keys })).unsteady,
        ),
      ),
    );
    expect(new Set(values)).toEqual(new Set([true, false]));
  });

  it("holds for people who are known already", async () => {
    await service.storePerson(["known-anonymous"], {});
    await service.storePerson(["known-member"], {});
    const first = await steadyFor({ distinct_id: "known-anonymous" });
    await steadyFor({ distinct_id: "known-member", $anon_distinct_id: "known-anonymous" });
    expect(await steadyFor({ distinct_id: "known-member" })).toBe(first);
  });

  it("survives two first requests at once", async () => {
    const body = { distinct_id: "racer", $anon_distinct_id: "racer-anonymous" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => steadyFor(body)));
    expect(new Set(answers).size).toBe(1);
    expect(await steadyFor({ distinct_id: "racer" })).toBe(answers[0]);
  });
});
