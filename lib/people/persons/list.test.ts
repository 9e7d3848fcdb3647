import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { type Service, startService } from "#testing/service.ts";
import { personConditions } from "./filter.ts";
import { selectFound } from "./store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const projectOf = async (name: string): Promise<number> =>
  (await service.api("POST", "/api/projects/", { name })).json.id;

type Someone = { id: number; properties: Record<string, unknown>; distinct_ids: string[] };

/** Stores persons as JSON texts, which can hold numbers that JavaScript would write differently. */
async function addPeople(projectId: number, people: { json: string; ids: string[] }[]): Promise<Someone[]> {
  const { rows } = await service.db.execute<{ id: string; properties: Record<string, unknown> }>(sql`
    insert into persons (project_id, properties)
    select ${projectId}, json::jsonb from unnest(${sql.param(people.map(({ json }) => json))}::text[]) with ordinality as t(json, n)
    order by n returning id, properties`);
  const someone = rows.map(({ id, properties }, n) => ({
    id: Number(id),
    properties,
    distinct_ids: people[n]?.ids ?? [],
  }));
  const named = someone.flatMap(({ id, distinct_ids }) => distinct_ids.map((name) => ({ id, name })));
  await service.db.execute(sql`
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select ${projectId}, * from unnest(
      ${sql.param(named.map(({ name }) => name))}::text[], ${sql.param(named.map(({ id }) => id))}::bigint[])`);
  return someone.toSorted((a, b) => b.id - a.id);
}

/** Every person that a call to the list finds, page by page, and what it says of their number. */
async function listed(projectId: number, query: Record<string, string>) {
  const seen: string[] = [];
  const counts: [number, boolean][] = [];
  let at: string | null =
    `/api/projects/${projectId}/persons/?${new URLSearchParams({ limit: "70", ...query })}`;
  while (at) {
    const { status, json } = await service.api("GET", at.replace("http://switchyard.test", ""));
    expect(status).toBe(200);
    seen.push(...json.results.map((one: { distinct_ids: string[] }) => one.distinct_ids[0]));
    counts.push([json.count, json.count_is_exact]);
    at = json.next;
  }
  return { seen, counts };
}

const WORDS = [
  "pro",
  "Pro",
  "KILO",
  "\u212ailo",
  "\u0130stanbul",
  "istanbul",
  "1.5",
  "15",
  "a_b",
  "100%",
  "\u00c4rger",
];
const VALUES = [
  ...WORDS.map((word) => JSON.stringify(word)),
  ...[
    "1.5",
    "1.50",
    "15",
    "150",
    "1e21",
    "-0.0",
    "1e-7",
    "1234567890123456",
    "123456789012345678901",
    "null",
    "true",
    "false",
  ],
  ...['["pro"]', '{"plan":"pro","n":1.50}', '[1.50,"KILO"]', '""', '" pro "'],
];

const someValue = fc.constantFrom(...VALUES);
const someone = fc.record({ plan: someValue, seats: someValue }, { requiredKeys: [] });

