import { compileRegex } from "#lib/engines/evaluation/values/regex.ts";
import type { Pin } from "#lib/engines/evaluation/values/types.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isSet = (value: unknown): boolean => value !== null && value !== undefined;

/** A pattern, because other operators ignore case: ids that differ in case are those of different people. */
const patternOf = (ids: readonly string[]) =>
  `^(?:${ids.map((id) => id.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})$`;

/** Whether SDKs can be sent a condition on these ids. */
export const fitsPattern = (ids: readonly string[]): boolean => compileRegex(patternOf(ids)).error === null;

/**
 * Why nobody can be pinned to a value, in a sentence; null where it can be. SDKs decide early access and holdouts before
 * any condition set, and groups without looking at people: a pin would have no effect there.
 */
export function findPinProblem(filters: Json, value: boolean | string): string | null {
  if (isSet(filters.aggregation_group_type_index))
    return "The flag is decided per group, so a value cannot be pinned for one person.";
  if (listIn(filters.super_groups).length > 0 || filters.feature_enrollment === true)
    return "The flag has early access, which is decided before any pin.";
  if (listIn(filters.holdout_groups).length > 0 || (isObject(filters.holdout) && isSet(filters.holdout.id)))
    return "The flag has a holdout, which is decided before any pin.";
  const hasSetAboutGroups = listIn(filters.groups).some(
    (set) => isObject(set) && isSet(set.aggregation_group_type_index),
  );
  if (value === false && hasSetAboutGroups)
    return "The flag has condition sets that are about groups: it cannot be turned off for one person.";
  const variants = isObject(filters.multivariate) ? listIn(filters.multivariate.variants) : [];
  const keys = variants.map((variant) => isObject(variant) && variant.key);
  if (keys.length > 0 && value === true)
    return "The flag has variants: pin one of them, or false to turn it off.";
  if (typeof value === "string" && !keys.includes(value))
    return `There is no variant ${value.slice(0, 100)} in this flag.`;
  return null;
}

const rowFor = (operator: "regex" | "not_regex", ids: readonly string[]) => ({
  key: "distinct_id",
  type: "person",
  operator,
  value: patternOf(ids),
});

const setFor = ({ distinct_ids, value }: Pin): Json => ({
  properties: [rowFor("regex", distinct_ids)],
  rollout_percentage: 100,
  variant: typeof value === "string" ? value : null,
});

/** A row for each pin: together, their patterns could be longer than patterns may be. */
const withRows = (set: unknown, off: readonly Pin[]): unknown =>
  isObject(set)
    ? {
        ...set,
        properties: [
          ...listIn(set.properties),
          ...off.map(({ distinct_ids }) => rowFor("not_regex", distinct_ids)),
        ],
      }
    : set;

/**
 * Filters with pins written out as conditions, for SDKs that evaluate flags themselves and know no pins: a set in front
 * of all for whoever gets a value, and a row in every set that keeps out those for whom the flag is off.
 */
export function writeOutPins(filters: Json, pins: readonly Pin[]): Json {
  const effective = pins.filter(({ value }) => findPinProblem(filters, value) === null);
  if (effective.length === 0) return filters;
  const off = effective.filter(({ value }) => value === false);
  const sets = listIn(filters.groups);
  return {
    ...filters,
    groups: [
      ...effective.filter(({ value }) => value !== false).map(setFor),
      ...(off.length > 0 ? sets.map((set) => withRows(set, off)) : sets),
    ],
  };
}
