type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A flag's filters with which everybody whom it is evaluated for gets one variant: release conditions and holdouts
 * are taken away, the other variants stay at 0 %, and payloads as they are.
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
