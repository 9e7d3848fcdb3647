import { z } from "zod";
import { compileRegex } from "#lib/engines/evaluation/values/regex.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

/** Every SDK downloads the pins of all flags. */
export const PIN_IDS_MAX = 20;
export const PINS_MAX = 20;

const pin = z.object({
  /** The uuid of the person. */
  person_id: z.string(),
  distinct_ids: z.array(z.string()).min(1).max(PIN_IDS_MAX),
  /** A variant; for a boolean flag, true. False: off. */
  value: z.union([z.boolean(), z.string()]),
  /** Null: until it is removed. */
  until: z.string().nullable(),
  reason: z.string(),
});

/** The value that one person gets, whatever the targeting says. */
export type Pin = z.output<typeof pin>;

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const hasMark = (value: unknown): boolean => isObject(value) && "pin" in value;

/** The pins in filters; what cannot be read as one is none. */
export const pinsOf = (filters: Json): Pin[] =>
  listIn(filters.pins).flatMap((each) => pin.safeParse(each).data ?? []);

/** A pattern, because other operators ignore case: ids that differ in case are those of different people. */
const patternOf = (ids: readonly string[]) =>
  `^(?:${ids.map((id) => id.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})$`;

const rowFor = (operator: "regex" | "not_regex", ids: readonly string[]) => ({
  key: "distinct_id",
  type: "person",
  operator,
  value: patternOf(ids),
});

const setFor = ({ person_id, distinct_ids, value }: Pin): Json => ({
  properties: [rowFor("regex", distinct_ids)],
  rollout_percentage: 100,
  variant: typeof value === "string" ? value : null,
  pin: person_id,
});

/** A set without the rows that pins have added; `alone` marks those of a set that had no list of rows. */
function withoutRows(set: unknown): unknown {
  if (!isObject(set) || !Array.isArray(set.properties)) return set;
  const properties = set.properties.filter((row: unknown) => !hasMark(row));
  if (properties.length === set.properties.length) return set;
  const { properties: rows, ...rest } = set;
  const isAlone = rows.some((row: unknown) => isObject(row) && row.pin === "alone");
  return isAlone && properties.length === 0 ? rest : { ...set, properties };
}

/** A row for each pin: together, their patterns could be longer than patterns may be. */
function withRows(set: unknown, pins: readonly Pin[]): unknown {
  if (!isObject(set)) return set;
  const mark = Array.isArray(set.properties) ? "beside" : "alone";
  const rows = pins.map(({ distinct_ids }) => ({ ...rowFor("not_regex", distinct_ids), pin: mark }));
  return { ...set, properties: [...listIn(set.properties), ...rows] };
}

/** Filters as they are without pins. */
export function withoutPins(filters: Json): Json {
  const { pins: _, ...rest } = filters;
  if (!Array.isArray(filters.groups)) return rest;
  return { ...rest, groups: filters.groups.filter((set: unknown) => !hasMark(set)).map(withoutRows) };
}

/**
 * Filters with these pins and no others: a set in front of all for whoever gets a value, and a row in every set that
 * keeps out those for whom the flag is off. Sets that were added since are covered when this is done again.
 */
export function withPins(filters: Json, pins: readonly Pin[]): Json {
  const bare = withoutPins(filters);
  if (pins.length === 0) return bare;
  const off = pins.filter(({ value }) => value === false);
  const sets = listIn(bare.groups);
  return {
    ...bare,
    groups: [
      ...pins.filter(({ value }) => value !== false).map(setFor),
      ...(off.length > 0 ? sets.map((set) => withRows(set, off)) : sets),
    ],
    pins,
  };
}

/** Pins with one more; it replaces those of the same person, also under ids that were another person's before. */
export function addPin(pins: readonly Pin[], added: Pin): Pin[] {
  const ids = new Set(added.distinct_ids);
  const others = pins.filter(
    ({ person_id, distinct_ids }) => person_id !== added.person_id && !distinct_ids.some((id) => ids.has(id)),
  );
  return [...others, added];
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

/** Why a pin cannot be set in filters, in a sentence; null where it gives exactly its value to its person alone. */
export function findPinProblem(filters: Json, added: Pin): string | null {
  const { value, distinct_ids } = added;
  if (isSet(filters.aggregation_group_type_index))
    return "This flag is decided per group, so a value cannot be pinned for one person.";
  if (listIn(filters.super_groups).length > 0 || filters.feature_enrollment === true)
    return "This flag has early access, which is decided before any pin.";
  if (listIn(filters.holdout_groups).length > 0 || (isObject(filters.holdout) && isSet(filters.holdout.id)))
    return "This flag has a holdout, which is decided before any pin.";
  const aboutGroups = listIn(filters.groups).some(
    (set) => isObject(set) && isSet(set.aggregation_group_type_index),
  );
  if (value === false && aboutGroups)
    return "This flag has condition sets that are about groups: it cannot be turned off for one person.";
  const variants = isObject(filters.multivariate) ? listIn(filters.multivariate.variants) : [];
  const keys = variants.map((variant) => isObject(variant) && variant.key);
  if (keys.length > 0 && value === true)
    return "This flag has variants: pin one of them, or false to turn it off.";
  if (typeof value === "string" && !keys.includes(value))
    return `There is no variant ${value.slice(0, 100)} in this flag.`;
  if (distinct_ids.length === 0) return "This person has no id.";
  if (distinct_ids.length > PIN_IDS_MAX)
    return `This person has ${distinct_ids.length} ids; a pin can cover at most ${PIN_IDS_MAX}.`;
  if (compileRegex(patternOf(distinct_ids)).error !== null)
    return "The ids of this person are too long to be pinned.";
  if (addPin(pinsOf(filters), added).length > PINS_MAX) return `A flag can have at most ${PINS_MAX} pins.`;
  return null;
}
