import { createHash } from "node:crypto";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { Before, Comparison, Split, Step } from "#lib/engines/statistics/ramps/types.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { invalid } from "#lib/platform/http/errors.ts";

const EVERYONE = 100;

const listIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const setsIn = ({ groups }: Json): Json[] => listIn(groups);
const variantsIn = ({ multivariate }: Json): Json[] =>
  listIn(isObject(multivariate) ? multivariate.variants : null);

const numberIn = (value: unknown, absent: number): number => (typeof value === "number" ? value : absent);

/** What a flag has of all that some steps change. */
export function splitBefore(filters: Json, steps: readonly Split[]): Before {
  const sets = new Set(steps.flatMap(({ shares }) => Object.keys(shares ?? {})));
  const shares = setsIn(filters).flatMap(({ rollout_percentage }, i) =>
    sets.has(String(i)) ? [[String(i), numberIn(rollout_percentage, EVERYONE)] as const] : [],
  );
  const isSplit = steps.some(({ variants }) => Object.keys(variants ?? {}).length > 0);
  const variants = isSplit ? variantsIn(filters) : [];
  return {
    shares: Object.fromEntries(shares),
    variants: Object.fromEntries(
      variants.map(({ key, rollout_percentage }) => [String(key), numberIn(rollout_percentage, 0)]),
    ),
    baseline: variants.length > 0 ? String(variants[0]?.key) : null,
  };
}

/** A flag's filters with other percentages. @throws ApiError 400 where it lacks a condition set or a variant */
export function withSplit(filters: Json, { shares, variants }: Split): Json {
  const [sets, named] = [setsIn(filters), variantsIn(filters)];
  const missing = Object.keys(shares ?? {}).find((set) => !/^\d+$/.test(set) || !sets[Number(set)]);
  if (missing !== undefined)
    throw invalid(`The flag has no condition set with the index ${missing}.`, "steps");
  const keys = new Set(named.map(({ key }) => key));
  const unknown = Object.keys(variants ?? {}).find((key) => !keys.has(key));
  if (unknown !== undefined) throw invalid(`The flag has no variant "${unknown}".`, "steps");
  const groups = sets.map((set, i) => {
    const share = shares?.[String(i)];
    return share === undefined ? set : { ...set, rollout_percentage: share };
  });
  if (Object.keys(variants ?? {}).length === 0) return { ...filters, groups };
  const split = named.map((variant) => {
    const share = variants?.[String(variant.key)];
    return share === undefined ? variant : { ...variant, rollout_percentage: share };
  });
  return {
    ...filters,
    groups,
    multivariate: { ...(isObject(filters.multivariate) && filters.multivariate), variants: split },
  };
}

/** What decides who gets what, as one text: whether somebody else has changed it. */
export function digestOf({ key, filters }: { key: string; filters: Json }): string {
  const { payloads: _, ...targeting } = filters;
  return createHash("sha256").update(canonical({ key, targeting })).digest("hex");
}

/** Whether a step changes anything. */
export const changesSomething = ({ shares, variants }: Step): boolean =>
  Object.keys(shares ?? {}).length + Object.keys(variants ?? {}).length > 0;

/**
 * The same flag with the split that tells arms apart set to its ends, so that whoever gets something else from each is
 * in one of the arms.
 */
export function endsOf(filters: FlagFilters, comparison: NonNullable<Comparison>) {
  const split = (change: Split) => withSplit(filters, change) as FlagFilters;
  if (comparison.kind === "variants") {
    const only = (key: string) =>
      split({
        variants: Object.fromEntries(
          variantsIn(filters).map((each) => [String(each.key), each.key === key ? EVERYONE : 0]),
        ),
      });
    return {
      control: only(comparison.control),
      treatments: [{ set: 0, filters: only(comparison.treatment) }],
    };
  }
  const shares = (full: number | null) =>
    split({ shares: Object.fromEntries(comparison.sets.map((set) => [set, set === full ? EVERYONE : 0])) });
  return {
    control: shares(null),
    treatments: comparison.sets.map((set) => ({ set, filters: shares(set) })),
  };
}
