import { isObject, type Json } from "#lib/engines/json.ts";
import { type Difference, listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { findReferences, mapReferences } from "#lib/flags/feature_flags/transfer/references.ts";
import { type FlagFilters, withGroups } from "#lib/people/conditions/filters-schema.ts";
import { type Names, plain, rolloutTokens, shareOf, variantsOf } from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { namesWith } from "#lib/platform/fields-schema.ts";
import { ALL_PARTS, PARTS, type Part, type PartDrift } from "./parts-schema.ts";

/** What the ids in a project's filters refer to. */
export type References = Record<"cohorts" | "flags" | "group_types", (id: string) => string | undefined>;

/** The fields of a flag that another environment can have as well. */
export type Carried = Json & { key: string; filters: Json };

/** A flag as it is compared: whatever its filters refer to has the same id in every environment. */
export type Portable = Carried & { filters: FlagFilters };

/** Settings of filters that belong to experiments of one project. */
const OWN = new Set(["holdout", "holdout_groups"]);

/** Which part a setting of filters belongs to; null: it is not compared and not carried over. */
function partOf(setting: string): Part | null {
  if (OWN.has(setting)) return null;
  if (setting === "multivariate") return "variants";
  return setting === "payloads" ? "payloads" : "conditions";
}

const isTaken = (parts: readonly Part[]) => (setting: string) => {
  const part = partOf(setting);
  return part !== null && parts.includes(part);
};

const membersOf = (filters: Json, isChosen: (name: string) => boolean): Json =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => isChosen(name)));

/** The settings of filters that some parts consist of. */
export const settingsOf = (filters: Json, parts: readonly Part[]): Json => membersOf(filters, isTaken(parts));

/** Filters with the settings of some parts in place of their own. */
export function withSettings(filters: Json, settings: Json, parts: readonly Part[]): Json {
  const isChosen = isTaken(parts);
  return { ...membersOf(filters, (name) => !isChosen(name)), ...settings };
}

/** The fields that some parts consist of, filters aside. */
export const fieldsOf = (flag: Json, parts: readonly Part[]): Json =>
  pickNames(
    flag,
    parts.flatMap((part) => PARTS[part].fields),
  );

const COMPARED = namesWith(FLAG_FIELDS, "restorable");

const pickNames = (flag: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => name in flag).map((name) => [name, flag[name]]));

/** A flag as it is once some parts were taken from another one; nothing else of it changes. */
export const takeParts = <T extends Carried>(flag: T, from: T, parts: readonly Part[]): T => ({
  ...flag,
  ...fieldsOf(from, parts),
  filters: withSettings(flag.filters, settingsOf(from.filters, parts), parts),
});

/** Ids for names, the same in every project. */
function createIds() {
  const ids = new Map<string, number>();
  return {
    of(name: string): number {
      const id = ids.get(name) ?? ids.size + 1;
      ids.set(name, id);
      return id;
    },
    /** Names by id. */
    names: () => [...ids].map(([name, id]) => [id, name] as const),
  };
}

const named = (ids: readonly string[], nameOf: (id: string) => string | undefined, missing: string) =>
  Object.fromEntries(ids.map((id) => [id, nameOf(id) ?? missing]));

const LISTED_ANY_CASE = new Set(["exact", "is_not"]);
const VALUELESS = new Set(["is_set", "is_not_set"]);

const USUAL_OPERATORS: Record<string, string> = { cohort: "in", flag: "flag_evaluates_to" };

/** A row as the engine understands it. */
function normalRow({ label: _label, cohort_name: _name, ...row }: Json): Json {
  const operator = row.operator ?? USUAL_OPERATORS[String(row.type)] ?? "exact";
  if (VALUELESS.has(String(operator))) return { ...row, operator, value: undefined };
  const isAnyCase = LISTED_ANY_CASE.has(String(operator));
  if (!isAnyCase && !Array.isArray(row.value)) return { ...row, operator };
  const values = (Array.isArray(row.value) ? row.value : [row.value]).map((value) =>
    isAnyCase ? String(value).toLowerCase() : value,
  );
  return { ...row, operator, value: [...new Set(values)].sort() };
}

