type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Filters of a flag that give everybody one variant: without release conditions and holdouts, the other variants at
 * 0%. Payloads do not change.
 */
export function shippedFilters(filters: Json, variant: string): Json {
  const { groups: _, holdout: __, holdout_groups: ___, super_groups: ____, ...rest } = filters;
  const { multivariate } = filters;
  const variants =
    isObject(multivariate) && Array.isArray(multivariate.variants) ? multivariate.variants : [];
  return {
    ...rest,
    groups: [{ properties: [], rollout_percentage: 100, variant: null }],
    multivariate: {
      ...(isObject(multivariate) ? multivariate : {}),
      variants: variants.map((each: Json) => ({
        ...each,
        rollout_percentage: each.key === variant ? 100 : 0,
      })),
    },
  };
}
