import { HOLDOUT_PREFIX, hashPrefix } from "#lib/engines/evaluation/hash/hash.ts";
import { asIndex, asList, asRecord, asText, percentOf, textOf } from "#lib/engines/evaluation/values/json.ts";
import type {
  CohortDefinition,
  Evaluation,
  FlagDefinition,
  GroupTypeMapping,
  Mode,
  Needs,
} from "#lib/engines/evaluation/values/types.ts";
import { buildCohortLibrary } from "./cohorts.ts";
import {
  type CompiledCondition,
  type CompiledEnrollment,
  type CompiledFlag,
  type CompiledFlags,
  type CompiledHoldout,
  EVERYONE,
  NOBODY,
  type PackedFlags,
} from "./compiled.ts";
import { undecidableFlags } from "./dependencies.ts";
import type { CohortLibrary, RowEnvironment } from "./environment.ts";
import type { PropertyRow, Row } from "./match.ts";
import { addNeeds, emptyNeeds, finishNeeds, type NeedsBuilder } from "./needs.ts";
import { type OutcomeTable, outcomesOf } from "./outcomes.ts";
import { packFlags, packRows, repackFlags } from "./pack.ts";
import { findPinProblem } from "./pins.ts";
import { compileRow } from "./rows.ts";
import { type VariantTable, variantTable } from "./variants.ts";

/** What to compile. */
export interface CompileInput {
  readonly flags: readonly FlagDefinition[];
  readonly cohorts?: readonly CohortDefinition[];
  readonly group_type_mapping?: GroupTypeMapping;
  /** `complete` unless said otherwise. */
  readonly mode?: Mode;
}

/** The hash prefix of every flag's holdout. */
export const holdoutPrefix = hashPrefix(HOLDOUT_PREFIX);

interface Scope {
  readonly mode: Mode;
  readonly group_types: GroupTypeMapping;
  readonly cohorts: CohortLibrary;
  readonly flagIndex: (name: string) => number;
  readonly known_rows: Map<string, PropertyRow>;
}

type Draft = Omit<CompiledFlag, "settled" | "needs"> & {
  readonly asks: Set<number>;
  readonly reads: NeedsBuilder;
};

/** What the next compilation can take from one. */
interface Reusable {
  readonly mode: Mode;
  readonly group_types: GroupTypeMapping;
  /** In the order of the flags. */
  readonly drafts: readonly Draft[];
  /** By place: whether the flag looks at no other flag and at no cohort, and so stays the same whatever else changes. */
  readonly stands_alone: readonly boolean[];
  /** Rows of flags as they were before are among them. */
  readonly known_rows: Map<string, PropertyRow>;
  /** How many they may become before all is compiled again: each takes up room in every evaluation. */
  readonly most_rows: number;
}

const reusable = new WeakMap<CompiledFlags, Reusable>();
const NO_GROUP_TYPES: GroupTypeMapping = {};

function reusableOf(
  previous: CompiledFlags | undefined,
  mode: Mode,
  group_types: GroupTypeMapping,
): Reusable | null {
  const found = previous && reusable.get(previous);
  const isOfUse =
    found?.mode === mode && found.group_types === group_types && found.known_rows.size <= found.most_rows;
  return isOfUse ? found : null;
}

/**
 * Prepares flags for evaluation: parses every value, pattern, date and version, lays out variants and
 * hash prefixes, resolves cohorts and flags that depend on each other. Takes any JSON without throwing:
 * what makes no sense never matches (see checkFilters for telling the author).
 *
 * @param previous what the same flags were compiled to before some of them changed: a definition that is the same
 *   object, and depends on nothing but itself, is not compiled again
 */
export function compileFlags(input: CompileInput, previous?: CompiledFlags): CompiledFlags {
  const mode = input.mode ?? "complete";
  const group_types = input.group_type_mapping ?? NO_GROUP_TYPES;
  const before = reusableOf(previous, mode, group_types);
  const scope: Scope = {
    mode,
    group_types,
    cohorts: buildCohortLibrary(input.cohorts ?? [], mode),
    flagIndex: flagFinder(input.flags, mode),
    known_rows: before?.known_rows ?? new Map(),
  };
  return (
    (previous && before && replaceFlags(input.flags, scope, previous, before)) ??
    compileAll(input.flags, scope, previous, before)
  );
}

