import { type HashId, type HashPrefix, hashAt, hashId, hashOf } from "#lib/engines/evaluation/hash/hash.ts";
import { asRecord, own, textOf } from "#lib/engines/evaluation/values/json.ts";
import { comparableText } from "#lib/engines/evaluation/values/operators.ts";
import type { Evaluation, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import { NO, SERVER, type Verdict, YES } from "#lib/engines/evaluation/values/verdict.ts";
import { holdoutPrefix } from "./compile.ts";
import type { CompiledCondition, CompiledFlag, CompiledFlags, CompiledHoldout } from "./compiled.ts";
import { EVERYONE, NOBODY } from "./compiled.ts";
import {
  compareNow,
  type MatchContext,
  matchRow,
  matchRows,
  type PropertyRow,
  type Row,
  readProperty,
  type Source,
} from "./match.ts";
import { variantAt } from "./variants.ts";

const NOTHING: Properties = Object.freeze({});

/** One subject while a set of flags is evaluated: remembers what flags share. */
export class EvaluationContext implements MatchContext {
  readonly now: number;
  readonly person: Source;
  readonly static_cohorts: ReadonlySet<number> | null;
  readonly subject: Subject;
  readonly partial: boolean;
  readonly row_verdicts: Uint8Array;
  readonly cohort_verdicts: Uint8Array;
  readonly compiled: CompiledFlags;
  readonly #groups = new Map<string, Source | null>();
  readonly #outcomes: (Evaluation | undefined)[] = [];
  /** By place of their name: the texts that the person's properties are compared as; null for one that is not there, or null. */
  readonly #texts: (string | null | undefined)[];
  #override: HashId | null = null;

  constructor(compiled: CompiledFlags, subject: Subject) {
    this.compiled = compiled;
    this.subject = subject;
    this.partial = compiled.mode === "partial";
    this.now = subject.now;
    this.static_cohorts = subject.static_cohorts ?? null;
    this.row_verdicts = new Uint8Array(compiled.packed_rows.rows.length);
    this.cohort_verdicts = new Uint8Array(compiled.cohort_count);
    this.#texts = new Array(compiled.packed_rows.names.length);
    this.person = {
      properties: subject.person_properties ?? NOTHING,
      id_property: "distinct_id",
      id: subject.distinct_id,
      hash_id: null,
    };
  }

  /** The subject's group of a type; null when it has none. */
  group(type: string): Source | null {
    const known = this.#groups.get(type);
    if (known !== undefined) return known;
    const id = own(this.subject.groups ?? NOTHING, type);
    const properties = asRecord(own(this.subject.group_properties ?? NOTHING, type));
    const source: Source | null =
      id === undefined || id === null
        ? null
        : { properties: properties ?? NOTHING, id_property: "$group_key", id: textOf(id), hash_id: null };
    this.#groups.set(type, source);
    return source;
  }

  /** The outcome of the flag at a place of the compiled set, worked out once. */
  dependency(index: number): Evaluation {
    const known = this.#outcomes[index];
    if (known !== undefined) return known;
    const { packed, flags } = this.compiled;
    const outcome =
      packed.settled[index] ??
      (packed.is_plain[index] === 1
        ? decideByConditions(index, null, this, this.person)
        : decide(flags[index] as CompiledFlag, this));
    this.#outcomes[index] = outcome;
    return outcome;
  }

  /** The verdict on the person of the row in a slot, worked out once. */
  rowVerdict(slot: number): Verdict {
    const known = this.row_verdicts[slot];
    if (known) return (known - 1) as Verdict;
    const { rows, texts, passes_if_equal, property } = this.compiled.packed_rows;
    const wanted = texts[slot] as string | null;
    const given = wanted === null ? null : this.#textOf(property[slot] as number);
    const verdict =
      given === null
        ? compareNow(rows[slot] as PropertyRow, this, this.person)
        : (given === wanted) === (passes_if_equal[slot] === 1)
          ? YES
          : NO;
    this.row_verdicts[slot] = verdict + 1;
    return verdict;
  }

  #textOf(place: number): string | null {
    const known = this.#texts[place];
    if (known !== undefined) return known;
    const value = readProperty(this.compiled.packed_rows.names[place] as string, this.person);
    const text = value === undefined || value === null ? null : comparableText(value);
    this.#texts[place] = text;
    return text;
  }

  /**
   * The id a flag hashes for this source.
   * @param flag null for a plain one
   */
  bucket(flag: CompiledFlag | null, source: Source): HashId {
    if (flag?.experience_continuity && source === this.person) {
      const text = own(this.subject.hash_key_overrides ?? NOTHING, flag.key);
      if (typeof text === "string" && text !== "") {
        if (this.#override?.text !== text) this.#override = hashId(text);
        return this.#override as HashId;
      }
    }
    source.hash_id ??= hashId(source.id);
    return source.hash_id;
  }
}

/**
 * Evaluates many flags for one subject.
 * @param keys only these flags, in this order; unknown keys are left out. All flags when not given.
 * @returns one outcome a flag, in the order of the definitions or of `keys`
 */
export function evaluateAll(
  compiled: CompiledFlags,
  subject: Subject,
  keys?: Iterable<string>,
): Evaluation[] {
  const context = new EvaluationContext(compiled, subject);
  const outcomes: Evaluation[] = [];
  if (keys === undefined) {
    for (let i = 0; i < compiled.flags.length; i++) outcomes.push(context.dependency(i));
    return outcomes;
  }
  for (const key of keys) {
    const flag = compiled.by_key.get(key);
    if (flag) outcomes.push(context.dependency(flag.index));
  }
  return outcomes;
}

/** Evaluates one flag for one subject; null when there is no such flag. */
export function evaluateFlag(compiled: CompiledFlags, key: string, subject: Subject): Evaluation | null {
  const flag = compiled.by_key.get(key);
  return flag ? new EvaluationContext(compiled, subject).dependency(flag.index) : null;
}

/** Pin, group, enrollment, holdout, release conditions: the first that decides wins. */
function decide(flag: CompiledFlag, context: EvaluationContext): Evaluation {
  const pin = flag.pins?.get(context.subject.distinct_id);
  return pin && context.now < pin.until ? pin.outcome : decideUnpinned(flag, context);
}

function decideUnpinned(flag: CompiledFlag, context: EvaluationContext): Evaluation {
  const source = sourceOf(flag, context);
  const early = decideEarly(flag, context, source);
  if (early !== null || source === null) return early ?? flag.groupless;
  return decideByConditions(flag.index, flag, context, source);
}

/** What becomes of somebody at a condition. If none lets them in, the last of the first three with the highest number counts. */
const NOT_MATCHED = 0;
const OUT_OF_ROLLOUT = 1;
const WITHOUT_GROUP = 2;
const UNDECIDED = 3;
const ON_SERVER = 4;
const LET_IN = 5;

/**
 * What the release conditions decide.
 * @param flag null for a plain one, which then need not be read
 * @param source whom the flag is about
 */
function decideByConditions(
  index: number,
  flag: CompiledFlag | null,
  context: EvaluationContext,
  source: Source,
): Evaluation {
  const { packed, flags } = context.compiled;
  const first = packed.first_condition[index] as number;
  const end = packed.first_condition[index + 1] as number;
  let result = NOT_MATCHED;
  let decisive = -1;
  let isUndecided = false;
  for (let place = first; place < end; place++) {
    const condition = flag?.conditions[place - first];
    const asked = condition && !condition.shares_source ? elsewhere(condition, context) : source;
    const own = tryCondition(place, index, flag, context, asked);
    if (own === LET_IN) return outcomeOf(place, index, flag, context, asked as Source);
    if (own === ON_SERVER) return (flags[index] as CompiledFlag).requires_server;
    if (own === UNDECIDED) isUndecided = true;
    else if (own >= result) {
      decisive = place;
      result = own;
    }
    if (own === OUT_OF_ROLLOUT && flag?.early_exit) return packed.out_of_rollout[place] as Evaluation;
  }
  if (isUndecided) return (flags[index] as CompiledFlag).inconclusive;
  if (decisive === -1) return (flags[index] as CompiledFlag).unmatched;
  if (result === NOT_MATCHED) return packed.unmatched[decisive] as Evaluation;
  if (result === OUT_OF_ROLLOUT) return packed.out_of_rollout[decisive] as Evaluation;
  const condition = flag?.conditions[decisive - first];
  return (condition as CompiledCondition).groupless;
}

/**
 * @param place of the condition, which belongs to the flag at `index`
 * @param source whom it asks; null when there is no such group
 */
function tryCondition(
  place: number,
  index: number,
  flag: CompiledFlag | null,
  context: EvaluationContext,
  source: Source | null,
): number {
  if (source === null) return WITHOUT_GROUP;
  const verdict = matchCondition(place, index, context, source);
  if (verdict === NO) return NOT_MATCHED;
  if (verdict !== YES) return verdict === SERVER ? ON_SERVER : UNDECIDED;
  const { packed } = context.compiled;
  const threshold = packed.threshold[place] as number;
  if (threshold === EVERYONE) return LET_IN;
  if (threshold === NOBODY) return OUT_OF_ROLLOUT;
  const first = packed.first_word[index] as number;
  const bytes = packed.prefix_length[index] as number;
  return hashAt(packed.words, first, bytes, context.bucket(flag, source), false) > threshold
    ? OUT_OF_ROLLOUT
    : LET_IN;
}

/** As `matchRows`, for the rows of a condition. */
function matchCondition(place: number, index: number, context: EvaluationContext, source: Source): Verdict {
  const { packed } = context.compiled;
  const first = packed.first_row[place] as number;
  const end = packed.first_row[place + 1] as number;
  for (let n = first; n < end; n++) {
    const slot = packed.slots[n] as number;
    const verdict =
      slot !== -1
        ? context.rowVerdict(slot)
        : matchRow(rowsAt(place, index, context)[n - first] as Row, context, source);
    if (verdict !== YES) return verdict;
  }
  return YES;
}

/** The rows themselves of a condition. */
function rowsAt(place: number, index: number, { compiled }: EvaluationContext): readonly Row[] {
  const n = place - (compiled.packed.first_condition[index] as number);
  return compiled.flags[index]?.conditions[n]?.rows ?? [];
}

/** The outcome of a condition that lets somebody in. */
function outcomeOf(
  place: number,
  index: number,
  flag: CompiledFlag | null,
  context: EvaluationContext,
  source: Source,
): Evaluation {
  const { packed, flags } = context.compiled;
  const certain = packed.certain[place];
  if (certain) return certain;
  const { variants, prefix, outcomes, conditions } = flags[index] as CompiledFlag;
  const variant = variantAt(variants, hashOf(prefix, context.bucket(flag, source), true));
  const condition = conditions[place - (packed.first_condition[index] as number)] as CompiledCondition;
  const known = condition.of_variants[variant + 1];
  if (known) return known;
  const outcome = outcomes.of(variants.keys[variant] ?? true, "condition_match", condition.index);
  condition.of_variants[variant + 1] = outcome;
  return outcome;
}

/** Whose properties and id a flag is about; null when the subject has no such group. */
export function sourceOf(flag: CompiledFlag, context: MatchContext): Source | null {
  if (!flag.by_group) return context.person;
  return flag.group_type === null ? null : context.group(flag.group_type);
}

/** What comes before the release conditions; null when it leaves the decision to them. */
function decideEarly(
  flag: CompiledFlag,
  context: EvaluationContext,
  source: Source | null,
): Evaluation | null {
  // An SDK does not know the first id a person was seen with.
  if (flag.experience_continuity && context.partial) return flag.inconclusive;
  if (flag.by_group && flag.group_type === null) return context.partial ? flag.inconclusive : flag.groupless;
  if (source === null) return flag.groupless;
  if (flag.enrollment !== null) {
    const outcome = enrolled(flag, context, source);
    if (outcome !== null) return outcome;
  }
  for (const holdout of flag.holdouts) {
    const outcome = heldOut(holdout, flag, context, source);
    if (outcome !== null) return outcome;
  }
  return null;
}

function enrolled(flag: CompiledFlag, context: EvaluationContext, source: Source): Evaluation | null {
  const { enrollment } = flag;
  if (enrollment === null) return null;
  if (enrollment.property === null) {
    return isWithin(enrollment.threshold, flag.prefix, context.bucket(flag, source))
      ? enrollment.accepted
      : enrollment.declined;
  }
  if (readProperty(enrollment.property, context.person) === undefined) return null;
  return matchRows(enrollment.rows, context, context.person) === YES
    ? enrollment.accepted
    : enrollment.declined;
}

function heldOut(holdout: CompiledHoldout, flag: CompiledFlag, context: EvaluationContext, source: Source) {
  if (holdout.threshold === NOBODY) return null;
  const verdict = matchRows(holdout.rows, context, source);
  if (verdict === NO) return null;
  if (!isWithin(holdout.threshold, holdoutPrefix, context.bucket(flag, source))) return null;
  return verdict === YES ? holdout.outcome : flag.inconclusive;
}

/** The group a condition is about when that is not what its flag is about; null when there is none. */
export function elsewhere(condition: CompiledCondition, context: MatchContext): Source | null {
  return condition.group_type === null ? null : context.group(condition.group_type);
}

/** Whether an id falls within a rollout. */
export function isWithin(threshold: number, prefix: HashPrefix, id: HashId): boolean {
  if (threshold === EVERYONE) return true;
  return threshold !== NOBODY && !(hashOf(prefix, id, false) > threshold);
}
