import { isObject, type Json } from "#lib/engines/json.ts";

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
