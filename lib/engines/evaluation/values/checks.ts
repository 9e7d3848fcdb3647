import { type VariantTable, variantTable } from "#lib/engines/evaluation/variants.ts";
import { type Clause, clausesOf, findContradictions, implies } from "./contradictions.ts";
import { asIndex, asList, asRecord, asText, percentOf } from "./json.ts";
import { compileComparison } from "./operators.ts";
import type { FlagFilters } from "./types.ts";

/** Something a flag's author probably did not mean. */
export interface FilterWarning {
  readonly code:
    | "no_sets"
    | "never_matches"
    | "shadowed"
    | "redundant"
    | "rollout_excludes_everyone"
    | "invalid_value"
    | "invalid_regex"
    | "variants_sum"
    | "duplicate_variant"
    | "unknown_variant"
    | "unreachable_variant";
  /** The release condition concerned, counting from 0; null for the flag as a whole. */
  readonly set: number | null;
  /** The row within the condition, counting from 0; null for the condition as a whole. */
  readonly row: number | null;
  readonly message: string;
}

/** What the checks need besides the filters. */
export interface CheckContext {
  /** The present in milliseconds since 1970 UTC, for relative dates. */
  readonly now: number;
}

type Group = Readonly<Record<string, unknown>>;

/** A set as the checks compare it with others. */
interface SetView {
  readonly index: number;
  readonly group: Group;
  readonly clauses: readonly Clause[];
  readonly subjects: ReadonlySet<string>;
  /** Its rows as JSON. */
  readonly rows: string;
  /** At most 100. */
  readonly percent: number;
  readonly aggregation: number | null;
  /** Place of the variant it always serves; -1 lets the hash decide. */
  readonly override: number;
  readonly contradictions: ReturnType<typeof findContradictions>;
}

/** What is known of all sets of a flag. */
interface Sets {
  readonly views: readonly SetView[];
  readonly now: number;
  readonly early_exit: boolean;
  /** By set: the earlier ones that decide for everyone it could match; empty when there are none. */
  readonly covers: readonly (readonly number[])[];
  /** How many more sets may be compared row by row: hundreds of them must not stop an editor. */
  comparisons: number;
  /** The same for rows in the search for several sets that only together cover another. */
  cases: number;
}

const MOST_COMPARISONS = 10_000;
const MOST_CASES = 4_000;

/**
 * Looks a flag's filters over for what cannot work or has no effect. Takes half-written filters, as an
 * editor has them; does not repeat the rules that the API enforces on saving. Sound: what it says of a set
 * holds for everybody at `now`, however their properties and ids may look. It does not find everything.
 */
export function checkFilters(filters: FlagFilters, context: CheckContext): FilterWarning[] {
  const root = asRecord(filters) ?? {};
  const table = variantTable(root.multivariate);
  const sets = readSets(root, table, context.now);
  const warnings = [...checkVariants(root, table.keys), ...checkWhole(root, sets, table)];
  for (const set of sets.views) {
    warnings.push(...checkRows(set.group, set.index), ...checkReach(set, sets));
    const variant = asText(set.group.variant);
    if (variant !== null && set.override === -1) {
      const message = `The flag has no variant "${variant}": the hash decides instead.`;
      warnings.push({ code: "unknown_variant", set: set.index, row: null, message });
    }
  }
  return warnings;
}

/** The sets that nobody reaches, whoever they are. Sound, as the warnings are. */
export function unreachableSets(filters: FlagFilters, { now }: CheckContext): Set<number> {
  const root = asRecord(filters) ?? {};
  const sets = readSets(root, variantTable(root.multivariate), now);
  return new Set(sets.views.filter((set) => isDead(set, sets)).map(({ index }) => index));
}

function readSets(root: Group, table: VariantTable, now: number): Sets {
  const views = asList(root.groups).map((entry, index): SetView => {
    const group = asRecord(entry) ?? {};
    const clauses = clausesOf(asList(group.properties));
    const variant = asText(group.variant);
    return {
      index,
      group,
      clauses,
      subjects: new Set(clauses.map(({ subject }) => subject)),
      rows: JSON.stringify(asList(group.properties)),
      percent: Math.min(percentOf(group.rollout_percentage, 100), 100),
      aggregation: asIndex(group.aggregation_group_type_index) ?? asIndex(root.aggregation_group_type_index),
      override: variant === null ? -1 : table.keys.indexOf(variant),
      contradictions: findContradictions(clauses, now),
    };
  });
  const sets = {
    views,
    now,
    early_exit: root.early_exit === true,
    covers: [],
    comparisons: MOST_COMPARISONS,
    cases: MOST_CASES,
  };
  return { ...sets, covers: views.map((set) => findCover(set, sets)) };
}