const byText = (a: unknown, b: unknown) => (canonical(a) < canonical(b) ? -1 : 1);

function normalSet(set: Json, unit: unknown): Json {
  const { description: _description, sort_key: _key, ...others } = set;
  const rows = Array.isArray(set.properties) ? set.properties.filter(isObject).map(normalRow) : [];
  const own = set.aggregation_group_type_index;
  return {
    ...others,
    properties: [...new Map(rows.map((row) => [canonical(row), row])).values()].sort(byText),
    rollout_percentage: shareOf(set as { rollout_percentage?: number | null }),
    variant: set.variant || null,
    aggregation_group_type_index: own === undefined ? unit : own,
  };
}

/** Whether the engine gives everybody the same value whatever the order of sets is. */
function isAnyOrder(sets: readonly Json[], filters: FlagFilters): boolean {
  if (filters.early_exit || sets.some(({ variant }) => variant)) return false;
  const units = new Set(sets.map((set) => canonical(set.aggregation_group_type_index)));
  return units.size < 2 || variantsOf(filters).length === 0;
}

function normalConditions(filters: FlagFilters): Json {
  const settings = settingsOf(filters, ["conditions"]);
  const lists = ["groups", "super_groups"].flatMap((name) => {
    const list = settings[name];
    if (!Array.isArray(list)) return [];
    const sets = list
      .filter(isObject)
      .map((set) => normalSet(set, filters.aggregation_group_type_index ?? null));
    return [[name, isAnyOrder(sets, filters) ? sets.sort(byText) : sets]];
  });
  return {
    ...settings,
    aggregation_group_type_index: undefined,
    early_exit: filters.early_exit || null,
    feature_enrollment: filters.feature_enrollment || null,
    ...Object.fromEntries(lists),
  };
}

const withEverybody = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.map((each) => (isObject(each) ? { ...each, rollout_percentage: 100 } : each))
    : list;

/** A flag without its percentages, which environments set on their own. */
export function withoutShares(flag: Portable): Portable {
  const { groups, super_groups, multivariate }: Json = flag.filters;
  return {
    ...flag,
    filters: {
      ...flag.filters,
      groups: withEverybody(groups),
      ...(super_groups !== undefined && { super_groups: withEverybody(super_groups) }),
      ...(isObject(multivariate) && {
        multivariate: { ...multivariate, variants: withEverybody(multivariate.variants) },
      }),
    } as FlagFilters,
  };
}

const normalVariants = (filters: FlagFilters) =>
  variantsOf(filters).map((variant) => ({ ...variant, name: variant.name || null }));

