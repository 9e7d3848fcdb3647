import { describe, expect, it } from "vitest";
import { z } from "zod";
import { envelope, limitUpTo, neighbours, pageQuery } from "./paging.ts";
import { DATABASE_INTEGER_MAX, integerId, projectParam } from "./params.ts";

const query = z.object(pageQuery);

describe("limit and offset", () => {
  it.each([
    [{}, { limit: 100, offset: 0 }],
    [
      { limit: "1", offset: "0" },
      { limit: 1, offset: 0 },
    ],
    [
      { limit: "250", offset: "30" },
      { limit: 250, offset: 30 },
    ],
    [
      { limit: "0", offset: "-1" },
      { limit: 100, offset: 0 },
    ],
    [
      { limit: "", offset: "" },
      { limit: 100, offset: 0 },
    ],
    [
      { limit: "1.5", offset: "ten" },
      { limit: 100, offset: 0 },
    ],
    [
      { limit: "1e400", offset: "9007199254740993" },
      { limit: 100, offset: 0 },
    ],
  ])("%j are read as %j", (given, expected) => {
    expect(query.parse(given)).toEqual(expected);
  });

  it.each([
    ["49", 49],
    ["50", 50],
    ["51", 50],
    [undefined, 50],
    ["x", 50],
  ])("a limit of %s is at most 50 where that is the most", (given, expected) => {
    expect(limitUpTo(50).parse(given)).toBe(expected);
  });
});

describe("the neighbouring pages", () => {
  const at = (limit: number, offset: number, count: number) =>
    neighbours(new URL("http://host/api/x/?search=a&limit=7&offset=3"), { limit, offset }, count);
  const address = (rest: string) => `http://host/api/x/?search=a&${rest}`;

  it.each([
    { limit: 10, offset: 0, count: 0, next: null, previous: null },
    { limit: 10, offset: 0, count: 10, next: null, previous: null },
    { limit: 10, offset: 0, count: 11, next: address("limit=10&offset=10"), previous: null },
    { limit: 10, offset: 10, count: 20, next: null, previous: address("limit=10") },
    { limit: 10, offset: 10, count: 21, next: address("limit=10&offset=20"), previous: address("limit=10") },
    { limit: 10, offset: 4, count: 5, next: null, previous: address("limit=10") },
    { limit: 10, offset: 25, count: 5, next: null, previous: address("limit=10&offset=15") },
  ])("of $limit from $offset of $count: $previous, $next", ({ limit, offset, count, next, previous }) => {
    expect(at(limit, offset, count)).toEqual({ next, previous });
  });
});

it("a key in the query is not repeated in the addresses of the pages", () => {
  const url = new URL("http://host/api/x/?personal_api_key=phx_secret&search=a");
  const { next, previous } = neighbours(url, { limit: 10, offset: 10 }, 30);
  expect(next).toBe("http://host/api/x/?search=a&limit=10&offset=20");
  expect(previous).toBe("http://host/api/x/?search=a&limit=10");
});

it("a list comes in an envelope of its count and neighbours", () => {
  const list = { count: 3, next: "http://host/next", previous: null, results: ["a"] };
  const schema = envelope(z.string());
  expect(schema.parse(list)).toEqual(list);
  for (const name of Object.keys(list))
    expect(schema.safeParse({ ...list, [name]: undefined }).success, name).toBe(false);
  expect(schema.safeParse({ ...list, results: [1] }).success).toBe(false);
  expect(schema.safeParse({ ...list, count: 1.5 }).success).toBe(false);
});

describe("ids in paths", () => {
  it.each([
    ["0", 0],
    ["17", 17],
    [String(DATABASE_INTEGER_MAX), DATABASE_INTEGER_MAX],
  ])("%s is an id", (text, id) => {
    expect(integerId("flag").parse(text)).toBe(id);
  });

  it.each([String(DATABASE_INTEGER_MAX + 1), "00000000001", "-1", "1.5", "", "x1", "1x"])(
    "%j is none",
    (text) => {
      expect(integerId("flag").safeParse(text).success).toBe(false);
    },
  );

  it("a project is named by any text", () => {
    expect(z.object(projectParam).parse({ project_id: "@current" })).toEqual({ project_id: "@current" });
  });
});