/** Nobody matches it, nobody is let in, or somebody else has decided for all of them. */
const isDead = (set: SetView, { covers }: Sets) =>
  set.percent <= 0 || set.contradictions.length > 0 || (covers[set.index] ?? []).length > 0;

function findCover(set: SetView, sets: Sets): number[] {
  if (set.percent <= 0 || set.contradictions.length > 0) return [];
  const deciding = sets.views
    .slice(0, set.index)
    // The same hash is held against both percentages, so the larger rollout contains the smaller.
    .filter((earlier) => sets.early_exit || earlier.percent >= set.percent);
  const alone = deciding.find((earlier) => contains(earlier, set, sets));
  return alone ? [alone.index] : findJointCover(set, deciding, sets);
}

/** The fewest found of several sets of which everyone who satisfies the rows of another satisfies at least one. */
function findJointCover(set: SetView, earlier: readonly SetView[], sets: Sets): number[] {
  if (sets.cases <= 0) return [];
  let core = withSharedSubjects(
    set,
    earlier.filter((each) => each.aggregation === set.aggregation && isReadable(each)),
  );
  if (core.length < 2 || !coverJointly(set.clauses, core, sets)) return [];
  for (const each of core) {
    const fewer = core.filter((other) => other !== each);
    if (coverJointly(set.clauses, fewer, sets)) core = fewer;
  }
  return core.map(({ index }) => index);
}

/** Those that ask nothing that is asked only once: somebody else can always fail such a row. */
function withSharedSubjects(set: SetView, earlier: readonly SetView[]): readonly SetView[] {
  const asking = new Map<string, number>();
  for (const { subjects } of [set, ...earlier])
    for (const subject of subjects) asking.set(subject, (asking.get(subject) ?? 0) + 1);
  const left = earlier.filter(({ subjects }) => [...subjects].every((each) => (asking.get(each) ?? 0) > 1));
  return left.length === earlier.length ? left : withSharedSubjects(set, left);
}

/**
 * Whether nobody who satisfies these clauses fails all sets. Whoever fails a set fails one of its rows: each is a case,
 * in which the other sets have to be failed too.
 */
function coverJointly(
  clauses: readonly Clause[],
  [first, ...others]: readonly SetView[],
  sets: Sets,
): boolean {
  if (!first) return false;
  const follows = (row: Clause) => {
    sets.cases -= 1;
    return sets.cases >= 0 && implies(clauses, row, sets.now);
  };
  const fails = (row: Clause): Clause => ({ ...row, passes: !row.passes });
  // They fail this one anyway, which tells nothing new.
  if (first.clauses.some((row) => follows(fails(row)))) return coverJointly(clauses, others, sets);
  return first.clauses.every(
    (row) => follows(row) || (sets.cases > 0 && coverJointly([...clauses, fails(row)], others, sets)),
  );
}

const isReadable = ({ clauses, group }: SetView) => clauses.length === asList(group.properties).length;

/** Whether everyone who satisfies the rows of the narrow set satisfies those of the wide one. */
function contains(wide: SetView, narrow: SetView, sets: Sets): boolean {
  if (wide.aggregation !== narrow.aggregation) return false;
  if (wide.rows === "[]" || wide.rows === narrow.rows) return true;
  if (sets.comparisons <= 0 || !isReadable(wide)) return false;
  if (!wide.clauses.every(({ subject }) => narrow.subjects.has(subject))) return false;
  sets.comparisons -= 1;
  return wide.clauses.every((row) => implies(narrow.clauses, row, sets.now));
}

/** A later set that gives everyone in this one the same value; null when there is none. */
function findSame(set: SetView, sets: Sets): SetView | null {
  // With early exit, who misses the rollout of a set is out, and would not be without the set.
  if (sets.early_exit) return null;
  for (const later of sets.views.slice(set.index + 1)) {
    if (isDead(later, sets) || areDisjoint(set, later, sets)) continue;
    if (later.override !== set.override || later.aggregation !== set.aggregation) return null;
    if (later.percent >= set.percent && contains(later, set, sets)) return later;
  }
  return null;
}

/** Whether nobody satisfies the rows of both. */
function areDisjoint(a: SetView, b: SetView, sets: Sets): boolean {
  if (a.aggregation !== b.aggregation || sets.comparisons <= 0) return false;
  sets.comparisons -= 1;
  return findContradictions([...a.clauses, ...b.clauses], sets.now).length > 0;
}

