import { expect, it } from "vitest";
import { trialAddress } from "./try-it.ts";

const BASE = "https://flags.example";
const trial = (path: string, given: object = {}) => ({
  method: "GET",
  path,
  query: {},
  body: null,
  ...given,
});

it("calls the API that the session belongs to", () => {
  const url = trialAddress(BASE, trial("/api/projects/1/feature_flags/", { query: { search: "a&b" } }));
  expect(url?.href).toBe("https://flags.example/api/projects/1/feature_flags/?search=a%26b");
  expect(trialAddress("https://x.test/flags/", trial("/api/users/@me/"))?.href).toBe(
    "https://x.test/flags/api/users/@me/",
  );
});

it.each([
  "https://evil.example/api/",
  "//evil.example/api/",
  "/\\evil.example/api/",
  "/bff/api/projects/",
  "/api/../sign-in",
  "/api/%2e%2e/sign-in",
  "/api/\\..\\..\\sign-in",
  "/api/x?y=1",
  "/api/x#y",
  "/api/x\r\nHost: evil.example",
  "/apis/",
  "",
])("refuses the path %j", (path) => {
  expect(trialAddress(BASE, trial(path))).toBeNull();
});

it.each(["HEAD", "CONNECT", "get", ""])("refuses the method %j", (method) => {
  expect(trialAddress(BASE, trial("/api/projects/", { method }))).toBeNull();
});

it("refuses a body without end", () => {
  const body = "x".repeat(1_000_001);
  expect(trialAddress(BASE, trial("/api/projects/", { method: "POST", body }))).toBeNull();
});