function compileAll(
  definitions: readonly FlagDefinition[],
  scope: Scope,
  previous: CompiledFlags | undefined,
  before: Reusable | null,
): CompiledFlags {
  const { mode, known_rows } = scope;
  const places = new Map<FlagDefinition, number>();
  for (const [place, { definition }] of (before?.drafts ?? []).entries())
    if (before?.stands_alone[place]) places.set(definition, place);
  const kept = definitions.map((definition) => places.get(definition));
  const drafts = definitions.map((definition, index) => {
    const known = before?.drafts[kept[index] ?? -1];
    return known ? placed(known, index) : draftFlag(definition, index, scope);
  });
  const undecidable = undecidableFlags(drafts.map((draft) => draft.asks));
  // An SDK may still find another condition that matches; the server turns such a flag off as a whole.
  if (mode === "complete") for (const draft of drafts) if (draft.asks.has(-1)) undecidable.add(draft.index);
  const needsOf = needsFinder(drafts, undecidable);
  const flags = drafts.map((draft, index) => {
    const known = previous?.flags[kept[index] ?? -1];
    return known
      ? placed(known, index)
      : finished(draft, settle(draft, undecidable.has(index), mode), needsOf(index));
  });
  const compiled = setOf(flags, needsOfAll(flags), packFlags(flags), scope, previous);
  reusable.set(compiled, {
    mode,
    group_types: scope.group_types,
    drafts,
    stands_alone: drafts.map((draft, index) => kept[index] !== undefined || standsAlone(draft)),
    known_rows,
    most_rows: before?.most_rows ?? 2 * known_rows.size + 100,
  });
  return compiled;
}

/**
 * The set after some of its flags were changed, where none was added or moved and all stand alone: only what has changed is
 * compiled.
 *
 * @returns null where anything else happened
 */
function replaceFlags(
  definitions: readonly FlagDefinition[],
  scope: Scope,
  previous: CompiledFlags,
  before: Reusable,
): CompiledFlags | null {
  if (definitions.length !== before.drafts.length || before.stands_alone.includes(false)) return null;
  const places: number[] = [];
  for (let i = 0; i < definitions.length; i++)
    if (definitions[i] !== before.drafts[i]?.definition) places.push(i);
  const drafts = before.drafts.slice();
  const flags = previous.flags.slice();
  for (const place of places) {
    const draft = draftFlag(definitions[place] as FlagDefinition, place, scope);
    if (draft.key !== drafts[place]?.key || !standsAlone(draft)) return null;
    drafts[place] = draft;
    flags[place] = finished(draft, settle(draft, false, scope.mode), ownNeeds(draft));
  }
  const needsOf = (set: readonly CompiledFlag[]) => JSON.stringify(places.map((place) => set[place]?.needs));
  const needs = needsOf(flags) === needsOf(previous.flags) ? previous.needs : needsOfAll(flags);
  const compiled = setOf(flags, needs, repackFlags(previous.packed, flags, places), scope, previous);
  reusable.set(compiled, { ...before, drafts });
  return compiled;
}

function setOf(
  flags: readonly CompiledFlag[],
  needs: Needs,
  packed: PackedFlags,
  { mode, group_types, cohorts, known_rows }: Scope,
  previous: CompiledFlags | undefined,
): CompiledFlags {
  let by_key: Map<string, CompiledFlag> | undefined;
  const before = previous && reusable.get(previous)?.known_rows === known_rows ? previous.packed_rows : null;
  return {
    mode,
    flags,
    get by_key() {
      by_key ??= new Map(flags.map((flag) => [flag.key, flag]));
      return by_key;
    },
    group_types,
    cohort_count: cohorts.count(),
    needs,
    packed,
    packed_rows: packRows(known_rows, before),
  };
}

function finished(draft: Draft, settled: Evaluation | null, needs: Needs): CompiledFlag {
  const { asks: _, reads: __, ...flag } = draft;
  return { ...flag, settled, needs };
}

function needsOfAll(flags: readonly CompiledFlag[]): Needs {
  const all = emptyNeeds();
  for (const flag of flags) addNeeds(all, flag.needs);
  return finishNeeds(all);
}

/** The same at another place of the set. */
const placed = <T extends { readonly index: number }>(flag: T, index: number): T =>
  flag.index === index ? flag : { ...flag, index };

/** Whether no other flag and no cohort, be it a missing one, takes part in its evaluation. */
function standsAlone({ asks, conditions, holdouts, enrollment }: Draft): boolean {
  const isOwn = (row: Row) =>
    row.kind === "property" || (row.kind === "fixed" && row.property?.type !== "cohort");
  return (
    asks.size === 0 &&
    [...conditions, ...holdouts, ...(enrollment ? [enrollment] : [])].every(({ rows }) => rows.every(isOwn))
  );
}

