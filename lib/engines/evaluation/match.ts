import type { HashId } from "#lib/engines/evaluation/hash/hash.ts";
import { own } from "#lib/engines/evaluation/values/json.ts";
import type { Comparison } from "#lib/engines/evaluation/values/operators.ts";
import type { Evaluation, Properties, Property } from "#lib/engines/evaluation/values/types.ts";
import { NO, opposite, SERVER, UNKNOWN, type Verdict, YES } from "#lib/engines/evaluation/values/verdict.ts";

/** A compiled row: what it asks, and the row it came from. */
export type Row = PropertyRow | CohortRow | FlagRow | TreeRow | FixedRow;

interface RowBase {
  /** As written, for explanations; null for a node of a cohort's tree. */
  readonly property: Property | null;
  readonly negated: boolean;
}

/** Compares one property. */
export interface PropertyRow extends RowBase {
  readonly kind: "property";
  readonly key: string;
  /** A name every object inherits, such as "constructor", needs a slower look-up. */
  readonly inherited: boolean;
  /** Where the verdict on the person is remembered; -1 for a row about a group. */
  readonly slot: number;
  /** Read from this group instead of from the condition's own person or group. */
  readonly group_type: string | null;
  readonly comparison: Comparison;
}

/** Asks for membership of a cohort. */
interface CohortRow extends RowBase {
  readonly kind: "cohort";
  readonly cohort: CompiledCohort;
}

/** Asks for another flag's value. */
interface FlagRow extends RowBase {
  readonly kind: "flag";
  /** Place of the flag in the compiled set. */
  readonly index: number;
  readonly expected: unknown;
  /** Flags that must be decided as well before the answer counts; partial mode only. */
  readonly chain: readonly number[];
}

/** A node of a cohort's tree. */
interface TreeRow extends RowBase {
  readonly kind: "tree";
  readonly every: boolean;
  readonly rows: readonly Row[];
}

/** Has the same answer for everyone, mostly because it makes no sense. */
export interface FixedRow extends RowBase {
  readonly kind: "fixed";
  readonly verdict: Verdict;
  readonly problem: string | null;
}

/** A cohort, compiled once for all flags that use it. */
export interface CompiledCohort {
  readonly id: number;
  readonly index: number;
  readonly is_static: boolean;
  /** Null for a static cohort. */
  readonly root: Row | null;
}

/** Whose properties a condition reads, and whose id it hashes. */
export interface Source {
  readonly properties: Properties;
  /** The property that stands for the id itself unless given: `distinct_id`, or `$group_key` for a group. */
  readonly id_property: string;
  readonly id: string;
  hash_id: HashId | null;
}

/** Everything a row may ask about while one subject is evaluated. */
export interface MatchContext {
  readonly now: number;
  readonly person: Source;
  readonly static_cohorts: ReadonlySet<number> | null;
  /** Verdicts on the person, plus one (0: not evaluated yet), by slot of row and by index of cohort. */
  readonly row_verdicts: Uint8Array;
  readonly cohort_verdicts: Uint8Array;
  group(type: string): Source | null;
  dependency(index: number): Evaluation;
}

/**
 * Whether all rows of a condition pass, in their order: the first that does not pass, or cannot be
 * decided, settles it.
 */
export function matchRows(rows: readonly Row[], context: MatchContext, source: Source): Verdict {
  for (let i = 0; i < rows.length; i++) {
    const verdict = matchRow(rows[i] as Row, context, source);
    if (verdict !== YES) return verdict;
  }
  return YES;
}

/** The verdict on one row. */
export function matchRow(row: Row, context: MatchContext, source: Source): Verdict {
  const verdict = ask(row, context, source);
  return row.negated ? opposite(verdict) : verdict;
}

function ask(row: Row, context: MatchContext, source: Source): Verdict {
  switch (row.kind) {
    case "property":
      return compare(row, context, source);
    case "cohort":
      return inCohort(row.cohort, context, source);
    case "flag":
      return flagHasValue(row, context);
    case "tree":
      return matchTree(row, context, source);
    case "fixed":
      return row.verdict;
  }
}

function compare(row: PropertyRow, context: MatchContext, source: Source): Verdict {
  if (source !== context.person || row.slot === -1) return compareNow(row, context, source);
  const known = context.row_verdicts[row.slot];
  if (known) return (known - 1) as Verdict;
  const verdict = compareNow(row, context, source);
  context.row_verdicts[row.slot] = verdict + 1;
  return verdict;
}

/** The verdict on one property, whatever is remembered of it. */
export function compareNow(row: PropertyRow, context: MatchContext, source: Source): Verdict {
  const from = row.group_type === null ? source : context.group(row.group_type);
  if (from === null) return row.comparison.absent;
  const value = readProperty(row.key, from, row.inherited);
  return value === undefined ? row.comparison.absent : row.comparison.test(value, context.now);
}

/** A property of a person or group; undefined when it is not there. */
export function readProperty(key: string, source: Source, inherited = key in Object.prototype): unknown {
  const value = inherited ? own(source.properties, key) : source.properties[key];
  return value === undefined && key === source.id_property ? source.id : value;
}

function inCohort(cohort: CompiledCohort, context: MatchContext, source: Source): Verdict {
  if (cohort.root === null) return context.static_cohorts?.has(cohort.id) ? YES : NO;
  // A cohort gives a different result for a group than for the person.
  if (source !== context.person) return matchRow(cohort.root, context, source);
  const known = context.cohort_verdicts[cohort.index];
  if (known) return (known - 1) as Verdict;
  const verdict = matchRow(cohort.root, context, source);
  context.cohort_verdicts[cohort.index] = verdict + 1;
  return verdict;
}

/** Every member is evaluated: one that only the server can decide leaves the whole tree to it. */
function matchTree(tree: TreeRow, context: MatchContext, source: Source): Verdict {
  if (tree.rows.length === 0) return YES;
  const decisive = tree.every ? NO : YES;
  let decided = false;
  let unknown = false;
  for (const row of tree.rows) {
    const verdict = matchRow(row, context, source);
    if (verdict === SERVER) return SERVER;
    if (verdict === UNKNOWN) unknown = true;
    else if (verdict === decisive) decided = true;
  }
  if (decided) return decisive;
  return unknown ? UNKNOWN : opposite(decisive);
}

function flagHasValue(row: FlagRow, context: MatchContext): Verdict {
  for (const index of row.chain) if (isUndecided(context.dependency(index))) return UNKNOWN;
  const actual = context.dependency(row.index);
  if (isUndecided(actual)) return UNKNOWN;
  return evaluatesTo(row.expected, actual.value) ? YES : NO;
}

/** True asks for any value but false; a text asks for that variant, to the letter. */
function evaluatesTo(expected: unknown, actual: boolean | string): boolean {
  if (typeof expected === "boolean") return expected === (actual !== false);
  return typeof expected === "string" && expected === actual;
}

/** Whether an evaluation says no more than "ask the server". */
export function isUndecided(evaluation: Evaluation): boolean {
  return evaluation.reason === "inconclusive" || evaluation.reason === "requires_server";
}