function checkWhole(root: Group, sets: Sets, table: VariantTable): FilterWarning[] {
  if (sets.views.length === 0)
    return [whole("no_sets", "There is no release condition: the flag is off for everyone.")];
  const warnings: FilterWarning[] = [];
  const holdout = asRecord(root.holdout);
  if (holdout && asIndex(holdout.id) !== null && percentOf(holdout.exclusion_percentage, 0) >= 100)
    warnings.push(whole("rollout_excludes_everyone", "The holdout takes everybody, so no set is reached."));
  const live = sets.views.filter((set) => !isDead(set, sets));
  if (live.length === 0) return warnings;
  for (const [place, key] of table.keys.entries()) {
    const served = live.some(
      ({ override }) => override === place || (override === -1 && hasShare(table, place)),
    );
    // Of two variants with the same key, the other may be served.
    if (served || table.keys.indexOf(key) !== place) continue;
    const message = `Nobody gets the variant "${key}": no set that is reached serves it.`;
    warnings.push(whole("unreachable_variant", message));
  }
  return warnings;
}

/** Whether the hash of anybody can fall in a variant's share. */
function hasShare({ certain, starts, ends, keys }: VariantTable, place: number): boolean {
  return keys.some((key, i) => {
    if (key !== keys[place]) return false;
    const [start, end] = [starts[i] as number, ends[i] as number];
    return certain === -1 ? end > start && start <= 1 && end > 0 : i === certain;
  });
}

function whole(code: FilterWarning["code"], message: string): FilterWarning {
  return { code, set: null, row: null, message };
}

function variantsOf(root: Group): Group[] {
  return asList(asRecord(root.multivariate)?.variants).map((variant) => asRecord(variant) ?? {});
}

function checkVariants(root: Group, keys: readonly string[]): FilterWarning[] {
  const warnings: FilterWarning[] = [];
  if (keys.length === 0) return warnings;
  const sum = variantsOf(root).reduce(
    (total, variant) => total + percentOf(variant.rollout_percentage, 0),
    0,
  );
  if (Math.abs(sum - 100) > 1e-9) {
    const rounded = Number(sum.toFixed(6));
    warnings.push(whole("variants_sum", `The variants' percentages sum to ${rounded}, not to 100.`));
  }
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) {
    warnings.push(whole("duplicate_variant", `There is more than one variant "${twice}".`));
  }
  return warnings;
}

/** Values that cannot be compared the way their row says. */
function checkRows(group: Group, set: number): FilterWarning[] {
  return asList(group.properties).flatMap((entry, row) => {
    const property = asRecord(entry);
    if (!property || property.type === "cohort" || property.type === "flag") return [];
    const operator = asText(property.operator) ?? "exact";
    const { problem } = compileComparison(operator, property.value, "complete");
    const code = operator === "regex" || operator === "not_regex" ? "invalid_regex" : "invalid_value";
    return problem === null ? [] : [{ code, set, row, message: problem } as const];
  });
}

function checkReach(set: SetView, sets: Sets): FilterWarning[] {
  const { index } = set;
  const warnings: FilterWarning[] = set.contradictions
    // A single row that nobody satisfies is unfinished, or is reported for its value.
    .filter(({ rows }) => rows.length > 1)
    .map(({ rows, message }) => ({
      code: "never_matches",
      set: index,
      row: rows.at(-1) ?? null,
      message: `Rows ${inWords(rows)} cannot ${rows.length > 2 ? "all" : "both"} match: ${message}`,
    }));
  const add = (code: FilterWarning["code"], message: string) =>
    warnings.push({ code, set: index, row: null, message });
  const cover = sets.covers[index] ?? [];
  if (set.percent <= 0) add("rollout_excludes_everyone", "The rollout is 0%, so nobody gets in.");
  if (cover.length === 1)
    add("shadowed", `Never reached: set ${inWords(cover)} already decides for everyone it could match.`);
  if (cover.length > 1)
    add("shadowed", `Never reached: sets ${inWords(cover)} together decide for everyone it could match.`);
  const same = isDead(set, sets) ? null : findSame(set, sets);
  if (same) {
    const then = `set ${same.index + 1} gives everyone in it the same`;
    add("redundant", `Deleting this set would change nobody's value: ${then}.`);
  }
  return warnings;
}

/** Places, counted from 1: "1, 2 and 3". */
function inWords(places: readonly number[]): string {
  const [last, ...others] = places.map((place) => place + 1).reverse();
  return others.length > 0 ? `${others.reverse().join(", ")} and ${last}` : String(last);
}