describe("persons by conditions", () => {
  const cohorts: ProjectCohorts = { revision: 1, byId: new Map() };
  const texts = fc.oneof(
    fc.constantFrom(
      ...WORDS,
      "",
      "r",
      "k",
      "i",
      "1",
      "1.50",
      "[",
      ":",
      "null",
      "true",
      '"pro"',
      "1e",
      "e+21",
      "e+",
    ),
    fc.constantFrom(1.5, 15, 150, 1e21, true, false, -0, 123_456_789_012_345_680_000),
  );
  const row = fc
    .record({
      key: fc.constantFrom("plan", "seats", "missing"),
      operator: fc.constantFrom(
        ...["exact", "icontains", "starts_with", "ends_with", "icontains_multi", "is_set"],
        ...["is_not", "not_icontains", "is_not_set", "gt", "regex"],
      ),
      value: fc.oneof(texts, fc.array(texts, { minLength: 1, maxLength: 3 })),
    })
    .filter((one) => !(one.operator === "regex" || one.operator === "gt") || typeof one.value === "number");

  it("are those for whom the engine says so, whatever the database can tell", async () => {
    const project = await projectOf("generated");
    const people = await addPeople(
      project,
      fc.sample(someone, { numRuns: 300, seed: 7 }).map(({ plan, seats }, n) => ({
        json: `{${[plan && `"plan":${plan}`, seats && `"seats":${seats}`].filter(Boolean).join()}}`,
        ids: [`p-${n}`],
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 2 }), async (rows) => {
        const properties = JSON.stringify(rows);
        const { matches } = personConditions(properties, cohorts, Date.now()) ?? { matches: () => true };
        const expected = people.filter((one) =>
          matches({ distinct_id: "", properties: one.properties, static_cohorts: new Set() }),
        );
        const { seen, counts } = await listed(project, { properties });
        expect(seen).toEqual(expected.map((one) => one.distinct_ids[0]));
        expect(counts.every(([count, exact]) => count === expected.length && exact)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["1.50", { operator: "exact", value: "1.5" }],
    ["1e-7", { operator: "exact", value: "1e-7" }],
    ["1e21", { operator: "icontains", value: "e+" }],
    ["12345678901234567890", { operator: "exact", value: "12345678901234567000" }],
    ['{"plan":"pro"}', { operator: "icontains", value: '"plan":"pro"' }],
    ['["pro",1]', { operator: "exact", value: '["pro",1]' }],
    ['"\u212ailo"', { operator: "icontains", value: "kilo" }],
    ['"\u0130stanbul"', { operator: "starts_with", value: "i" }],
  ])(
    "are found where PostgreSQL and JavaScript write their value differently: %s",
    async (json, condition) => {
      const project = await projectOf(json);
      await addPeople(project, [{ json: `{"plan":${json}}`, ids: ["one"] }]);
      const { seen } = await listed(project, { properties: JSON.stringify([{ key: "plan", ...condition }]) });
      expect(seen).toEqual(["one"]);
    },
  );

  it("are found beyond those that a call reads one by one, and counted as far as it looked", async () => {
    const project = await projectOf("very many");
    const { rows } = await service.db.execute<{ id: string }>(sql`
      insert into persons (project_id, properties)
      select ${project}, jsonb_build_object('n', n, 'plan', case when n % 4 = 0 then 'pro' else 'free' end)
      from generate_series(1, 320000) n returning id`);
    const ids = rows.map(({ id }) => Number(id));
    const found = async (row: object, more = "") => {
      const properties = encodeURIComponent(JSON.stringify([row]));
      const { json } = await service.api(
        "GET",
        `/api/projects/${project}/persons/?limit=2&properties=${properties}${more}`,
      );
      const before = json.next && new URL(json.next).searchParams.get("before");
      return {
        numbers: json.results.map((one: { properties: { n: number } }) => one.properties.n),
        count: [json.count, json.count_is_exact],
        before: before && Number(before),
      };
    };
    expect(await found({ key: "n", value: 190_000 })).toEqual({
      numbers: [190_000],
      count: [1, false],
      before: (ids[220_000] ?? 0) - 75_000,
    });
    const old = await found({ key: "n", value: 7 });
    expect(old).toMatchObject({ numbers: [], count: [0, false] });
    expect(await found({ key: "n", value: 7 }, `&before=${old.before}`)).toEqual({
      numbers: [7],
      count: [1, true],
      before: null,
    });
    // The database cannot tell who may match.
    expect(await found({ key: "n", operator: "lt", value: 3 })).toEqual({
      numbers: [],
      count: [0, false],
      before: ids[270_000],
    });
    expect(await found({ key: "plan", value: "PRO" })).toMatchObject({
      numbers: [320_000, 319_996],
      count: [10_000, false],
    });
    expect(await found({ key: "plan", value: "PRO" }, "&offset=9999")).toMatchObject({
      numbers: [280_004, 280_000],
      count: [10_001, false],
      before: ids[279_999],
    });
  });
});

describe("persons by text", () => {
  const parts = ["ada", "ADA", "bob", "corp", "@", ".", "x", "_", "%", "\\", " ", "user-", "7", "zz"];
  const word = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }).map((all) => all.join(""));
  const person = fc.record(
    { email: word, name: word, ids: fc.array(word, { minLength: 1, maxLength: 2 }) },
    { requiredKeys: ["ids"] },
  );
  const isIn = (text: string) => {
    const part = text.toLowerCase();
    return (whole: string) => (part.length < 3 ? whole.startsWith(part) : whole.includes(part));
  };
  const WAYS = ["enable_seqscan", "enable_indexscan", "enable_bitmapscan", "enable_hashjoin", "enable_sort"];

  it("are those who have it, newest first, whichever way the database looks for them", async () => {
    const project = await projectOf("searched");
    const people = await addPeople(
      project,
      fc.sample(person, { numRuns: 400, seed: 11 }).map(({ email, name, ids }, n) => ({
        json: JSON.stringify({ ...(email && { email }), ...(name && { name }) }),
        ids: ids.map((id, place) => `${id}${n}-${place}`),
      })),
    );
    await service.db.execute(sql`analyze persons, person_distinct_ids`);
    await fc.assert(
      fc.asyncProperty(word, fc.subarray(WAYS), async (text, ways) => {
        const search = text.trim();
        fc.pre(search !== "");
        const has = isIn(search);
        const expected = people.filter(({ properties, distinct_ids }) =>
          [properties.email ?? "", properties.name ?? "", ...distinct_ids].some((whole) =>
            has(String(whole).toLowerCase()),
          ),
        );
        const found = await inTransaction(service.db, async (tx) => {
          for (const way of ways) await tx.execute(sql.raw(`set local ${way} = off`));
          return selectFound(tx, { project_id: project }, search);
        });
        expect(found).toEqual(expected.map((one) => one.id));
        const { seen, counts } = await listed(project, { search });
        expect(seen).toEqual(expected.map((one) => one.distinct_ids.toSorted()[0]));
        expect(counts.every(([count, exact]) => count === expected.length && exact)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
