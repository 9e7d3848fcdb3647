import { sameJson } from "#lib/activity/changes.ts";
import { authorOf } from "#lib/activity/service.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { CONTROL, parseVariants, type Variant } from "#lib/experiments/experiments/rules.ts";
import type { ExperimentRow } from "#lib/experiments/experiments/store.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { insertOwned, updateOwned } from "#lib/flags/feature_flags/owned.ts";
import { checkFilters, keyTaken, releaseKey, sealed } from "#lib/flags/feature_flags/rules.ts";
import { flagKey } from "#lib/flags/feature_flags/schema.ts";
import { type FlagRow, lockFlag, lockFlagByKey } from "#lib/flags/feature_flags/store.ts";
import { normalizeFilters } from "#lib/people/conditions/filters-schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { plural } from "#lib/platform/format.ts";
import { ApiError, invalid } from "#lib/platform/http/errors.ts";
import { parse } from "#lib/platform/http/validation.ts";
import { shippedFilters } from "./ship.ts";

const EVEN_SPLIT: Variant[] = [
  { key: CONTROL, name: "Control Group", rollout_percentage: 50 },
  { key: "test", name: "Test Variant", rollout_percentage: 50 },
];

/** Variants of a flag, as stored. */
export function variantsOf(filters: Json): Variant[] {
  const { multivariate } = filters;
  return isObject(multivariate) && Array.isArray(multivariate.variants) ? multivariate.variants : [];
}

/** Why an experiment cannot use a flag; null if it can. */
function eligibilityProblem(filters: Json): string | null {
  const keys = variantsOf(filters).map(({ key }) => key);
  if (keys.length < 2) return `It needs at least two variants: ${CONTROL}, and one to try.`;
  return keys[0] === CONTROL ? null : `Its first variant must have the key ${CONTROL}.`;
}

/** A holdout in a flag's filters: the current form and the one that older SDKs read. */
function holdoutFilters(holdout: { id: number; filters: Json[] } | null): Json {
  if (!holdout) return { holdout_groups: null };
  const [first, ...others] = holdout.filters;
  const properties = first?.properties;
  // The current form has no conditions: a holdout with conditions is written in the older form only.
  const plain = others.length === 0 && !(Array.isArray(properties) && properties.length > 0);
  return {
    holdout_groups: holdout.filters,
    ...(plain && { holdout: { id: holdout.id, exclusion_percentage: first?.rollout_percentage ?? 100 } }),
  };
}

/** Filters with another holdout in them. */
function withHoldout(filters: Json, holdout: { id: number; filters: Json[] } | null): Json {
  const { holdout: _, holdout_groups: __, ...rest } = filters;
  return { ...rest, ...holdoutFilters(holdout) };
}

/** What a new experiment requires of its flag. */
export type FlagInput = {
  key: string;
  name: string;
  parameters: Json | null;
  holdout: { id: number; filters: Json[] } | null;
  launch: boolean;
};

/** The experiment's flag, locked: the existing one, checked, or a new one. */
export async function lockOrCreateFlag(tx: Db, context: MemberContext, input: FlagInput): Promise<FlagRow> {
  const locked = await lockFlagByKey(tx, context.project.id, input.key);
  const there = locked && readFlag(locked, context.runtime.settings.encryption_key);
  if (!there) return createFlag(tx, context, input);
  const problem = eligibilityProblem(there.filters);
  if (problem) throw invalid(`The feature flag ${there.key} cannot be used for an experiment. ${problem}`);
  return there;
}

/** Throws as the flag would: its key is invalid, not the experiment's field. */
function checkKey(key: string): void {
  try {
    parse(flagKey, key);
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message, "key", error.code);
    throw error;
  }
}

