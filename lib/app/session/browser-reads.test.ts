import { describe, expect, it } from "vitest";
import { readsByPost } from "./browser-reads.ts";

describe("what the browser may read by POST", () => {
  it.each([
    "/api/projects/1/feature_flags/evaluate/",
    "/api/projects/1/feature_flags/prove/",
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
