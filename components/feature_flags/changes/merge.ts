import { bodyOf, type FlagBody, formOf } from "#components/feature_flags/form-values.ts";
import type { PartConflict } from "#components/kit/editor/part-choices.tsx";
import { FLAG_FIELDS, type FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { FlagFilters, FlagGroup, FlagVariant } from "#lib/people/conditions/filters-schema.ts";
import {
  type Names,
  percentText,
  plain,
  serveTokens,
  setTokens,
  variantsOf,
} from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";

/** The version that two editors began with, what one has saved, and what the other wants to save. */
type Three<T> = { base: T; current: T; mine: T };

const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);
const written = (value: unknown): string =>
  value === undefined || value === null || value === ""
    ? "None"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

const over = <T, U>({ base, current, mine }: Three<T>, get: (of: T) => U): Three<U> => ({
  base: get(base),
  current: get(current),
  mine: get(mine),
});

const keysOf = ({ base, current, mine }: Three<object>): string[] => [
  ...new Set([base, current, mine].flatMap((each) => Object.keys(each))),
];

/** Decides part by part: what only one has changed is theirs, what both have changed is for a person to choose. */
class Merge {
  readonly conflicts: PartConflict[] = [];
  readonly #theirs: ReadonlySet<string>;
  readonly names: Names;
  constructor(theirs: ReadonlySet<string>, names: Names) {
    this.#theirs = theirs;
    this.names = names;
  }

  pick<T>(
    part: string,
    what: string,
    { base, current, mine }: Three<T>,
    text: (value: T) => string = written,
  ): T {
    if (same(base, mine) || same(current, mine)) return current;
    if (same(base, current)) return mine;
    this.conflicts.push({ part, what, mine: text(mine), theirs: text(current) });
    return this.#theirs.has(part) ? current : mine;
  }

  /** Each member of an object by itself; one that is absent in the chosen version is absent. */
  members<T extends object>(
    part: string,
    three: Three<T>,
    options: {
      skip?: readonly string[];
      what?: (name: string) => string;
      text?: (name: string, value: unknown) => string;
    } = {},
  ): Record<string, unknown> {
    const {
      skip = [],
      what = (name: string) => name,
      text = (_: string, value: unknown) => written(value),
    } = options;
    const names = keysOf(three).filter((name) => !skip.includes(name));
    const chosen = names.map((name) => {
      const values = over(three, (of): unknown => (of as Record<string, unknown>)[name]);
      return [name, this.pick(`${part}${name}`, what(name), values, (value) => text(name, value))] as const;
    });
    return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
  }
}

/**
 * One's own changes and somebody else's as one flag: settings field by field, condition sets one by one, variants one by
 * one with their split as a whole, payloads each by itself.
 *
 * @param theirs the parts of conflicts in which the other's version is kept
 */
export function mergeFlags(
  three: Three<FlagBody>,
  theirs: ReadonlySet<string> = new Set(),
  names: Names = {},
) {
  const merge = new Merge(theirs, names);
  const settings = merge.members("", three, {
    skip: ["filters"],
    what: (name) => (FLAG_FIELDS as Record<string, { label?: string }>)[name]?.label ?? name,
  });
  const filters = mergeFilters(
    merge,
    over(three, (body) => body.filters),
  );
  return { body: { ...settings, filters } as FlagBody, conflicts: merge.conflicts };
}

function mergeFilters(merge: Merge, three: Three<FlagFilters>): FlagFilters {
  const others = merge.members("filters:", three, {
    skip: ["groups", "multivariate", "payloads"],
    what: (name) => `Setting ${name}`,
  });
  const filters = { ...others, groups: mergeSets(merge, three) } as FlagFilters;
  const variants = mergeVariants(merge, over(three, variantsOf));
  if (keysOf(three).includes("multivariate"))
    filters.multivariate =
      variants.length > 0
        ? { ...(three.mine.multivariate ?? three.current.multivariate), variants }
        : (three.mine.multivariate && { ...three.mine.multivariate, variants }) || null;
  if (keysOf(three).includes("payloads"))
    filters.payloads = merge.members(
      "payload:",
      over(three, (of) => of.payloads ?? {}),
      {
        what: (name) => (name === "true" ? "Payload" : `Payload of ${name}`),
      },
    );
  return filters;
}

/** Variants with the same key are the same variant; their percentages belong together. */
function mergeVariants(merge: Merge, three: Three<FlagVariant[]>): FlagVariant[] {
  const byKey = over(three, (variants) => new Map(variants.map((variant) => [variant.key, variant])));
  const split = merge.pick(
    "split",
    "Split",
    over(three, (variants) =>
      variants.map(({ key, rollout_percentage }) => [key, rollout_percentage] as const),
    ),
    (shares) => shares.map(([key, share]) => `${key} ${percentText(share)}`).join(", ") || "No variants",
  );
  const shares = new Map(split);
  return split.flatMap(([key]) => {
    const versions = over(byKey, (variants) => variants.get(key));
    const members = merge.members(
      `variant:${key}:`,
      over(versions, (variant) => variant ?? {}),
      {
        skip: ["key", "rollout_percentage"],
        what: (name) => `Variant ${key}: ${name}`,
      },
    );
    return [{ ...members, key, rollout_percentage: shares.get(key) ?? 0 } as FlagVariant];
  });
}

