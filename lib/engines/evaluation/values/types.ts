/**
 * The types of flag evaluation: definitions, subjects and results.
 * Field names are those of the API and the database. Definitions may be stored JSON of any age, so
 * everything below tolerates null and absent members; the compiler never trusts a shape.
 */

/** Any JSON value: what a person or group property can hold. */
type PropertyValue = unknown;

/** Properties by name. */
export type Properties = Readonly<Record<string, PropertyValue>>;

/** Every way a row can compare a property with its value. */
export type Operator =
  | "exact"
  | "is_not"
  | "is_set"
  | "is_not_set"
  | "icontains"
  | "not_icontains"
  | "icontains_multi"
  | "not_icontains_multi"
  | "starts_with"
  | "not_starts_with"
  | "ends_with"
  | "not_ends_with"
  | "regex"
  | "not_regex"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "min"
  | "max"
  | "is_date_exact"
  | "is_date_before"
  | "is_date_after"
  | "semver_eq"
  | "semver_neq"
  | "semver_gt"
  | "semver_gte"
  | "semver_lt"
  | "semver_lte"
  | "semver_tilde"
  | "semver_caret"
  | "semver_wildcard"
  | "in"
  | "not_in"
  | "flag_evaluates_to";

/** One row of a release condition or a cohort: a comparison, a cohort membership, or another flag's value. */
export interface Property {
  readonly key: string;
  readonly type?: "person" | "group" | "cohort" | "flag" | (string & {});
  readonly value?: PropertyValue;
  /** Absent or null means `exact`. */
  readonly operator?: Operator | (string & {}) | null;
  readonly group_type_index?: number | null;
  /** Turns the row around; heeded inside cohorts only. */
  readonly negation?: boolean | null;
  /** Keys to evaluate first, the referenced flag last; only in the definitions handed to SDKs. */
  readonly dependency_chain?: readonly string[];
}

/** A release condition: all its rows must pass, then its share of people is let in. */
export interface FlagGroup {
  readonly properties?: readonly Property[] | null;
  /** Percent, 0 to 100. Null or absent lets everyone in. */
  readonly rollout_percentage?: number | null;
  /** The variant everyone matched here gets, instead of the hashed one. */
  readonly variant?: string | null;
  readonly aggregation_group_type_index?: number | null;
  readonly description?: string | null;
  readonly sort_key?: string | null;
}

/** One arm of a multivariate flag; percentages of a flag's variants sum to 100. */
interface FlagVariant {
  readonly key: string;
  readonly name?: string | null;
  readonly rollout_percentage: number;
}

/** What a flag does, as stored. */
export interface FlagFilters {
  readonly groups?: readonly FlagGroup[] | null;
  readonly multivariate?: { readonly variants?: readonly FlagVariant[] | null } | null;
  /** Payload by variant key, or under "true" for a boolean flag. */
  readonly payloads?: Readonly<Record<string, unknown>> | null;
  readonly aggregation_group_type_index?: number | null;
  readonly super_groups?: readonly FlagGroup[] | null;
  readonly feature_enrollment?: boolean | null;
  readonly holdout_groups?: readonly FlagGroup[] | null;
  readonly holdout?: { readonly id: number; readonly exclusion_percentage: number } | null;
  /** Stop with false as soon as a condition's rows pass and its rollout does not. */
  readonly early_exit?: boolean | null;
}

/** The value that one person gets, whatever the targeting says. */
export interface Pin {
  readonly distinct_ids: readonly string[];
  /** A variant; for a boolean flag, true. False: off. */
  readonly value: boolean | string;
  /** A moment, ISO 8601. Null: until it is removed. */
  readonly until: string | null;
}

/** A flag as the engine needs it; a database row or a definition for SDKs both fit. */
export interface FlagDefinition {
  readonly id?: number | null;
  readonly key: string;
  readonly active?: boolean | null;
  readonly version?: number | null;
  readonly filters?: FlagFilters | null;
  readonly ensure_experience_continuity?: boolean | null;
  readonly evaluation_runtime?: string | null;
  readonly pins?: readonly Pin[] | null;
}

/** A node of a cohort's tree: rows, or further nodes, joined by AND or OR. */
export interface CohortTree {
  readonly type?: "AND" | "OR" | (string & {});
  readonly values?: readonly (CohortTree | Property)[] | null;
}

/** A cohort: a tree of rows, or a static list the caller knows the members of. */
export interface CohortDefinition {
  readonly id: number;
  readonly is_static?: boolean | null;
  readonly properties?: CohortTree | null;
}

/** Group type names by index, e.g. `{ "0": "company" }`. */
export type GroupTypeMapping = Readonly<Record<string, string>>;

/** The subject of an evaluation, with everything known about them. */
export interface Subject {
  readonly distinct_id: string;
  readonly person_properties?: Properties | null;
  /** Group key by group type name. */
  readonly groups?: Readonly<Record<string, string>> | null;
  /** Group properties by group type name. */
  readonly group_properties?: Readonly<Record<string, Properties>> | null;
  /** Hash key by flag key: the first id this person was seen with, for flags that stay the same over sign-up. */
  readonly hash_key_overrides?: Readonly<Record<string, string>> | null;
  /** Ids of the static cohorts the person is in. */
  readonly static_cohorts?: ReadonlySet<number> | null;
  /** The present, in milliseconds since 1970 UTC: relative dates count back from it. */
  readonly now: number;
}

/**
 * `complete` is the server's view: what is not given does not exist, so every question has an answer.
 * `partial` is an SDK's view: what is not given may exist elsewhere, so the answer can be "ask the server".
 */
export type Mode = "complete" | "partial";

/** Why a flag has its value. The last two occur in partial mode only. */
export type ReasonCode =
  | "pinned"
  | "condition_match"
  | "no_condition_match"
  | "out_of_rollout_bound"
  | "no_group_type"
  | "super_condition_value"
  | "holdout_condition_value"
  | "missing_dependency"
  | "disabled"
  | "inconclusive"
  | "requires_server";

/**
 * What one flag gives one person. Frozen, and the same object whenever a compiled flag reaches the same
 * outcome, so a WeakMap keyed by it can hold, for instance, its JSON text.
 */
export interface Evaluation {
  readonly key: string;
  readonly id: number | null;
  readonly version: number | null;
  /** False, true, or the variant's key. */
  readonly value: boolean | string;
  readonly variant: string | null;
  readonly reason: ReasonCode;
  /** Index of the release condition that decided, from 0; null when none did. */
  readonly condition_index: number | null;
  /** The stored payload of the value, null when off or when there is none. */
  readonly payload: unknown;
}

/** What must be known of a person before a flag, or a set of flags, can be evaluated. */
export interface Needs {
  readonly person_properties: readonly string[];
  readonly group_types: readonly string[];
  readonly static_cohort_ids: readonly number[];
  readonly experience_continuity: boolean;
}
