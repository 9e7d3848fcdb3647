import { writeOutPins } from "#lib/engines/evaluation/pins.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { type LinkedFlag, linkedFlag } from "#lib/flags/feature_flags/schema.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { expandCohort } from "#lib/people/conditions/cohort-conditions.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";

/** Which form of a definition is wanted. */
export type DefinitionView = {
  /** Conditions on cohorts stay, the cohorts come along; else a simple one is written out in the flag. */
  cohorts: boolean;
  /** Encrypted payloads are replaced by a marker. */
  redacted: boolean;
};

/** What a definition refers to beside its own row. */
export type DefinitionFacts = {
  /** Flags by id, deleted ones included or not: deleted ones count as missing. */
  flags: Pick<ReadonlyMap<number, FlagRow>, "get">;
  /** Tree of a cohort; null where it is unknown or a static list. */
  treeOf: (id: number) => unknown;
};

/** Condition sets of every kind that filters can hold. */
const conditionsOf = (filters: Json): Json[] =>
  (Array.isArray(filters.groups) ? filters.groups : []).filter(isObject);

const propertiesOf = (condition: Json): Json[] =>
  (Array.isArray(condition.properties) ? condition.properties : []).filter(isObject);

/** Whether the definition is the same whatever other records say. */
export const isStandalone = (flag: FlagRow): boolean =>
  !conditionsOf(flag.filters).some((c) =>
    propertiesOf(c).some((p) => p.type === "flag" || p.type === "cohort"),
  );

/**
 * The keys to evaluate before a dependency is known, in order, its own the last.
 *
 * @returns [] where a flag in the chain is missing or depends on itself
 */
function dependencyChain(id: number, flags: DefinitionFacts["flags"]): string[] {
  const chain: string[] = [];
  const state = new Map<number, "open" | "done">();
  const visit = (flagId: number): boolean => {
    if (state.has(flagId)) return state.get(flagId) === "done";
    const flag = flags.get(flagId);
    if (!flag || flag.deleted) return false;
    state.set(flagId, "open");
    for (const condition of conditionsOf(flag.filters))
      for (const property of propertiesOf(condition))
        if (property.type === "flag" && !visit(Number(property.key))) return false;
    state.set(flagId, "done");
    chain.push(flag.key);
    return true;
  };
  return visit(id) ? chain : [];
}

/** Dependencies are stored by id, so that a flag can be renamed; SDKs know flags by key. */
function namedDependencies(filters: Json, flags: DefinitionFacts["flags"]): Json {
  const groups = conditionsOf(filters).map((condition) => ({
    ...condition,
    ...(Array.isArray(condition.properties) && {
      properties: propertiesOf(condition).map((property) => {
        if (property.type !== "flag") return property;
        const target = flags.get(Number(property.key));
        const chain = dependencyChain(Number(property.key), flags);
        return { ...property, key: target?.key ?? property.key, dependency_chain: chain };
      }),
    }),
  }));
  return { ...filters, groups };
}

function filtersOf(flag: FlagRow, view: DefinitionView, facts: DefinitionFacts): Json {
  let filters = withGroups(flag.filters);
  if (!isStandalone(flag)) {
    if (!view.cohorts) filters = expandCohort(filters, facts.treeOf);
    filters = namedDependencies(filters, facts.flags);
  }
  return view.redacted && flag.has_encrypted_payloads ? redactFilters(filters) : filters;
}

/** The members of a flag's definition, in order. */
function pickMembers(flag: LinkedFlag): LinkedFlag {
  const names = Object.keys(linkedFlag.shape) as (keyof LinkedFlag)[];
  return Object.fromEntries(names.map((name) => [name, flag[name]])) as LinkedFlag;
}

/** The short record of a flag, with its filters as stored. */
export const definitionOf = (flag: FlagRow): LinkedFlag =>
  pickMembers({ ...flag, team_id: flag.project_id, filters: withGroups(flag.filters) });

/** A flag in another record: cached payloads are decrypted, and its readers may not be allowed to read them. */
export const linkedFlagOf = (flag: FlagRow): LinkedFlag => ({
  ...definitionOf(flag),
  filters: flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters,
});

/** A flag with its pins written out as conditions: SDKs know none, and nothing of a pin but these reaches them. */
export const withPinsWrittenOut = (flag: Flag): Flag =>
  flag.pins.length === 0 ? flag : { ...flag, filters: writeOutPins(flag.filters, flag.pins) };

/** A flag as SDKs get it for evaluation on their side. */
export const exportedDefinition = (flag: Flag, view: DefinitionView, facts: DefinitionFacts) => ({
  ...definitionOf(flag),
  ...(flag.experiment_set.length > 0 && { has_experiment: true }),
  filters: filtersOf(flag, view, facts),
});