/**
 * Where each set of the base is in another version: the same content anywhere, or else right after the set that it
 * followed, or else with the same rows. What is left of the other version was added there.
 */
function placesIn(base: readonly FlagGroup[], other: readonly FlagGroup[]): (number | null)[] {
  const free = new Set(other.keys());
  const take = (place: number | undefined): number | null => {
    if (place === undefined || !free.delete(place)) return null;
    return place;
  };
  const find = (fits: (group: FlagGroup) => boolean) => [...free].find((place) => fits(other[place] ?? {}));
  const places = base.map((group, at) =>
    take(same(group, other[at]) ? at : find((each) => same(each, group))),
  );
  for (const at of base.keys())
    if (places[at] === null) places[at] = take(at === 0 ? 0 : (places[at - 1] ?? Number.NaN) + 1);
  for (const [at, group] of base.entries())
    if (places[at] === null) places[at] = take(find((each) => same(each.properties, group.properties)));
  return places;
}

/** A set of the result: one of the base, by its place there, or one that somebody has added. */
type Kept = { base: number } | { added: FlagGroup };

/** The sets of a version in its order, each with the place that it had in the base. */
function orderOf(sets: readonly FlagGroup[], places: readonly (number | null)[]): Kept[] {
  return sets.map((added, place) => {
    const base = places.indexOf(place);
    return base >= 0 ? { base } : { added };
  });
}

const basesIn = (order: readonly Kept[]) => order.flatMap((each) => ("base" in each ? [each.base] : []));
const isInOrder = (places: readonly number[]) =>
  places.every((place, at) => at === 0 || (places[at - 1] ?? -1) < place);

/** An order with the sets that another one adds, each after the set that it follows there. */
function withAdded(order: readonly Kept[], other: readonly Kept[]): Kept[] {
  const merged = [...order];
  other.forEach((each, at) => {
    if (!("added" in each) || order.some((one) => "added" in one && same(one.added, each.added))) return;
    const before = other[at - 1];
    const follows = merged.findIndex((one) =>
      before && "base" in before ? "base" in one && one.base === before.base : one === before,
    );
    merged.splice(before === undefined ? 0 : follows < 0 ? merged.length : follows + 1, 0, each);
  });
  return merged;
}

function mergeSets(merge: Merge, three: Three<FlagFilters>): FlagGroup[] {
  const sets = over(three, ({ groups }) => groups);
  const [theirPlaces, myPlaces] = [placesIn(sets.base, sets.current), placesIn(sets.base, sets.mine)];
  const [theirs, mine] = [orderOf(sets.current, theirPlaces), orderOf(sets.mine, myPlaces)];
  const [theirOrder, myOrder] = [basesIn(theirs), basesIn(mine)];
  // Whoever has moved sets decides on the order.
  const orders = { base: [] as number[], current: theirOrder, mine: myOrder };
  const inWords = (places: readonly number[]) => places.map((place) => `Set ${place + 1}`).join(", ");
  const moved =
    !isInOrder(myOrder) &&
    (isInOrder(theirOrder) || merge.pick("order", "Order of the sets", orders, inWords) === myOrder);
  const order = moved ? withAdded(mine, theirs) : withAdded(theirs, mine);
  // A set that one has deleted is missing from that order; where the other has changed it, somebody has to choose.
  const missing = [...sets.base.keys()].filter(
    (place) => !order.some((each) => "base" in each && each.base === place),
  );
  const all = [...order, ...missing.map((base) => ({ base }))];
  return all.flatMap((each) => {
    if ("added" in each) return [each.added];
    const { base } = each;
    const found = mergeSet(merge, base, three, {
      base: sets.base[base],
      current: sets.current[theirPlaces[base] ?? -1],
      mine: sets.mine[myPlaces[base] ?? -1],
    });
    return found ? [found] : [];
  });
}

const SET_WORDS: Record<string, string> = {
  properties: "rows",
  rollout_percentage: "rollout",
  variant: "variant",
  description: "note",
};

function mergeSet(
  merge: Merge,
  place: number,
  three: Three<FlagFilters>,
  versions: Three<FlagGroup | undefined>,
): FlagGroup | undefined {
  const { base, current, mine } = versions;
  const what = `Set ${place + 1}`;
  if (!base || !current || !mine)
    return merge.pick(`set:${place}`, what, versions, (group) =>
      group ? plain(serveTokens(group, three.mine, merge.names)) : "Deleted",
    );
  const text = (name: string, value: unknown): string => {
    if (name === "rollout_percentage") return percentText(typeof value === "number" ? value : 100);
    if (name === "properties")
      return plain(setTokens({ properties: value } as FlagGroup, three.mine, merge.names));
    return written(value);
  };
  return merge.members(
    `set:${place}:`,
    { base, current, mine },
    {
      what: (name) => `${what}: ${SET_WORDS[name] ?? name}`,
      text,
    },
  ) as FlagGroup;
}

/** What the second of two editors of a flag wants to save. */
export type FlagConflict = {
  /** The flag as it is now. */
  current: FlagRecord;
  mine: FlagBody;
};

/** The versions of two editors as one body, with what a person has to choose. */
export const mergeConflict = (
  base: FlagRecord,
  { current, mine }: FlagConflict,
  theirs?: ReadonlySet<string>,
  names?: Names,
) => mergeFlags({ base: bodyOf(formOf(base)), current: bodyOf(formOf(current)), mine }, theirs, names);