async function createFlag(tx: Db, context: MemberContext, input: FlagInput): Promise<FlagRow> {
  checkKey(input.key);
  const { parameters } = input;
  const filters = normalizeFilters({
    groups: [{ properties: [], rollout_percentage: parameters?.rollout_percentage ?? 100 }],
    multivariate: { variants: parseVariants(parameters) ?? EVEN_SPLIT },
    aggregation_group_type_index: parameters?.aggregation_group_type_index ?? null,
    ...holdoutFilters(input.holdout),
  });
  await checkFilters(tx, context, filters, { id: null, key: input.key });
  await releaseKey(tx, context, input.key, null);
  const made = await insertOwned(tx, authorOf(context), {
    key: input.key,
    name: `Feature flag of the experiment ${input.name}`,
    filters,
    active: input.launch,
    creation_context: "experiments",
    ensure_experience_continuity: parameters?.ensure_experience_continuity === true,
    created_at: context.now,
    updated_at: context.now,
  });
  if (!made) throw keyTaken();
  return made;
}

type Run = Pick<ExperimentRow, "start_date" | "end_date" | "deleted">;
const isRunning = ({ start_date, end_date, deleted }: Run) => start_date && !end_date && !deleted;

/**
 * Of an experiment that begins to run: whether chance assigns everybody to a variant.
 *
 * @param before null for a new one
 * @throws ApiError 400 where people are pinned to a value of its flag
 */
export function checkPins(
  { key, pins }: FlagRow,
  { before, after }: { before: Run | null; after: Run },
  now: Date,
): void {
  if (!isRunning(after) || (before && isRunning(before))) return;
  const count = pins.filter(({ until }) => until === null || Date.parse(until) > now.getTime()).length;
  if (count > 0)
    throw invalid(
      `${plural(count, "person is", "people are")} pinned to a value of the flag ${key}, which would bias the results. Remove the pins first.`,
      "start_date",
    );
}

/** Changes to a flag; absent members are kept. */
export type FlagChange = {
  variants?: Variant[] | undefined;
  aggregation_group_type_index?: number | null | undefined;
  holdout?: { id: number; filters: Json[] } | null | undefined;
  activate?: boolean | undefined;
  /** Variant that everybody gets. */
  ship?: string | undefined;
};

function changedFilters(filters: Json, change: FlagChange): Json {
  const index = change.aggregation_group_type_index;
  const base = change.ship === undefined ? filters : shippedFilters(filters, change.ship);
  const next = {
    ...base,
    ...(change.variants && { multivariate: { variants: change.variants } }),
    ...(index !== undefined && { aggregation_group_type_index: index }),
  };
  return change.holdout === undefined ? next : withHoldout(next, change.holdout);
}

/** Removed variants lose their payloads: a payload without a variant could not be saved. */
function withoutStrayPayloads(filters: Json): Json {
  if (!isObject(filters.payloads)) return filters;
  const keys = new Set(variantsOf(filters).map(({ key }) => key));
  const remaining = Object.entries(filters.payloads).filter(([key]) => keys.has(key));
  return { ...filters, payloads: Object.fromEntries(remaining) };
}

/** Changes an experiment's flag where it differs; recorded in the flag's own activity. */
export async function changeFlag(
  tx: Db,
  context: MemberContext,
  flagId: number,
  change: FlagChange,
): Promise<FlagRow> {
  const locked = await lockFlag(tx, context.project.id, flagId);
  if (!locked) throw new Error(`Flag ${flagId} of an experiment is missing.`);
  if (change.activate && locked.deleted)
    throw invalid("The experiment cannot be launched: its feature flag was deleted. Restore the flag first.");
  const row = readFlag(locked, context.runtime.settings.encryption_key);
  const wanted = normalizeFilters(changedFilters(row.filters, change));
  const filters = change.variants ? withoutStrayPayloads(wanted) : wanted;
  const refilters = !sameJson(filters, row.filters);
  const activates = change.activate === true && !row.active;
  if (!refilters && !activates) return locked;
  if (refilters) await checkFilters(tx, context, filters, { id: row.id, key: row.key });
  const values = {
    ...(refilters && { filters: sealed(context, filters, row.has_encrypted_payloads, locked) }),
    ...(activates && { active: true, performed_rollback: false }),
  };
  return updateOwned(tx, authorOf(context), row, values, filters);
}
