import { describe, expect, it } from "vitest";
import { isFromOwnPage, readsByPost } from "./browser-reads.ts";

describe("what the browser may read by POST", () => {
  it.each([
    "/api/projects/1/feature_flags/evaluate/",
    "/api/projects/@current/feature_flags/who_changes",
    "/api/projects/1/feature_flags/7/test_cases/check/",
    "/api/projects/1/surveys/0197d6a0-0000-7000-8000-000000000000/preview_questions/",
  ])("is %s", (path) => expect(readsByPost(path)).toBe(true));

  it.each([
    ["creates a flag", "/api/projects/1/feature_flags/"],
    ["adds a test case", "/api/projects/1/feature_flags/7/test_cases/"],
    ["creates a key", "/api/personal_api_keys/"],
    ["rolls a key", "/api/personal_api_keys/x/roll/"],
    ["is read by GET", "/api/projects/1/feature_flags/facets/"],
    ["only ends like a read", "/api/projects/1/feature_flags/7/x/test_cases/check/"],
    ["leads elsewhere", "/api/projects/../x/api/projects/1/feature_flags/evaluate/"],
  ])("is nothing that %s", (_, path) => expect(readsByPost(path)).toBe(false));
});

describe("a request of our own page", () => {
  const own = (headers: Record<string, string>) => isFromOwnPage(new Headers(headers));

  it("names our address as its origin", () => {
    expect(own({ origin: "https://flags.example", host: "flags.example" })).toBe(true);
    expect(own({ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" })).toBe(true);
  });

  it("may come through a proxy, which says where it was sent to", () => {
    expect(
      own({ origin: "https://flags.example", host: "10.0.0.7", "x-forwarded-host": "flags.example" }),
    ).toBe(true);
  });

  it.each([
    ["another site", { origin: "https://evil.example", host: "flags.example" }],
    ["another name of the same site", { origin: "https://blog.flags.example", host: "flags.example" }],
    ["another port", { origin: "http://127.0.0.1:4000", host: "127.0.0.1:3000" }],
    ["a sandboxed page", { origin: "null", host: "flags.example" }],
    ["no page", { host: "flags.example" }],
  ])("is none of %s", (_, headers) => expect(own(headers)).toBe(false));
});
