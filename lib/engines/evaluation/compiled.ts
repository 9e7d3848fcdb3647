import type { HashPrefix } from "#lib/engines/evaluation/hash/hash.ts";
import type {
  Evaluation,
  FlagDefinition,
  GroupTypeMapping,
  Mode,
  Needs,
} from "#lib/engines/evaluation/values/types.ts";
import type { Row } from "./match.ts";
import type { OutcomeTable } from "./outcomes.ts";
import type { VariantTable } from "./variants.ts";

/** Lets everyone in without a hash. */
export const EVERYONE = 2;

/** Lets nobody in. */
export const NOBODY = -1;

/** A release condition, ready to run. */
export interface CompiledCondition {
  readonly index: number;
  readonly rows: readonly Row[];
  /** Largest hash let in: percent / 100, or {@link EVERYONE}, or {@link NOBODY}. */
  readonly threshold: number;
  /** Place of the variant everyone here gets; -1 lets the hash decide. */
  readonly override: number;
  /** About the same person or group as its flag. */
  readonly shares_source: boolean;
  /** The type of the group it is about; null for the person, or when the type is not known. */
  readonly group_type: string | null;
  /** Outcomes once matched: first without a variant, then one for each. Filled as they are reached. */
  readonly matched: (Evaluation | null)[];
  readonly unmatched: Evaluation;
  readonly out_of_rollout: Evaluation;
  readonly groupless: Evaluation;
}

/** A share of people held out of every flag with the same holdout. */
export interface CompiledHoldout {
  readonly rows: readonly Row[];
  readonly threshold: number;
  readonly outcome: Evaluation;
}

/** Opting in or out of an early-access feature decides before everything else. */
export interface CompiledEnrollment {
  /** The property whose presence means that the person chose; null when the rollout alone decides. */
  readonly property: string | null;
  readonly rows: readonly Row[];
  readonly threshold: number;
  readonly accepted: Evaluation;
  readonly declined: Evaluation;
}

/** What somebody is pinned to. */
interface CompiledPin {
  readonly outcome: Evaluation;
  /** Milliseconds; infinity where it does not end. */
  readonly until: number;
}

/** A flag, ready to be evaluated. */
export interface CompiledFlag {
  readonly definition: FlagDefinition;
  readonly key: string;
  readonly index: number;
  /** The outcome for everyone, when nobody needs to be looked at: disabled, undecidable, or on for all. */
  readonly settled: Evaluation | null;
  readonly prefix: HashPrefix;
  readonly by_group: boolean;
  readonly group_type: string | null;
  readonly conditions: readonly CompiledCondition[];
  /** By distinct id; null for a flag without. */
  readonly pins: ReadonlyMap<string, CompiledPin> | null;
  readonly variants: VariantTable;
  readonly holdouts: readonly CompiledHoldout[];
  readonly enrollment: CompiledEnrollment | null;
  readonly early_exit: boolean;
  readonly experience_continuity: boolean;
  /** Reached when there is no condition at all. */
  readonly unmatched: Evaluation;
  readonly groupless: Evaluation;
  readonly inconclusive: Evaluation;
  readonly requires_server: Evaluation;
  readonly outcomes: OutcomeTable;
  /** What must be known for this flag and those it depends on. */
  readonly needs: Needs;
  /** Flags its rows ask for, by index. */
  readonly dependencies: readonly number[];
}

/** A set of flags that were compiled together and can see each other. */
export interface CompiledFlags {
  readonly mode: Mode;
  readonly flags: readonly CompiledFlag[];
  readonly by_key: ReadonlyMap<string, CompiledFlag>;
  readonly group_types: GroupTypeMapping;
  readonly cohort_count: number;
  /** Number of different rows about the person. */
  readonly row_count: number;
  /** What must be known for all of them. */
  readonly needs: Needs;
}
