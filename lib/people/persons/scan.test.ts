import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStaticCohort } from "#lib/people/cohorts/service.ts";
import { groups } from "#lib/platform/db/tables/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { countPersons, scanGroups, scanPersons } from "./scan.ts";

/** So many are read at once. */
const CHUNK = 1_250;
const PEOPLE = 4_001;

const all = { properties: ["plan", "n"] };

let service: Service;
let crowd: number;
let empty: number;
let few: number;
let ids: number[];

const projectOf = async (name: string): Promise<number> =>
  (await service.api("POST", "/api/projects/", { name })).json.id;

/** Every third is on plan a, the others on b; person n is known as id-n and z-n. */
async function addPeople(projectId: number, count: number): Promise<number[]> {
  const { rows } = await service.db.execute<{ id: string }>(sql`
    with people as (
      insert into persons (project_id, properties)
      select ${projectId}, jsonb_build_object('plan', case when n % 3 = 0 then 'a' else 'b' end, 'n', n)
      from generate_series(1, ${count}::int) n
      returning id, properties
    ), named as (
      insert into person_distinct_ids (project_id, distinct_id, person_id)
      select ${projectId}, kind || (properties ->> 'n'), id from people, unnest(array['z-', 'id-']) as kind
    )
    select id from people order by id`);
  return rows.map(({ id }) => Number(id));
}

async function gathered<T>(chunks: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const chunk of chunks) all.push(...chunk);
  return all;
}

beforeAll(async () => {
  service = await startService();
  [crowd, empty, few] = [await projectOf("crowd"), await projectOf("empty"), await projectOf("few")];
  ids = await addPeople(crowd, PEOPLE);
  await addPeople(few, 4);
});
afterAll(() => service.close());

describe("reading every person of a project", () => {
  it("gives each once, in the order of their numbers, a chunk at a time", async () => {
    const sizes: number[] = [];
    const seen: number[] = [];
    for await (const chunk of scanPersons(service.db, crowd, all)) {
      sizes.push(chunk.length);
      seen.push(...chunk.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
    expect(sizes).toEqual([CHUNK, CHUNK, CHUNK, PEOPLE - 3 * CHUNK]);
  });

  it("ends with a chunk that is full, too", async () => {
    const wanted = ids.slice(-2 * CHUNK);
    const after = (wanted[0] ?? 0) - 1;
    const seen = await gathered(scanPersons(service.db, crowd, { ...all, after }));
    expect(seen.map(({ id }) => id)).toEqual(wanted);
  });

  it("gives nobody where nobody is", async () => {
    expect(await gathered(scanPersons(service.db, empty, all))).toEqual([]);
    expect(await gathered(scanPersons(service.db, crowd, { ...all, after: ids.at(-1) ?? 0 }))).toEqual([]);
  });

  it("tells each with the alphabetically first distinct id and the properties that are asked for", async () => {
    const [person] = await gathered(scanPersons(service.db, few, all));
    expect(person).toEqual({
      id: expect.any(Number),
      distinct_id: "id-1",
      properties: { plan: "b", n: 1 },
      static_cohorts: new Set(),
    });
  });

  it("leaves properties out where they are not wanted, and tells static cohorts where they are", async () => {
    const numbers = (await gathered(scanPersons(service.db, few, all))).map(({ id }) => id);
    const cohortOf = (person_ids: number[]) =>
      createStaticCohort(service.db, { project_id: few, name: "c", created_by_id: null, person_ids });
    const [one, other] = [await cohortOf(numbers.slice(0, 2)), await cohortOf(numbers.slice(1, 3))];
    const listsBy = async (cohort_ids: number[]) =>
      (await gathered(scanPersons(service.db, few, { cohort_ids, properties: [] }))).map((person) => {
        expect(person.properties).toEqual({});
        return [...person.static_cohorts].sort((a, b) => a - b);
      });
    expect(await listsBy([one.id, other.id])).toEqual([[one.id], [one.id, other.id], [other.id], []]);
    expect(await listsBy([other.id])).toEqual([[], [other.id], [other.id], []]);
    expect(await listsBy([])).toEqual([[], [], [], []]);
  });

  it("can be stopped in between", async () => {
    for await (const chunk of scanPersons(service.db, crowd, all)) {
      expect(chunk).toHaveLength(CHUNK);
      break;
    }
  });
});

describe("what is reported of persons", () => {
  it("is nothing of what nobody asked for", async () => {
    const [person] = await gathered(
      scanPersons(service.db, few, { properties: ["plan", "city"], distinct_ids: false }),
    );
    expect(person).toMatchObject({ distinct_id: "", properties: { plan: "b" } });
  });

  it("is each property as it is stored: null, missing, or with an unusual name", async () => {
    const odd = await projectOf("odd");
    const values = [{ a: null, 'it\'s "b"': [1, "x"] }, { a: "null" }, {}, { a: { b: 1.5 } }];
    await service.db.execute(sql`
      insert into persons (project_id, properties)
      select ${odd}, v::jsonb from unnest(${sql.param(values.map((one) => JSON.stringify(one)))}::text[]) v`);
    const properties = ["a", 'it\'s "b"'];
    const found = await gathered(scanPersons(service.db, odd, { properties }));
    expect(found.map((person) => person.properties)).toEqual(values);
  });

  it("is the same wherever their numbers are: apart, or one after another", async () => {
    const [near, far] = [await projectOf("near"), await projectOf("far")];
    await addPeople(near, 2 * PEOPLE);
    await service.db.execute(sql`
      update persons set project_id = ${far} where project_id = ${near} and id % 17 = 0`);
    const idsOf = async (project: number) => {
      const { rows } = await service.db.execute<{ id: string; first: string }>(sql`
        select p.id, min(d.distinct_id) as first from persons p join person_distinct_ids d on d.person_id = p.id
        where p.project_id = ${project} group by p.id order by p.id`);
      return rows.map(({ id, first }) => [Number(id), first]);
    };
    for (const project of [near, far]) {
      const found = await gathered(scanPersons(service.db, project, { properties: [] }));
      expect(found.map(({ id, distinct_id }) => [id, distinct_id])).toEqual(await idsOf(project));
      expect(await countPersons(service.db, project)).toBe(found.length);
    }
  });
});

describe("reading every group of a type", () => {
  it("gives each once, in the order of their keys", async () => {
    const groupsOf = (index: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        project_id: few,
        group_type_index: index,
        group_key: `g-${String(n).padStart(5, "0")}`,
        properties: { n },
      }));
    await service.db.insert(groups).values(groupsOf(0, PEOPLE));
    await service.db.insert(groups).values(groupsOf(1, 1));
    const seen = await gathered(scanGroups(service.db, few, 0));
    expect(seen.map(({ properties }) => properties.n)).toEqual(Array.from({ length: PEOPLE }, (_, n) => n));
    expect(await gathered(scanGroups(service.db, few, 1))).toEqual([
      { key: "g-00000", properties: { n: 0 } },
    ]);
    expect(await gathered(scanGroups(service.db, few, 2))).toEqual([]);
    expect(await gathered(scanGroups(service.db, empty, 0))).toEqual([]);
  });
});

