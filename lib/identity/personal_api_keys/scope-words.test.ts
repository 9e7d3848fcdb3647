import { describe, expect, it } from "vitest";
import { SCOPE_OBJECTS } from "#lib/platform/http/contract.ts";
import {
  isWithin,
  levelsBy,
  levelsOf,
  mayGrant,
  PRESETS,
  presetOf,
  scopeSummary,
  scopesOf,
} from "./scope-words.ts";

describe("levelsOf and scopesOf", () => {
  it("takes * for writing everything", () => {
    expect(new Set(Object.values(levelsOf(["*"])))).toEqual(new Set(["write"]));
  });
  it("takes writing for reading too, and keeps the higher of two", () => {
    const levels = levelsOf(["survey:read", "survey:write", "cohort:read"]);
    expect([levels.survey, levels.cohort, levels.feature_flag]).toEqual(["write", "read", "none"]);
  });
  it("says the same again in the fewest scopes", () => {
    expect(scopesOf(levelsOf(["survey:read", "survey:write", "cohort:read"]))).toEqual([
      "survey:write",
      "cohort:read",
    ]);
  });
  it("leaves it to an API that does not tell", () => {
    expect(levelsOf(null).project).toBe("write");
  });
});

describe("scopeSummary", () => {
  const all = (level: "read" | "write") => scopesOf(levelsBy(() => level));
  it.each([
    [["*"], [{ action: "Access to", objects: ["everything"] }]],
    [["feature_flag:read"], [{ action: "Read", objects: ["Feature flags"] }]],
    [
      ["person:read", "survey:write"],
      [
        { action: "Change", objects: ["Surveys"] },
        { action: "Read", objects: ["People"] },
      ],
    ],
    [all("read"), [{ action: "Read", objects: ["everything"] }]],
    [all("write"), [{ action: "Change", objects: ["everything"] }]],
    [
      ["feature_flag:write", ...all("read")],
      [
        { action: "Change", objects: ["Feature flags"] },
        { action: "Read", objects: ["everything else"] },
      ],
    ],
    // Reading everything does not include what relays get.
    [PRESETS[0].scopes, [{ action: "Read", objects: ["everything"] }]],
    [[], []],
  ])("words %j", (scopes, words) => {
    expect(scopeSummary(scopes)).toEqual(words);
  });
});

describe("mayGrant", () => {
  it.each([
    [["*"], ["*"], true],
    [["feature_flag:write"], ["feature_flag:read"], true],
    [["feature_flag:read"], ["feature_flag:write"], false],
    [scopesOf(levelsBy(() => "write")), ["*"], false],
    [null, ["*"], true],
  ])("%j grants %j: %s", (held, wanted, may) => {
    expect(mayGrant(held, wanted)).toBe(may);
  });
});

it("knows its presets again, in any order", () => {
  for (const preset of PRESETS) expect(presetOf([...preset.scopes].reverse())).toBe(preset.value);
  expect(presetOf(["*"])).toBe("everything");
  expect(presetOf(["feature_flag:read"])).toBe("sdk");
  expect(presetOf(["relay:read"])).toBe("relay");
  expect(presetOf(["survey:read"])).toBeUndefined();
});

it("orders the levels", () => {
  expect(isWithin("read", "write")).toBe(true);
  expect(isWithin("write", "read")).toBe(false);
  expect(isWithin("none", "none")).toBe(true);
});

it("reads only with the preset that says so", () => {
  const read = PRESETS.find((preset) => preset.value === "read");
  expect(read?.scopes).toEqual(
    SCOPE_OBJECTS.filter((object) => object !== "relay").map((object) => `${object}:read`),
  );
});