/** Rows name a flag by its id on the server and by its key in the definitions handed to SDKs. */
function flagFinder(flags: readonly FlagDefinition[], mode: Mode): (name: string) => number {
  let maps: { byKey: Map<string, number>; byId: Map<string, number> } | undefined;
  return (name) => {
    // Hardly any flag names another one.
    maps ??= {
      byKey: new Map(flags.map((flag, index) => [flag.key, index])),
      byId: new Map(mode === "complete" ? flags.map((flag, index) => [textOf(flag.id), index]) : []),
    };
    return maps.byId.get(name) ?? maps.byKey.get(name) ?? -1;
  };
}

/** The outcome that is everyone's, if it is. */
function settle(flag: Draft, undecidable: boolean, mode: Mode): Evaluation | null {
  if (flag.definition.active !== true) return flag.outcomes.of(false, "disabled", null);
  if (undecidable)
    return flag.outcomes.of(false, mode === "partial" ? "inconclusive" : "missing_dependency", null);
  const first = flag.conditions[0];
  const looksAtNobody =
    !flag.by_group &&
    flag.pins === null &&
    flag.enrollment === null &&
    flag.holdouts.length === 0 &&
    !flag.experience_continuity;
  if (!looksAtNobody || !first?.shares_source || first.rows.length > 0 || first.threshold !== EVERYONE)
    return null;
  return first.certain;
}

function draftFlag(definition: FlagDefinition, index: number, scope: Scope): Draft {
  const filters = asRecord(definition.filters) ?? {};
  const key = textOf(definition.key);
  const outcomes = outcomesOf(definition);
  const variants = variantTable(filters.multivariate);
  const aggregation = asIndex(filters.aggregation_group_type_index);
  const environment: RowEnvironment = {
    ...scope,
    group_type: typeOf(aggregation, scope),
    in_cohort: false,
    needs: emptyNeeds(),
    flags: new Set(),
  };
  const conditions = asList(filters.groups).map((group, i) =>
    compileCondition(asRecord(group) ?? {}, i, aggregation, variants, outcomes, environment),
  );
  const holdouts = compileHoldouts(filters, outcomes, environment);
  const enrollment = compileEnrollment(key, filters, outcomes, { ...environment, group_type: null });
  if (environment.group_type !== null) environment.needs.group_types.add(environment.group_type);
  const experience_continuity = definition.ensure_experience_continuity === true && aggregation === null;
  environment.needs.experience_continuity = experience_continuity;
  return {
    definition,
    key,
    index,
    prefix: hashPrefix(`${key}.`),
    by_group: aggregation !== null,
    group_type: environment.group_type,
    conditions,
    pins: compilePins(definition, outcomes),
    variants,
    holdouts,
    enrollment,
    early_exit: filters.early_exit === true,
    experience_continuity,
    unmatched: outcomes.of(false, "no_condition_match", null),
    groupless: outcomes.of(false, "no_group_type", null),
    inconclusive: outcomes.of(false, "inconclusive", null),
    requires_server: outcomes.of(false, "requires_server", null),
    outcomes,
    dependencies: [...environment.flags].filter((flag) => flag !== -1),
    asks: environment.flags,
    reads: environment.needs,
  };
}

function compileCondition(
  group: Readonly<Record<string, unknown>>,
  index: number,
  flagAggregation: number | null,
  variants: VariantTable,
  outcomes: OutcomeTable,
  environment: RowEnvironment,
): CompiledCondition {
  const aggregation = asIndex(group.aggregation_group_type_index) ?? flagAggregation;
  const group_type = typeOf(aggregation, environment);
  if (group_type !== null) environment.needs.group_types.add(group_type);
  const variant = asText(group.variant);
  const override = variant === null ? -1 : variants.keys.indexOf(variant);
  return {
    index,
    rows: asList(group.properties).map((row) => compileRow(row, { ...environment, group_type })),
    threshold: thresholdOf(group.rollout_percentage, 100),
    override,
    shares_source: aggregation === flagAggregation,
    group_type,
    certain: certainOf(override, index, variants, outcomes),
    of_variants: new Array<null>(variants.keys.length + 1).fill(null),
    unmatched: outcomes.of(false, "no_condition_match", index),
    out_of_rollout: outcomes.of(false, "out_of_rollout_bound", index),
    groupless: outcomes.of(false, "no_group_type", index),
  };
}

