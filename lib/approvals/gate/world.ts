import { createHmac } from "node:crypto";
import type { SavingContext } from "#lib/approvals/context.ts";
import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { compileWith, type Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { type FlagRow, selectFlags } from "#lib/flags/feature_flags/store.ts";
import { cohortsWithin } from "#lib/people/cohorts/filters.ts";
import { type CohortRow, cohortsOf } from "#lib/people/cohorts/service.ts";
import { cohortIdsOf } from "#lib/people/conditions/cohort-conditions.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { selectFlagsOfScheduled } from "./store.ts";

/** A flag that is not deleted, as far as it decides what people get. Of payloads, only whether they differ. */
export type ServedFlag = {
  key: string;
  active: boolean;
  filters: Json;
  ensure_experience_continuity: boolean;
  evaluation_runtime: string | null;
  /** A digest of the payload, by the value that it goes with. */
  payloads: Record<string, string>;
  /** The pins, by a digest of whom: what is stored of a change says nothing of people. Absent before there were pins. */
  pins?: Record<string, Pick<FlagRow["pins"][number], "value" | "until">>;
};

/** A cohort that is not deleted, as far as it decides who is in it. */
export type ServedCohort = {
  is_static: boolean;
  filters: Json;
  /** Of a static one: how many people were added or removed since this was approved. */
  moved: number;
};

/** What a project serves. */
export type World = { flags: ReadonlyMap<number, ServedFlag>; cohorts: ReadonlyMap<number, ServedCohort> };

function servedFlag(stored: FlagRow, key: Buffer): ServedFlag {
  const row = readFlag(stored, key);
  const { payloads, ...filters } = row.filters;
  const digest = (text: unknown) =>
    createHmac("sha256", key).update(JSON.stringify(text)).digest("base64url");
  return {
    key: row.key,
    active: row.active,
    filters,
    ensure_experience_continuity: row.ensure_experience_continuity === true,
    evaluation_runtime: row.evaluation_runtime,
    pins: Object.fromEntries(
      row.pins.map(({ distinct_ids, value, until }) => [digest(distinct_ids), { value, until }]),
    ),
    payloads: Object.fromEntries(
      Object.entries(isObject(payloads) ? payloads : {}).map(([value, text]) => [value, digest(text)]),
    ),
  };
}

const servedCohort = ({ is_static, filters }: CohortRow): ServedCohort => ({ is_static, filters, moved: 0 });

/**
 * What a project serves, as a transaction sees it. Surveys that are scheduled count as started: nobody is asked again
 * when their time comes.
 */
export async function readWorld(
  tx: Db,
  { project, now, runtime }: Pick<SavingContext, "project" | "now" | "runtime">,
): Promise<World> {
  const flags = (await selectFlags(tx, project.id, null)).filter((flag) => !flag.deleted);
  const cohorts = await cohortsOf(tx, project.id);
  const scheduled = await selectFlagsOfScheduled(tx, project.id, now);
  const served = (row: FlagRow): ServedFlag => {
    const flag = servedFlag(row, runtime.settings.encryption_key);
    return { ...flag, active: flag.active || (isSurveyFlag(flag) && scheduled.has(row.id)) };
  };
  return {
    flags: new Map(flags.map((row) => [row.id, served(row)])),
    cohorts: new Map(cohorts.map((row) => [row.id, servedCohort(row)])),
  };
}

/** A world as it is stored: by `resource/id`. */
export const statesOf = ({ flags, cohorts }: World): Map<string, Record<string, unknown>> =>
  new Map<string, Record<string, unknown>>([
    ...[...flags].map(([id, flag]) => [`feature_flag/${id}`, flag] as const),
    ...[...cohorts].map(([id, cohort]) => [`cohort/${id}`, cohort] as const),
  ]);

/** A stored world. */
export function worldOf(states: ReadonlyMap<string, Record<string, unknown>>): World {
  const of = <T>(resource: string) =>
    new Map(
      [...states].flatMap(([name, state]) => {
        const [kind, id] = name.split("/");
        return kind === resource ? [[Number(id), state as T] as const] : [];
      }),
    );
  return { flags: of<ServedFlag>("feature_flag"), cohorts: of<ServedCohort>("cohort") };
}

/** The flags of a world, ready to be evaluated. */
export function compileWorld({ flags, cohorts }: World, groupTypes: Snapshot["group_types"]): CompiledFlags {
  const byId = new Map([...cohorts].map(([id, cohort]) => [id, { id, ...cohort } as unknown as CohortRow]));
  return compileWith(
    { cohorts: { revision: 0, byId }, group_types: groupTypes },
    [...flags].map(([id, { payloads: _, evaluation_runtime: __, pins: ___, ...flag }]) => ({
      id,
      version: null,
      ...flag,
    })),
  );
}

/** The part of a world that decides some flags: these, and the flags and cohorts that they depend on. */
export function neededBy({ flags, cohorts }: World, flagIds: readonly number[]): World {
  const needed = { flags: new Map<number, ServedFlag>(), cohorts: new Map<number, ServedCohort>() };
  const addCohort = (id: number): void => {
    const cohort = cohorts.get(id);
    if (!cohort || needed.cohorts.has(id)) return;
    needed.cohorts.set(id, cohort);
    cohortsWithin(cohort.filters).forEach(addCohort);
  };
  const addFlag = (id: number): void => {
    const flag = flags.get(id);
    if (!flag || needed.flags.has(id)) return;
    needed.flags.set(id, flag);
    dependenciesOf(flag.filters).forEach(addFlag);
    cohortIdsOf(flag.filters).forEach(addCohort);
  };
  flagIds.forEach(addFlag);
  return needed;
}

/** The flags of a world that depend on some records, directly or through others; these flags included. */
export function reachedFrom({ flags, cohorts }: World, named: ReadonlySet<string>): Set<number> {
  const reached = new Set(named);
  const grow = <T>(kind: string, all: ReadonlyMap<number, T>, uses: (each: T) => string[]): boolean => {
    let grew = false;
    for (const [id, each] of all) {
      const name = `${kind}/${id}`;
      if (reached.has(name) || !uses(each).some((used) => reached.has(used))) continue;
      reached.add(name);
      grew = true;
    }
    return grew;
  };
  const cohort = (id: number) => `cohort/${id}`;
  while (
    grow("cohort", cohorts, ({ filters }) => cohortsWithin(filters).map(cohort)) ||
    grow("feature_flag", flags, ({ filters }) => [
      ...dependenciesOf(filters).map((id) => `feature_flag/${id}`),
      ...cohortIdsOf(filters).map(cohort),
    ])
  );
  return new Set([...flags.keys()].filter((id) => reached.has(`feature_flag/${id}`)));
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Every share in filters, in percent, by its path as the public service names it. */
export function rolloutsOf(filters: Json): Record<string, number> {
  const multivariate = isObject(filters.multivariate) ? filters.multivariate : {};
  const places: [string, Json[]][] = [
    ...["groups", "super_groups", "holdout_groups"].map((name): [string, Json[]] => [
      name,
      listOf(filters[name]),
    ]),
    ["multivariate.variants", listOf(multivariate.variants)],
  ];
  return Object.fromEntries(
    places.flatMap(([name, sets]) =>
      sets.map((set, place) => [
        `${name}[${place}].rollout_percentage`,
        typeof set.rollout_percentage === "number" ? set.rollout_percentage : 100,
      ]),
    ),
  );
}
