import { expect, it } from "vitest";
import { findDependentsProblem, findExperimentsProblem } from "./deletion.ts";

const leaning = (id: number, on: number, more: object = {}) => ({
  id,
  key: `flag-${id}`,
  active: true,
  deleted: false,
  filters: { groups: [{ properties: [{ key: String(on), type: "flag", value: true }] }] },
  ...more,
});
const REFUSED = "Cannot delete this feature flag because other active flags depend on it:";

it.each<[string, ReturnType<typeof leaning>[], string | null]>([
  ["nobody", [], null],
  ["a flag that depends on another", [leaning(2, 9)], null],
  ["a flag that is off", [leaning(2, 1, { active: false })], null],
  ["a deleted flag", [leaning(2, 1, { deleted: true })], null],
  ["itself", [leaning(1, 1)], null],
  ["one flag", [leaning(2, 1), leaning(3, 9)], `${REFUSED} flag-2 (ID: 2).`],
  [
    "five flags",
    [2, 3, 4, 5, 6].map((id) => leaning(id, 1)),
    `${REFUSED} flag-2 (ID: 2), flag-3 (ID: 3), flag-4 (ID: 4), flag-5 (ID: 5), flag-6 (ID: 6).`,
  ],
  [
    "seven flags",
    [2, 3, 4, 5, 6, 7, 8].map((id) => leaning(id, 1)),
    `${REFUSED} flag-2 (ID: 2), flag-3 (ID: 3), flag-4 (ID: 4), flag-5 (ID: 5), flag-6 (ID: 6) and 2 more.`,
  ],
])("a flag on which %s depends", (_, flags, problem) => {
  expect(findDependentsProblem(1, flags)).toBe(problem);
});

it("a flag with experiments cannot be deleted", () => {
  expect(findExperimentsProblem([])).toBeNull();
  expect(findExperimentsProblem([4, 7])).toBe(
    "Cannot delete this feature flag because experiments use it (ids: 4, 7). Delete them first.",
  );
});
