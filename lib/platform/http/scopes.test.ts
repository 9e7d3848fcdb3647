import { expect, it } from "vitest";
import type { Scope } from "./contract.ts";
import { allows } from "./scopes.ts";

it.each<[string[] | null, Scope, boolean]>([
  [["*"], "feature_flag:write", true],
  [["feature_flag:read"], "feature_flag:read", true],
  [["feature_flag:read"], "feature_flag:write", false],
  [["feature_flag:write"], "feature_flag:read", true],
  [["person:write"], "feature_flag:read", false],
  [[], "user:read", false],
  [null, "feature_flag:write", true],
])("a key with %j asked for %s: %s", (held, scope, answer) => {
  expect(allows(held, scope)).toBe(answer);
});
