import { personName } from "#components/kit/person-name.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { constantValue } from "#lib/flags/feature_flags/status.ts";
import type { ProjectUsage } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { type Names, rolloutTokens, type Token, variantsOf } from "#lib/people/conditions/words.ts";

/** A row of the list: a flag prepared for display. */
export type ListItem = {
  id: number;
  key: string;
  name: string;
  active: boolean;
  stale: string | null;
  kind: FlagKind;
  rollout: Token[];
  variants: { name: string; percent: number }[];
  surveys: { id: string; name: string }[];
  experiments: number[];
  tags: string[];
  runtime: "all" | "server" | "client";
  changed: { at: string; by: string | null };
  last_called_at: string | null;
  /** Calls on each of the last days, oldest first; null if unknown. */
  calls: number[] | null;
  /** Paths of stored values that cannot be read. */
  unreadable: readonly string[];
};

export type FlagKind = "boolean" | "variants" | "remote";

/** What a flag returns: on or off, one of several variants, or a payload. */
export const kindOf = (flag: Pick<FlagRecord, "filters" | "is_remote_configuration">): FlagKind =>
  flag.is_remote_configuration ? "remote" : variantsOf(flag.filters).length > 0 ? "variants" : "boolean";

export const KIND_WORDS: Record<FlagKind, string> = {
  boolean: "On or off",
  variants: "Variants",
  remote: "Remote configuration",
};

export const RUNTIME_WORDS = { all: "Everywhere", server: "Servers only", client: "Clients only" } as const;

const DAY_MS = 86_400_000;
const CONSTANTLY_ON = "the flag is true for everyone";

/** Why a flag is stale, in a sentence; null for one that is not. */
export function staleReason(flag: FlagRecord, now: number): string | null {
  if (flag.status !== "STALE") return null;
  if (flag.last_called_at) {
    const days = Math.floor((now - Date.parse(flag.last_called_at)) / DAY_MS);
    return `Not called for ${days} days`;
  }
  const constant = constantValue(flag.filters);
  if (!constant) return "Over 30 days old and not in use";
  return `Over 30 days old, ${constant === CONSTANTLY_ON ? "on for everyone" : constant}`;
}

export function listItemOf(
  flag: FlagRecord,
  names: Names,
  now: number,
  usage: ProjectUsage | null,
): ListItem {
  return {
    id: flag.id,
    key: flag.key,
    name: flag.name,
    active: flag.active,
    stale: staleReason(flag, now),
    kind: kindOf(flag),
    rollout: rolloutTokens(flag.filters, names),
    variants: variantsOf(flag.filters).map(({ key, rollout_percentage }) => ({
      name: key,
      percent: rollout_percentage,
    })),
    surveys: flag.surveys.map(({ id, name }) => ({ id, name })),
    experiments: flag.experiment_set,
    tags: flag.tags,
    runtime: flag.evaluation_runtime ?? "all",
    changed: { at: flag.updated_at ?? flag.created_at, by: personName(flag.last_modified_by) },
    last_called_at: flag.last_called_at,
    calls: usage ? (usage.flags[flag.key] ?? null) : null,
    unreadable: flag.unreadable_fields ?? [],
  };
}
