import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import type { SavingContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import { normalizePayloads, redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { keyTaken } from "#lib/flags/feature_flags/rules.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import { behavioralIds } from "#lib/people/cohorts/behavior.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { compileWith, type Snapshot, withoutSecrets } from "./definitions.ts";

/** Fields of a flag as they would be saved; absent ones stay as stored. */
export type ProposedFields = {
  /** The stored flag; null or absent: a new one. */
  id?: number | null | undefined;
  key?: string | undefined;
  active?: boolean | undefined;
  filters?: Json | undefined;
  deleted?: boolean | undefined;
  ensure_experience_continuity?: boolean | null | undefined;
  has_encrypted_payloads?: boolean | null | undefined;
};

/** A flag as it is stored, and as it would be after a save. */
export type Proposal = {
  stored: Flag | null;
  /** Its key after the save. */
  key: string;
  /** null: it would be deleted. Encrypted payloads are redacted, as in every evaluation. */
  definition: (FlagDefinition & { id: number; active: boolean; filters: Json }) | null;
};

const NEW_KEY = "new-flag";

async function checkFilters(context: SavingContext, snapshot: Snapshot, key: string, body: ProposedFields) {
  if (!body.filters) return;
  const cohorts = (await context.runtime.cohorts.project(context.project.id)).byId;
  const problem = findFiltersProblem(body.filters, {
    flag_id: body.id ?? null,
    flag_key: key,
    flags: new Map(snapshot.flags.live.map((flag) => [flag.id, flag])),
    cohort_ids: new Set(cohorts.keys()),
    behavioral_cohort_ids: behavioralIds(cohorts),
  });
  if (problem) throw invalid(problem.detail, "filters", problem.code, problem.path);
}

/** @throws ApiError 404 for an unknown flag, 400 for what a save would refuse */
export async function readProposal(
  context: SavingContext,
  snapshot: Snapshot,
  body: ProposedFields,
): Promise<Proposal> {
  const id = body.id ?? null;
  const stored = id === null ? null : await flagOf(context, id);
  const key = body.key || stored?.key || NEW_KEY;
  await checkFilters(context, snapshot, key, body);
  if (
    body.key &&
    key !== stored?.key &&
    snapshot.flags.live.some((flag) => flag.key === key && flag.id !== id)
  )
    throw keyTaken();
  if (body.deleted ?? stored?.deleted ?? false) return { stored, key, definition: null };
  const filters = body.filters
    ? normalizePayloads(body.filters, stored?.filters ?? null)
    : (stored?.filters ?? withGroups({}));
  const encrypted = body.has_encrypted_payloads ?? stored?.has_encrypted_payloads;
  const continuity = body.ensure_experience_continuity ?? stored?.ensure_experience_continuity ?? null;
  return {
    stored,
    key,
    definition: {
      id: stored?.id ?? 0,
      version: stored?.version ?? null,
      key,
      active: body.active ?? stored?.active ?? true,
      filters: encrypted ? redactFilters(filters) : filters,
      ensure_experience_continuity: continuity,
      pins: stored?.pins ?? [],
    },
  };
}

/** The flags of a project as they would be after some saves. */
export function compileProposed(snapshot: Snapshot, proposals: readonly Proposal[]): CompiledFlags {
  const replaced = new Set(proposals.map(({ stored }) => stored?.id));
  const others = snapshot.flags.live.filter((flag) => !replaced.has(flag.id)).map(withoutSecrets);
  return compileWith(snapshot, [...others, ...proposals.flatMap(({ definition }) => definition ?? [])]);
}
