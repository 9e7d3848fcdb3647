import { expect, it } from "vitest";
import { findEligibilityProblem } from "./variants.ts";

it.each([
  [{}, "no variants"],
  [{ multivariate: { variants: [{ key: "control" }] } }, "one variant"],
  [{ multivariate: { variants: [{ key: "a" }, { key: "b" }] } }, "control"],
  [{ multivariate: { variants: [{ key: "a" }, { key: "control" }] } }, "first"],
  [{ multivariate: { variants: [{ key: "control" }, { key: "a" }] } }, null],
])("%j: %s", (filters, said) => {
  const problem = findEligibilityProblem(filters);
  if (said === null) expect(problem).toBeNull();
  else expect(problem).toContain(said);
});