describe("the list of persons, by conditions", () => {
  const page = async (projectId: number, rows: object[], more = "limit=1000") => {
    const properties = encodeURIComponent(JSON.stringify(rows));
    const { status, json } = await service.api(
      "GET",
      `/api/projects/${projectId}/persons/?properties=${properties}&${more}`,
    );
    expect(status).toBe(200);
    return { ...json, numbers: json.results.map((one: { properties: { n: number } }) => one.properties.n) };
  };

  it("looks through more than it reads at once, newest first", async () => {
    const found = await page(crowd, [{ key: "plan", value: "a" }]);
    expect(found).toMatchObject({ count: 1_333, count_is_exact: true });
    expect(found.numbers.slice(0, 3)).toEqual([3_999, 3_996, 3_993]);
    const rest = await page(crowd, [{ key: "plan", value: "a" }], "limit=1000&offset=1000");
    expect(rest).toMatchObject({ count: 1_333, next: null });
    expect(rest.numbers.at(-1)).toBe(3);
    expect(new Set([...found.numbers, ...rest.numbers]).size).toBe(1_333);
  });

  it.each([
    [{ key: "n", value: "4000", operator: "gt" }, [4_001]],
    [{ key: "n", value: 2, operator: "lte" }, [2, 1]],
    [{ key: "distinct_id", value: ["id-7", "z-8"] }, [7]],
    [{ key: "plan", value: "c" }, []],
  ])("finds by %j", async (row, numbers) => {
    expect(await page(crowd, [row])).toMatchObject({ numbers, count: numbers.length, next: null });
  });

  it("begins where asked to", async () => {
    const before = ids[3] ?? 0;
    expect((await page(crowd, [{ key: "n", operator: "is_set" }], `before=${before}`)).numbers).toEqual([
      3, 2, 1,
    ]);
  });
});