function certainOf(
  override: number,
  index: number,
  variants: VariantTable,
  outcomes: OutcomeTable,
): Evaluation | null {
  const place = override === -1 ? variants.certain : override;
  if (place === -1 && variants.keys.length > 0) return null;
  return outcomes.of(variants.keys[place] ?? true, "condition_match", index);
}

/** Pins that cannot take effect are left out; of two for the same id, the later one counts. */
function compilePins({ pins, filters }: FlagDefinition, outcomes: OutcomeTable): CompiledFlag["pins"] {
  const effective = (pins ?? []).filter(
    ({ value }) => findPinProblem(asRecord(filters) ?? {}, value) === null,
  );
  if (effective.length === 0) return null;
  return new Map(
    effective.flatMap(({ distinct_ids, value, until }) => {
      const pin = {
        outcome: outcomes.of(value, "pinned", null),
        until: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
      };
      return distinct_ids.map((id) => [id, pin] as const);
    }),
  );
}

/** A holdout of today ({id, exclusion_percentage}) replaces those of old (conditions with a variant). */
function compileHoldouts(
  filters: Readonly<Record<string, unknown>>,
  outcomes: OutcomeTable,
  environment: RowEnvironment,
): CompiledHoldout[] {
  const holdout = asRecord(filters.holdout);
  if (holdout && holdout.id !== undefined && holdout.id !== null) {
    const threshold = thresholdOf(holdout.exclusion_percentage, 0);
    return [
      {
        rows: [],
        threshold,
        outcome: outcomes.of(`holdout-${textOf(holdout.id)}`, "holdout_condition_value", 0),
      },
    ];
  }
  return asList(filters.holdout_groups).map((entry, index) => {
    const group = asRecord(entry) ?? {};
    return {
      rows: asList(group.properties).map((row) => compileRow(row, environment)),
      threshold: thresholdOf(group.rollout_percentage, 100),
      outcome: outcomes.of(asText(group.variant) ?? "holdout", "holdout_condition_value", index),
    };
  });
}

function compileEnrollment(
  key: string,
  filters: Readonly<Record<string, unknown>>,
  outcomes: OutcomeTable,
  environment: RowEnvironment,
): CompiledEnrollment | null {
  const property = `$feature_enrollment/${key}`;
  const group = asRecord(asList(filters.super_groups)[0]);
  if (!group && filters.feature_enrollment !== true) return null;
  const rows = group
    ? asList(group.properties)
    : [{ key: property, type: "person", operator: "exact", value: ["true"] }];
  const threshold = rows.length > 0 ? EVERYONE : thresholdOf(group?.rollout_percentage, 100);
  if (rows.length > 0) environment.needs.person_properties.add(property);
  return {
    property: rows.length > 0 ? property : null,
    rows: rows.map((row) => compileRow(row, environment)),
    threshold,
    accepted: outcomes.of(true, "super_condition_value", 0),
    declined: outcomes.of(false, rows.length > 0 ? "super_condition_value" : "out_of_rollout_bound", 0),
  };
}

function thresholdOf(percentage: unknown, whenAbsent: number): number {
  const percent = percentOf(percentage, whenAbsent);
  if (percent >= 100) return EVERYONE;
  return percent <= 0 ? NOBODY : percent / 100;
}

function typeOf(index: number | null, scope: Pick<Scope, "group_types">): string | null {
  return index === null ? null : asText(scope.group_types[index]);
}

/** What a flag that stands alone reads: nothing when it is off for everyone. */
const ownNeeds = (draft: Draft): Needs =>
  finishNeeds(draft.definition.active === true ? draft.reads : emptyNeeds());

/** What a flag at a place reads, by way of its dependencies too. */
function needsFinder(drafts: readonly Draft[], undecidable: ReadonlySet<number>): (index: number) => Needs {
  const gathered = new Map<number, NeedsBuilder>();
  const gather = (index: number): NeedsBuilder => {
    const known = gathered.get(index);
    if (known) return known;
    const draft = drafts[index] as Draft;
    const needs = emptyNeeds();
    gathered.set(index, needs);
    // A flag that is off for everyone reads nothing.
    if (undecidable.has(index) || draft.definition.active !== true) return needs;
    addNeeds(needs, draft.reads);
    for (const dependency of draft.dependencies) addNeeds(needs, gather(dependency));
    return needs;
  };
  return (index) => finishNeeds(gather(index));
}
