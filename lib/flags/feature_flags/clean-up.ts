import type { FlagRecord } from "./schema.ts";
import { constantValueOf, STALE_AFTER_MS } from "./status.ts";
import type { FlagCallers } from "./usage/usage-contract.ts";

/** What is known of a flag that nobody may need any more. */
export type CleanUpFacts = {
  flag: Pick<
    FlagRecord,
    | "active"
    | "deleted"
    | "status"
    | "filters"
    | "is_remote_configuration"
    | "created_at"
    | "last_called_at"
    | "experiment_set"
    | "surveys"
  >;
  /** Flags that depend on it. */
  dependents: readonly { active: boolean }[];
  now: number;
};

/** The steps in which a flag goes, in their order. */
export const CLEAN_UP_STEPS = ["code", "uses", "off", "deleted"] as const;
export type CleanUpStep = (typeof CLEAN_UP_STEPS)[number];

const isIdle = ({ flag, now }: Pick<CleanUpFacts, "flag" | "now">): boolean =>
  flag.last_called_at === null || now - Date.parse(flag.last_called_at) > STALE_AFTER_MS;

/**
 * Whether a flag is stale, or was until somebody began to clean it up. Never a remote configuration: it is meant to be
 * the same for everyone, and is read without a call being reported.
 */
export function needsCleanUp({ flag, now }: Pick<CleanUpFacts, "flag" | "now">): boolean {
  if (flag.is_remote_configuration) return false;
  if (flag.status === "STALE") return true;
  const isOld = now - Date.parse(flag.created_at) > STALE_AFTER_MS;
  return (flag.deleted || !flag.active) && isOld && isIdle({ flag, now });
}

/** Which steps are done, as the stored data say. */
export function findDoneSteps(facts: CleanUpFacts): Record<CleanUpStep, boolean> {
  const { flag, dependents } = facts;
  return {
    code: isIdle(facts),
    uses:
      flag.experiment_set.length === 0 &&
      flag.surveys.length === 0 &&
      !dependents.some((each) => each.active),
    off: !flag.active || flag.deleted,
    deleted: flag.deleted,
  };
}

/** The value that the code goes on with, and why that one. */
export type KeptValue = { value: boolean | string; reason: "everyone" | "most_calls" | "off" };

/**
 * The value to keep in the code: what everyone gets, else what most calls returned; off where the flag is off and
 * nobody called.
 *
 * @returns null where nothing says which it is
 */
export function findKeptValue(
  { active, filters }: Pick<FlagRecord, "active" | "filters">,
  responses: FlagCallers["responses"],
): KeptValue | null {
  const constant = constantValueOf(filters);
  if (active && constant !== null) return { value: constant, reason: "everyone" };
  const most = responses.find(({ response }) => response !== "");
  if (most) {
    const { response } = most;
    return { value: response === "true" || (response !== "false" && response), reason: "most_calls" };
  }
  if (!active)
    return constant === null ? { value: false, reason: "off" } : { value: constant, reason: "everyone" };
  return null;
}
