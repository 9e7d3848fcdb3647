import type { Json } from "#lib/engines/json.ts";
import type { Flag } from "./cache.ts";

const DAY_MS = 86_400_000;
export const STALE_AFTER_MS = 30 * DAY_MS;

/** The status of a flag, and a sentence that says why. */
export type FlagStatus = { status: "ACTIVE" | "STALE" | "DELETED"; reason: string };

const groupsOf = (filters: Json) => (Array.isArray(filters.groups) ? (filters.groups as Json[]) : []);

const variantsOf = (filters: Json) => {
  const multivariate = filters.multivariate as {
    variants?: { key: string; rollout_percentage: number }[];
  } | null;
  return multivariate?.variants ?? [];
};

const takesEveryone = (group: Json) =>
  (group.rollout_percentage === 100 ||
    group.rollout_percentage === null ||
    group.rollout_percentage === undefined) &&
  (!Array.isArray(group.properties) || group.properties.length === 0);

/** The value that everyone gets, if everyone gets the same: true or a variant; null for a flag that still decides. */
export function constantValueOf(filters: Json): true | string | null {
  const everyone = groupsOf(filters).filter(takesEveryone);
  if (everyone.length === 0) return null;
  const variants = variantsOf(filters);
  if (variants.length === 0) return true;
  const forced = everyone.find((group) => typeof group.variant === "string" && group.variant !== "");
  if (forced) return String(forced.variant);
  return variants.find((variant) => variant.rollout_percentage === 100)?.key ?? null;
}

/** The same as a sentence. */
export function constantValue(filters: Json): string | null {
  const value = constantValueOf(filters);
  if (value === null) return null;
  return value === true ? "the flag is true for everyone" : `everyone gets the variant ${value}`;
}

/**
 * Status of a flag. Stale: older than 30 days and either not called for 30 days, or, where no call was ever
 * reported, the same for everyone.
 */
export function statusOf(flag: Flag, now: Date): FlagStatus {
  if (flag.deleted) return { status: "DELETED", reason: "The flag is deleted." };
  const constant = constantValue(flag.filters);
  const old = now.getTime() - flag.created_at.getTime() > STALE_AFTER_MS;
  if (flag.active && old) {
    if (flag.last_called_at) {
      const idle = now.getTime() - flag.last_called_at.getTime();
      if (idle > STALE_AFTER_MS)
        return {
          status: "STALE",
          reason: `The flag has not been called for ${Math.floor(idle / DAY_MS)} days.`,
        };
    } else if (constant) {
      return { status: "STALE", reason: `It is more than 30 days old, and ${constant}.` };
    }
  }
  if (!flag.active) return { status: "ACTIVE", reason: "The flag is disabled." };
  return {
    status: "ACTIVE",
    reason: constant ? `In use: ${constant}.` : "The flag is not fully rolled out.",
  };
}
