import { type HashId, hashOf } from "#lib/engines/evaluation/hash/hash.ts";
import type { Evaluation, Subject } from "#lib/engines/evaluation/values/types.ts";
import { holdoutPrefix } from "./compile.ts";
import type { CompiledCondition, CompiledFlag, CompiledFlags } from "./compiled.ts";
import { EVERYONE, NOBODY } from "./compiled.ts";
import { EvaluationContext, elsewhere, isWithin, sourceOf } from "./evaluate.ts";
import { explainRow, type RowExplanation } from "./explain-rows.ts";
import { readProperty, type Source } from "./match.ts";
import { variantAt } from "./variants.ts";

/** A hash held against a percentage. */
interface RolloutExplanation {
  /** Percent let in, 0 to 100. */
  readonly percentage: number;
  /** Where the id falls, 0 to 1; null when nobody or everyone is let in, or there is no id. */
  readonly hash: number | null;
  readonly within: boolean;
}

/** How one release condition took the subject. */
export interface SetExplanation {
  readonly index: number;
  /** `skipped`: an earlier condition had decided already. Rows and hash are worked out all the same. */
  readonly result: "match" | "rows_failed" | "out_of_rollout" | "no_group" | "undecided" | "skipped";
  readonly rows: readonly RowExplanation[];
  readonly rollout: RolloutExplanation;
  /** The variant this condition gives to everyone it matches; null when the hash decides. */
  readonly variant_override: string | null;
}

/** How the variant came about. */
interface VariantExplanation {
  /** Where the id falls for the choice of variant, 0 to 1; null without an id. */
  readonly hash: number | null;
  /** Each variant's stretch of the unit interval: start included, end excluded. */
  readonly ranges: readonly { readonly key: string; readonly start: number; readonly end: number }[];
  /** The variant the hash falls in, whether or not it was given. */
  readonly by_hash: string | null;
}

/** Why a flag gives a subject what it gives. Plain data, ready to be sent. */
export interface FlagExplanation {
  readonly key: string;
  readonly outcome: Evaluation;
  readonly bucketing: {
    readonly by: "distinct_id" | "group" | "first_id";
    readonly group_type: string | null;
    /** The id that is hashed; null when the subject has no such group. */
    readonly id: string | null;
  };
  /** Opting in or out; null for a flag without. */
  readonly enrollment: { readonly chosen: boolean; readonly rows: readonly RowExplanation[] } | null;
  readonly holdouts: readonly { readonly variant: string; readonly rollout: RolloutExplanation }[];
  readonly sets: readonly SetExplanation[];
  /** Null for a boolean flag. */
  readonly variants: VariantExplanation | null;
}

/**
 * Explains one flag for one subject: every condition and every row, the hashes and what they were held
 * against. Conditions are worked out even where an earlier one decided.
 * @returns null when there is no such flag
 */
export function explainFlag(compiled: CompiledFlags, key: string, subject: Subject): FlagExplanation | null {
  const flag = compiled.by_key.get(key);
  if (!flag) return null;
  const context = new EvaluationContext(compiled, subject);
  const outcome = context.dependency(flag.index);
  const source = sourceOf(flag, context);
  const id = source && context.bucket(flag, source);
  return {
    key,
    outcome,
    bucketing: {
      by: flag.by_group ? "group" : id && id.text !== subject.distinct_id ? "first_id" : "distinct_id",
      group_type: flag.group_type,
      id: id?.text ?? null,
    },
    enrollment: explainEnrollment(flag, compiled, context),
    holdouts: flag.holdouts.map((holdout) => ({
      variant: String(holdout.outcome.value),
      rollout: explainRollout(holdout.threshold, holdoutPrefix, id),
    })),
    sets: flag.conditions.map((condition) => explainSet(condition, flag, compiled, context, outcome, source)),
    variants: explainVariants(flag, outcome, context, id),
  };
}

function explainEnrollment(flag: CompiledFlag, compiled: CompiledFlags, context: EvaluationContext) {
  if (flag.enrollment === null) return null;
  const { property, rows } = flag.enrollment;
  return {
    chosen: property === null || readProperty(property, context.person) !== undefined,
    rows: rows.map((row) => explainRow(row, compiled, context, context.person)),
  };
}

function explainSet(
  condition: CompiledCondition,
  flag: CompiledFlag,
  compiled: CompiledFlags,
  context: EvaluationContext,
  outcome: Evaluation,
  flagSource: Source | null,
): SetExplanation {
  const source = condition.shares_source ? flagSource : elsewhere(condition, context);
  const rows = source ? condition.rows.map((row) => explainRow(row, compiled, context, source)) : [];
  const rollout = explainRollout(condition.threshold, flag.prefix, source && context.bucket(flag, source));
  return {
    index: condition.index,
    result: wasSkipped(condition, flag, outcome) ? "skipped" : resultOf(source, rows, rollout),
    rows,
    rollout,
    variant_override: flag.variants.keys[condition.override] ?? null,
  };
}

function resultOf(
  source: Source | null,
  rows: readonly RowExplanation[],
  rollout: RolloutExplanation,
): SetExplanation["result"] {
  if (source === null) return "no_group";
  // The first row that does not pass settles the condition.
  const settled = rows.find((row) => row.result !== "pass");
  if (settled) return settled.result === "fail" ? "rows_failed" : "undecided";
  return rollout.within ? "match" : "out_of_rollout";
}

/** Whether the decision fell before a condition's turn. */
function wasSkipped(condition: CompiledCondition, flag: CompiledFlag, outcome: Evaluation): boolean {
  const decidedAt = outcome.condition_index ?? 0;
  switch (outcome.reason) {
    case "no_condition_match":
    case "no_group_type":
    case "inconclusive":
    case "requires_server":
      return false;
    case "condition_match":
      return condition.index > decidedAt;
    case "out_of_rollout_bound":
      return flag.enrollment?.property === null || (flag.early_exit && condition.index > decidedAt);
    default:
      return true;
  }
}

function explainRollout(
  threshold: number,
  prefix: CompiledFlag["prefix"],
  id: HashId | null,
): RolloutExplanation {
  if (threshold === EVERYONE) return { percentage: 100, hash: null, within: true };
  if (threshold === NOBODY) return { percentage: 0, hash: null, within: false };
  // Percentages such as 28.000000000000004 come from dividing by 100 and back.
  const percentage = Number((threshold * 100).toPrecision(15));
  if (id === null) return { percentage, hash: null, within: false };
  return { percentage, hash: hashOf(prefix, id, false), within: isWithin(threshold, prefix, id) };
}

function explainVariants(
  flag: CompiledFlag,
  outcome: Evaluation,
  context: EvaluationContext,
  flagId: HashId | null,
): VariantExplanation | null {
  const { keys, starts, ends } = flag.variants;
  if (keys.length === 0) return null;
  const condition =
    outcome.reason === "condition_match" ? flag.conditions[outcome.condition_index ?? 0] : undefined;
  const source = condition && !condition.shares_source ? elsewhere(condition, context) : null;
  const id = source ? context.bucket(flag, source) : flagId;
  const hash = id && hashOf(flag.prefix, id, true);
  return {
    hash,
    ranges: keys.map((key, i) => ({ key, start: starts[i] as number, end: ends[i] as number })),
    by_hash: hash === null ? null : (keys[variantAt(flag.variants, hash)] ?? null),
  };
}
