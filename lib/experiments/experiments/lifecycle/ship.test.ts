import { expect, it } from "vitest";
import { shippedFilters } from "./ship.ts";

const everybody = [{ properties: [], rollout_percentage: 100, variant: null }];
const variants = [
  { key: "control", name: "Old", rollout_percentage: 50 },
  { key: "test", rollout_percentage: 50 },
];

it("a shipped variant is for everybody; payloads and what else the flag has stay", () => {
  const filters = {
    groups: [{ properties: [{ key: "plan", value: "pro" }], rollout_percentage: 10, variant: "control" }],
    holdout: { id: 1, exclusion_percentage: 10 },
    holdout_groups: [{ properties: [], rollout_percentage: 10 }],
    super_groups: [{ properties: [] }],
    payloads: { test: "1" },
    aggregation_group_type_index: 2,
    multivariate: { variants, note: "kept" },
  };
  expect(shippedFilters(filters, "test")).toEqual({
    groups: everybody,
    payloads: { test: "1" },
    aggregation_group_type_index: 2,
    multivariate: {
      note: "kept",
      variants: [
        { key: "control", name: "Old", rollout_percentage: 0 },
        { key: "test", rollout_percentage: 100 },
      ],
    },
  });
});

it.each([
  ["no variants", {}, {}],
  ["multivariate of null", { multivariate: null }, {}],
  ["variants that are no list", { multivariate: { variants: "control", note: 1 } }, { note: 1 }],
  ["multivariate as a list", { multivariate: [1] }, {}],
])("of filters with %s none is left to choose from", (_, filters, rest) => {
  expect(shippedFilters(filters, "test")).toEqual({
    groups: everybody,
    multivariate: { ...rest, variants: [] },
  });
});
