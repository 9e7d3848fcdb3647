import type { HashPrefix } from "#lib/engines/evaluation/hash/hash.ts";
import type {
  Evaluation,
  FlagDefinition,
  GroupTypeMapping,
  Mode,
  Needs,
} from "#lib/engines/evaluation/values/types.ts";
import type { PropertyRow, Row } from "./match.ts";
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
  /** The outcome of everyone it lets in; null when the hash decides on the variant. */
  readonly certain: Evaluation | null;
  /** Where the hash decides: the outcomes without a variant, then with each. Filled as they are reached. */
  readonly of_variants: (Evaluation | null)[];
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

/**
 * What evaluation reads of every flag, in the order in which it reads it.
 *
 * An evaluation goes through hundreds of flags. If it followed references from object to object, it would wait for
 * memory at each of them: after anything else has run, they are not in the processor's caches any more. Arrays that are
 * read from start to end are fetched ahead. Places of conditions and rows count through all flags.
 */
export interface PackedFlags {
  /** By flag: the outcome for everyone; null when somebody needs to be looked at. */
  readonly settled: readonly (Evaluation | null)[];
  /** By flag: 1 when its conditions alone decide, and all of them are about the person. */
  readonly is_plain: Uint8Array;
  /** By flag: the place of its first condition; one more at the end. */
  readonly first_condition: Int32Array;
  /** By flag: where its hash prefix starts in `words`, and how many bytes it has. */
  readonly first_word: Int32Array;
  readonly prefix_length: Int32Array;
  readonly words: Int32Array;
  /** By condition, as in `CompiledCondition`. */
  readonly threshold: Float64Array;
  readonly certain: readonly (Evaluation | null)[];
  readonly unmatched: readonly Evaluation[];
  readonly out_of_rollout: readonly Evaluation[];
  /** By condition: the place of its first row in `slots`; one more at the end. */
  readonly first_row: Int32Array;
  /** By row of a condition: its slot, or -1 when it asks for more than a property of the person. */
  readonly slots: Int32Array;
}

/** The rows about the person, by slot, laid out in the same way. */
export interface PackedRows {
  readonly rows: readonly PropertyRow[];
  /** As in the comparison: the text to be equal to. */
  readonly texts: readonly (string | null)[];
  /** 1 when a property that is equal to the text passes. */
  readonly passes_if_equal: Uint8Array;
  /** The place of the row's property in `names`. */
  readonly property: Int32Array;
  readonly names: readonly string[];
}

/** A set of flags that were compiled together and can see each other. */
export interface CompiledFlags {
  readonly mode: Mode;
  readonly flags: readonly CompiledFlag[];
  readonly by_key: ReadonlyMap<string, CompiledFlag>;
  readonly group_types: GroupTypeMapping;
  readonly cohort_count: number;
  /** What must be known for all of them. */
  readonly needs: Needs;
  readonly packed: PackedFlags;
  readonly packed_rows: PackedRows;
}
