import { type HashId, type HashPrefix, hashId, hashOf } from "#lib/engines/evaluation/hash/hash.ts";
import { asRecord, own, textOf } from "#lib/engines/evaluation/values/json.ts";
import type { Evaluation, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import { NO, SERVER, YES } from "#lib/engines/evaluation/values/verdict.ts";
import { holdoutPrefix } from "./compile.ts";
import type { CompiledCondition, CompiledFlag, CompiledFlags, CompiledHoldout } from "./compiled.ts";
import { EVERYONE, NOBODY } from "./compiled.ts";
import { type MatchContext, matchRows, readProperty, type Source } from "./match.ts";
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
  readonly #compiled: CompiledFlags;
  readonly #groups = new Map<string, Source | null>();
  readonly #outcomes: (Evaluation | undefined)[] = [];
  #override: HashId | null = null;

  constructor(compiled: CompiledFlags, subject: Subject) {
    this.#compiled = compiled;
    this.subject = subject;
    this.partial = compiled.mode === "partial";
    this.now = subject.now;
    this.static_cohorts = subject.static_cohorts ?? null;
    this.row_verdicts = new Uint8Array(compiled.row_count);
    this.cohort_verdicts = new Uint8Array(compiled.cohort_count);
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
    const flag = this.#compiled.flags[index] as CompiledFlag;
    const outcome = flag.settled ?? decide(flag, this);
    this.#outcomes[index] = outcome;
    return outcome;
  }

  /** The id a flag hashes for this source. */
  bucket(flag: CompiledFlag, source: Source): HashId {
    if (flag.experience_continuity && source === this.person) {
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
  let unmatched = flag.unmatched;
  let strength = -1;
  let unknown = false;
  for (const condition of flag.conditions) {
    const outcome = tryCondition(flag, condition, context, source);
    if (outcome.value !== false || outcome === flag.requires_server) return outcome;
    if (outcome === flag.inconclusive) unknown = true;
    else {
      if (flag.early_exit && outcome === condition.out_of_rollout) return outcome;
      const rank = outcome === condition.unmatched ? 0 : outcome === condition.out_of_rollout ? 1 : 2;
      if (rank < strength) continue;
      unmatched = outcome;
      strength = rank;
    }
  }
  return unknown ? flag.inconclusive : unmatched;
}

/** Whose properties and id a flag is about; null when the subject has no such group. */
export function sourceOf(flag: CompiledFlag, context: MatchContext): Source | null {
  if (!flag.by_group) return context.person;
  return flag.group_type === null ? null : context.group(flag.group_type);
}

function tryCondition(
  flag: CompiledFlag,
  condition: CompiledCondition,
  context: EvaluationContext,
  flagSource: Source,
): Evaluation {
  const source = condition.shares_source ? flagSource : elsewhere(condition, context);
  if (source === null) return condition.groupless;
  const verdict = matchRows(condition.rows, context, source);
  if (verdict === NO) return condition.unmatched;
  if (verdict !== YES) return verdict === SERVER ? flag.requires_server : flag.inconclusive;
  const id = context.bucket(flag, source);
  return isWithin(condition.threshold, flag.prefix, id)
    ? matched(flag, condition, id)
    : condition.out_of_rollout;
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

/** The outcome of a condition that lets this id in. */
function matched(flag: CompiledFlag, condition: CompiledCondition, id: HashId): Evaluation {
  const { variants } = flag;
  let variant = condition.override;
  if (variant === -1 && variants.keys.length > 0) {
    variant = variants.certain === -1 ? variantAt(variants, hashOf(flag.prefix, id, true)) : variants.certain;
  }
  const known = condition.matched[variant + 1];
  if (known) return known;
  const outcome = flag.outcomes.of(variants.keys[variant] ?? true, "condition_match", condition.index);
  condition.matched[variant + 1] = outcome;
  return outcome;
}
