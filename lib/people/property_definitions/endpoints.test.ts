import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "#testing/accounts.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let away: number;

const root = "/api/projects/1";
const get = (path: string) => service.api("GET", `${root}/${path}`);

const group = (type: string, key: string, $group_set: Record<string, unknown>) =>
  eventOf("$groupidentify", "u0", { $group_type: type, $group_key: key, $group_set });

beforeAll(async () => {
  service = await startService();
  away = (await addOrganization(service.db, "away")).project.id;
  service.runtime.directory.drop();
  const people = Array.from({ length: 30 }, (_, n) =>
    eventOf(n < 20 ? "visited" : "paid", `u${n}`, {
      $set: {
        country: ["DE", "FR", "US"][n % 3],
        ...(n < 10 && { age: n, since: "2026-01-01", admin: n === 0 }),
        ...(n < 5 && { mixed: n % 2 === 0 ? n : "text", tags: ["a"] }),
      },
    }),
  );
  await service.runtime.events.write(1, people);
  await service.runtime.events.write(1, [
    eventOf("visited", "u3", { $set: { country: "US" } }),
    eventOf("visited", "u9", { $unset: ["since", "admin"] }),
    eventOf("visited", "u10", { $set: { gone: 1 } }),
    eventOf("visited", "u10", { $unset: ["gone"] }),
    group("company", "acme", { tier: "gold", country: "SE" }),
    group("team", "red", { colour: "red" }),
  ]);
  await service.runtime.events.write(away, [eventOf("theirs", "u", { $set: { secret: "x" } })]);
});
afterAll(() => service.close());

describe("properties", () => {
  it("are listed by how many carry them now, with the kind of their values", async () => {
    const { status, json } = await get("property_definitions/?type=person");
    expect(status).toBe(200);
    expect(json).toMatchObject({ count: 6, next: null, previous: null });
    const seen = json.results.map((p: { name: string; property_type: string; count: number }) => [
      p.name,
      p.property_type,
      p.count,
    ]);
    expect(seen).toEqual([
      ["country", "String", 30],
      ["age", "Numeric", 10],
      ["admin", "Boolean", 9],
      ["since", "DateTime", 9],
      ["mixed", "String", 5],
      ["tags", "String", 5],
    ]);
  });

  it.each([
    { query: "search=A", names: ["age", "admin", "tags"] },
    { query: "search=%25", names: [] },
    { query: "limit=1&offset=1", names: ["age"] },
    { query: "type=group", names: ["country", "tier"] },
    { query: "type=group&group_type_index=1", names: ["colour"] },
    { query: "type=group&group_type_index=2", names: [] },
  ])("with $query are $names", async ({ query, names }) => {
    const { json } = await get(`property_definitions/?${query}`);
    expect(json.results.map((p: { name: string }) => p.name)).toEqual(names);
  });

  it.each([
    { query: "type=event", attr: "type" },
    { query: "type=group&group_type_index=5", attr: "group_type_index" },
  ])("are not listed for $query", async ({ query, attr }) => {
    expect((await get(`property_definitions/?${query}`)).json).toMatchObject({
      type: "validation_error",
      attr,
    });
  });
});

describe("values", () => {
  it.each([
    {
      query: "key=country",
      results: [
        ["US", 11],
        ["FR", 10],
        ["DE", 9],
      ],
      is_complete: true,
    },
    {
      query: "key=country&limit=2",
      results: [
        ["US", 11],
        ["FR", 10],
      ],
      is_complete: false,
    },
    { query: "key=country&value=r", results: [["FR", 10]], is_complete: true },
    {
      query: "key=admin",
      results: [
        ["false", 8],
        ["true", 1],
      ],
      is_complete: true,
    },
    {
      query: "key=mixed",
      results: [
        ["text", 2],
        ["0", 1],
        ["2", 1],
        ["4", 1],
      ],
      is_complete: true,
    },
    { query: "key=tags", results: [], is_complete: true },
    { query: "key=secret", results: [], is_complete: true },
    { query: "type=group&key=tier", results: [["gold", 1]], is_complete: true },
  ])("of $query are $results", async ({ query, results, is_complete }) => {
    const { status, json } = await get(`property_definitions/values/?${query}`);
    expect(status).toBe(200);
    expect(json.results.map((v: { name: string; count: number }) => [v.name, v.count])).toEqual(results);
    expect(json.is_complete).toBe(is_complete);
  });

  it("need a key", async () => {
    expect((await get("property_definitions/values/")).json).toMatchObject({ code: "required", attr: "key" });
  });

  it("are not complete once there were more than a thousand", async () => {
    const many = Array.from({ length: 1_200 }, (_, n) => eventOf("e", `many-${n}`, { $set: { many: n } }));
    await service.runtime.events.write(1, many);
    const { json } = await get("property_definitions/values/?key=many&limit=1000");
    expect(json.results).toHaveLength(1_000);
    expect(json.is_complete).toBe(false);
    expect((await get("property_definitions/?search=many")).json.results[0].count).toBe(1_200);
  });
});

it("event names are listed by how often they were seen", async () => {
  const { json } = await get("event_definitions/?limit=2");
  expect(json.results).toHaveLength(2);
  const { json: found } = await get("event_definitions/?search=VISI");
  expect(found).toMatchObject({ count: 1, results: [{ name: "visited", count: 24 }] });
  expect((await get("event_definitions/?search=theirs")).json.count).toBe(0);
});
