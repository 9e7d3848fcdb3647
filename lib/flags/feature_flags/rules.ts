import type { Json } from "#lib/engines/json.ts";
import type { SavingContext } from "#lib/flags/context.ts";
import { findMissingDashboards } from "#lib/flags/dashboards/service.ts";
import { dependenciesOf, findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import { hasMarker, sealFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { PAYLOADS, readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { behavioralIds } from "#lib/people/cohorts/behavior.ts";
import { cohortsOf } from "#lib/people/cohorts/service.ts";
import { cohortIdsOf } from "#lib/people/conditions/cohort-conditions.ts";
import type { Db } from "#lib/platform/db/connect.ts";

import { invalid } from "#lib/platform/http/errors.ts";
import { parseMoment } from "#lib/platform/http/moment-schema.ts";
import type { FlagCreate, FlagUpdate } from "./schema.ts";
import { type FlagRow, lockDependencies, selectFlagByKey, selectFlags, updateFlag } from "./store.ts";

/** Cohorts that filters may name: those in memory, unless one is missing there, as one that was only just made is. */
async function cohortsFor(tx: Db, { runtime, project }: SavingContext, filters: Json) {
  const { byId } = await runtime.cohorts.project(project.id);
  if (cohortIdsOf(filters).every((id) => byId.has(id))) return byId;
  return new Map((await cohortsOf(tx, project.id)).map((cohort) => [cohort.id, cohort]));
}

/**
 * The moment in a text that a schema has checked.
 *
 * @param field what it is called in the request
 * @throws ApiError 400 for a year that the database cannot store
 */
export function storableMoment(text: string, field: string): Date {
  const moment = parseMoment(text);
  if (!moment) throw invalid("Use a year from 1000 to 9999.", field);
  return moment;
}

/** Throws the API's error for filters that cannot be saved. */
export async function checkFilters(
  tx: Db,
  context: SavingContext,
  filters: Json,
  flag: { id: number | null; key: string },
): Promise<void> {
  const { project } = context;
  const depends = dependenciesOf(filters).length > 0;
  if (depends) await lockDependencies(tx, project.id);
  const others = depends ? (await selectFlags(tx, project.id, null)).filter((other) => !other.deleted) : [];
  const cohorts = await cohortsFor(tx, context, filters);
  const problem = findFiltersProblem(filters, {
    flag_id: flag.id,
    flag_key: flag.key,
    flags: new Map(others.map((other) => [other.id, other])),
    cohort_ids: new Set(cohorts.keys()),
    behavioral_cohort_ids: behavioralIds(cohorts),
  });
  if (problem) throw invalid(problem.detail, "filters", problem.code, problem.path);
}

/** Throws the API's error for invalid tags and dashboards. */
async function checkReferences(
  tx: Db,
  context: SavingContext,
  body: FlagCreate | FlagUpdate,
  tags: string[],
) {
  const foreign = body.evaluation_tags?.filter((tag) => !tags.includes(tag)) ?? [];
  if (foreign.length > 0)
    throw invalid(`Evaluation tags must be among the flag's tags. Missing: ${foreign.join(", ")}.`);
  if (!body.analytics_dashboards?.length) return;
  const [missing] = await findMissingDashboards(tx, context.project.id, body.analytics_dashboards);
  if (missing !== undefined)
    throw invalid(
      `Invalid pk "${missing}" - object does not exist.`,
      "analytics_dashboards",
      "does_not_exist",
    );
}

/**
 * Checks everything that a save says beyond the shape of its fields. A key that is taken is reported first: it is
 * before filters and dashboards in the order in which the public service reports fields.
 *
 * @param filters null where they stay as they are
 */
export async function checkSave(
  tx: Db,
  context: SavingContext,
  body: FlagCreate | FlagUpdate,
  flag: { id: number | null; key: string; filters: Json | null; tags: string[] },
): Promise<void> {
  try {
    if (flag.filters) await checkFilters(tx, context, flag.filters, flag);
    await checkReferences(tx, context, body, flag.tags);
  } catch (refusal) {
    const holder = await selectFlagByKey(tx, context.project.id, flag.key);
    throw holder && !holder.deleted && holder.id !== flag.id ? keyTaken() : refusal;
  }
}

/** The error of a key that a live flag has. */
export const keyTaken = () => invalid("There is already a feature flag with this key.", "key", "unique");

/** A deleted flag gives up its key to a live one and stays, under a name that cannot clash. */
export async function releaseKey(
  tx: Db,
  context: SavingContext,
  key: string,
  except: number | null,
): Promise<number[]> {
  const holder = await selectFlagByKey(tx, context.project.id, key);
  if (!holder || holder.id === except) return [];
  if (!holder.deleted) throw keyTaken();
  await updateFlag(tx, holder.id, { key: `${key}:deleted:${holder.id}` });
  return [holder.id];
}

/**
 * Filters as they go into the database.
 *
 * @param before the flag as it is stored; null for a new one
 * @throws ApiError 400 where encryption is switched off for a payload that cannot be decrypted
 */
export function sealed(
  context: SavingContext,
  filters: Json,
  encrypted: boolean | null | undefined,
  before: FlagRow | null,
): Json {
  const key = context.runtime.settings.encryption_key;
  if (encrypted) return sealFilters(filters, key, before?.filters ?? null);
  if (
    before?.has_encrypted_payloads &&
    hasMarker(filters) &&
    readFlag(before, key).unreadable_fields.includes(PAYLOADS)
  )
    throw invalid(
      "The payload cannot be decrypted with the current ENCRYPTION_KEY: send a new payload to turn encryption off.",
      "has_encrypted_payloads",
    );
  return filters;
}
