import { describe, expect, it } from "vitest";
import { ownerOf } from "./paths.ts";

describe("the API's paths", () => {
  const ownsTarget = ownerOf([
    "/api/projects",
    "/api/schema",
    "/flags",
    "/i/v0/e",
    "/array/:token/config",
    "/ofrep/*",
  ]);

  it.each([
    ["/api", true],
    ["/api/anything/", true],
    ["/api?x=1", true],
    ["/api#x", true],
    ["/flags?v=2", true],
    ["/i/v0/e/", true],
    ["/array/phc_x/config.js", true],
    ["/ofrep/v1/evaluate/flags", true],
    ["/e/", false],
    ["/", false],
    ["/apis", false],
    ["/feature_flags", false],
    ["/feature_flags/api", false],
    ["", false],
    ["api", false],
  ])("%s: %s", (target, expected) => {
    expect(ownsTarget(target)).toBe(expected);
  });

  it("own nothing that is no path, even where one of them is a mere pattern", () => {
    const ownsAny = ownerOf(["*", "/api"]);
    expect(["", "api", "*", "/other", "/api/x"].map(ownsAny)).toEqual([false, false, false, false, true]);
  });
});
