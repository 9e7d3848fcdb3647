import fc from "fast-check";
import { expect, it } from "vitest";
import { flagProperty } from "./filters-schema.ts";
import { isFlagProperty } from "./is-flag-property.ts";

const value = fc.oneof(
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
);
const row = fc.record(
  {
    key: fc.oneof({ weight: 4, arbitrary: fc.string() }, value),
    type: fc.oneof(fc.constantFrom("person", "cohort"), value),
    value,
    operator: fc.oneof(fc.constantFrom("exact", null), value),
    group_type_index: fc.oneof(fc.integer({ min: 0, max: 4 }), value),
    more: value,
  },
  { requiredKeys: [] },
);

it("takes what the schema takes, and nothing else", () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: row }, value), (given) => {
      expect(isFlagProperty(given)).toBe(flagProperty.safeParse(given).success);
    }),
  );
});