function payloadOf(payload: unknown): unknown {
  if (typeof payload !== "string") return payload;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

const normalPayloads = (filters: FlagFilters) =>
  Object.fromEntries(
    Object.entries(filters.payloads ?? {}).map(([value, payload]) => [value, payloadOf(payload)]),
  );

const texts = (list: unknown) => (Array.isArray(list) ? [...list].sort() : []);

/** What a part is, in a form in which equal parts are equal. */
function normal(part: Part, flag: Portable): unknown {
  const { filters } = flag;
  switch (part) {
    case "conditions":
      return normalConditions(filters);
    case "variants":
      return normalVariants(filters);
    case "payloads":
      return [normalPayloads(filters), flag.has_encrypted_payloads === true];
    case "tags":
      return [texts(flag.tags), texts(flag.evaluation_tags)];
    case "settings":
      return {
        ...fieldsOf(flag, ["settings"]),
        evaluation_runtime: flag.evaluation_runtime ?? "all",
        ensure_experience_continuity: flag.ensure_experience_continuity === true,
        is_remote_configuration: flag.is_remote_configuration === true,
        has_enriched_analytics: flag.has_enriched_analytics === true,
      };
    default:
      return fieldsOf(flag, [part]);
  }
}

const ENCRYPTED = "encrypted";

/** Payloads are secret where they are encrypted: only that they differ is said. */
function hiddenPayloads({ filters }: Portable): Json {
  return Object.fromEntries(
    Object.entries(filters.payloads ?? {}).map(([value, payload]) => [
      value,
      payload === null ? null : ENCRYPTED,
    ]),
  );
}

function payloadWords(before: Portable, after: Portable): Difference[] {
  const sides = [before, after].map((flag) => ({
    has_encrypted_payloads: flag.has_encrypted_payloads,
    filters: {
      groups: [],
      payloads: flag.has_encrypted_payloads ? hiddenPayloads(flag) : (flag.filters.payloads ?? {}),
    },
  }));
  const [old = {}, next = {}] = sides;
  return listFlagDifferences(old, next);
}

/** A part of two flags in words. */
function words(part: Part, before: Portable, after: Portable, names: Names): Difference[] {
  if (part === "payloads") return payloadWords(before, after);
  const sideOf = (flag: Portable) => ({
    ...fieldsOf(flag, [part]),
    filters: { groups: [], ...settingsOf(flag.filters, [part]) } as FlagFilters,
  });
  const [old, next] = [sideOf(before), sideOf(after)];
  if (part === "conditions") {
    // Sentences about sets say whether they serve variants.
    Object.assign(old.filters, { multivariate: after.filters.multivariate });
    Object.assign(next.filters, { multivariate: after.filters.multivariate });
  }
  return listFlagDifferences(old, next, names);
}

/** Where a part differs in a way that has no words of its own, what it is on each side. */
function wholeWords(part: Part, before: Portable, after: Portable, names: Names): Difference[] {
  const show = ({ filters }: Portable): string => {
    if (part === "variants")
      return variantsOf(filters)
        .map(({ key }) => key)
        .join(", ");
    return part === "conditions" ? plain(rolloutTokens(filters, names, filters.groups.length)) : "";
  };
  const [old, next] = [show(before), show(after)];
  return [
    {
      what: part === "variants" ? "Order of variants" : PARTS[part].label,
      before: old || "one value",
      after: next && next !== old ? next : "another value",
    },
  ];
}

/** Compares flags of several projects by what they mean: cohorts by name, flags by key, group types by name. */
export function createComparison() {
  const [cohorts, flags, groupTypes] = [createIds(), createIds(), createIds()];
  const resolver = {
    cohort: (name: string) => cohorts.of(name),
    flag: (key: string) => flags.of(key),
    groupType: (name: string) => groupTypes.of(name),
  };

  const names = (): Names => ({
    cohorts: new Map(cohorts.names().map(([id, name]) => [String(id), name])),
    flags: new Map(flags.names().map(([id, key]) => [String(id), key])),
    groups: new Map(groupTypes.names().map(([id, name]) => [id, `groups of type ${name}`])),
  });

  /** A flag of a project as it is compared. */
  function portable(flag: Carried, references: References): Portable {
    const filters = withGroups(flag.filters);
    const found = findReferences(filters);
    const mapped = mapReferences(
      filters,
      {
        cohorts: named(found.cohorts, references.cohorts, "a deleted cohort"),
        flags_by_id: named(found.flags, references.flags, "a deleted flag"),
        group_types: named(found.group_types, references.group_types, "an unknown type"),
      },
      resolver,
    );
    return { ...pickNames(flag, COMPARED), key: flag.key, filters: mapped as FlagFilters };
  }

  /** The parts in which two flags differ. */
  const differing = (before: Portable, after: Portable, parts: readonly Part[] = ALL_PARTS): Part[] =>
    parts.filter((part) => canonical(normal(part, before)) !== canonical(normal(part, after)));

  /** The same in words. */
  const drift = (before: Portable, after: Portable): PartDrift[] =>
    differing(before, after).map((part) => {
      const found = words(part, before, after, names());
      return {
        part,
        label: PARTS[part].label,
        differences: found.length > 0 ? found : wholeWords(part, before, after, names()),
      };
    });

  return { portable, differing, drift };
}
