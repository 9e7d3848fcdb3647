import { changesBetween } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import type { MemberContext } from "#lib/people/context.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { loggedNames, recordFrom } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ApiError, invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { unreadable } from "#lib/platform/http/stored-schema.ts";
import { COHORTS_TOPIC } from "./cache.ts";
import { calculated } from "./calculation.ts";
import type { cohortContract } from "./contract.ts";
import { cohortsWithin, findCohortProblem } from "./filters.ts";
import { readNextMembers } from "./members.ts";
import { selectIdsByUuid, selectPersonsWithIds } from "./people-store.ts";
import { COHORT_FIELDS, type CohortMember, type CohortRecord } from "./schema.ts";
import { createStaticCohort, extend, findNamedPersons, recount } from "./static.ts";
import {
  type CohortRow,
  insertCohort,
  lockCohort,
  lockReferences,
  removeMember,
  selectCohort,
  selectCohorts,
  selectExperimentSets,
  selectLiveCohorts,
  updateCohort,
} from "./store.ts";

export { readStaticCohorts } from "./members.ts";
export type { CohortRow };
export { COHORTS_TOPIC, calculated, createStaticCohort };

type Call<Name extends keyof typeof cohortContract> = Input<(typeof cohortContract)[Name]>;
type Filters = Record<string, unknown>;

/** Cohorts of a project that are not deleted, read now; `runtime.cohorts` holds them in memory. */
export const cohortsOf = (db: Db, projectId: number): Promise<CohortRow[]> =>
  selectLiveCohorts(db, projectId);

/** The public record of a stored cohort; `accounts` is what `directory.current()` gives. */
export const cohortRecordOf = (
  row: CohortRow,
  accounts: Parameters<typeof userOf>[0],
  experiments: number[] = [],
): CohortRecord => ({
  ...recordFrom(COHORT_FIELDS, row, {
    groups: [],
    created_by: userOf(accounts, row.created_by_id),
    experiment_set: experiments,
  }),
  ...unreadable(row.unreadable_fields),
});

async function answers({ db, runtime }: MemberContext, rows: CohortRow[]): Promise<CohortRecord[]> {
  const [accounts, experiments] = await Promise.all([
    runtime.directory.current(),
    selectExperimentSets(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  return rows.map((row) => cohortRecordOf(row, accounts, experiments.get(row.id)));
}

async function answer(context: MemberContext, row: CohortRow): Promise<CohortRecord> {
  const [record] = await answers(context, [row]);
  if (!record) throw new Error("A record was not made.");
  return record;
}

export async function list(context: MemberContext, { query }: Call<"list">) {
  const { rows, count } = await selectCohorts(context.db, context.project.id, query);
  return { count, ...neighbours(context.url, query, count), results: await answers(context, rows) };
}

async function found(context: MemberContext, id: number): Promise<CohortRow> {
  const row = await selectCohort(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}

export const retrieve = async (context: MemberContext, { params }: Call<"retrieve">) =>
  answer(context, await found(context, params.id));

/** Checks filters behind the lock of references, so that no other change can close a circle meanwhile. */
async function requireSound(
  tx: Db,
  projectId: number,
  row: Pick<CohortRow, "name" | "filters"> & { id: number | null },
  behavioral = false,
) {
  await lockReferences(tx, projectId);
  const live = await selectLiveCohorts(tx, projectId);
  const problem = findCohortProblem(row.filters, {
    cohort_id: row.id,
    cohort_name: row.name,
    cohorts: new Map(live.map((other) => [other.id, other])),
    behavioral,
  });
  if (problem) throw invalid(problem.detail, "filters", problem.code, problem.path);
}

/** Logs an action on a cohort and notifies every process. */
async function note(
  tx: Db,
  { user, project }: MemberContext,
  row: CohortRow,
  activity: string,
  changes: ReturnType<typeof changesBetween> = [],
): Promise<void> {
  await record(tx, {
    project_id: project.id,
    user_id: user.id,
    scope: "Cohort",
    item_id: String(row.id),
    activity,
    name: row.name,
    changes,
  });
  await publish(tx, COHORTS_TOPIC, { project_id: project.id });
}

export async function create(context: MemberContext, { body }: Call<"create">): Promise<CohortRecord> {
  const { project, user, runtime, now } = context;
  const { name, description = "", is_static = false, person_ids, distinct_ids } = body;
  if (!is_static && (person_ids || distinct_ids))
    throw invalid("Only a static cohort can list its members.", person_ids ? "person_ids" : "distinct_ids");
  if (!is_static && !body.filters) throw invalid("This field is required.", "filters", "required");
  const values = { project_id: project.id, name, description, created_by_id: user.id };
  const row = await inTransaction(context.db, async (tx) => {
    const made = is_static
      ? await createStaticCohort(tx, {
          ...values,
          person_ids: (await findNamedPersons(tx, project.id, { person_ids, distinct_ids })).ids,
        })
      : await createCohortIn(tx, context, { name, description, filters: body.filters ?? {} });
    if (is_static) await note(tx, context, made, "created");
    return made;
  });
  runtime.cohorts.changed(project.id);
  return answer(context, row.is_static ? row : await calculated(context.db, row, now));
}

/**
 * Makes a cohort of people by what they did, in the transaction of a change that needs it. After its commit,
 * `runtime.cohorts.changed(project_id)` makes this process see it, and `calculated` counts its members.
 */
export async function createBehavioralCohort(
  tx: Db,
  context: MemberContext,
  of: { name: string; filters: Filters },
): Promise<CohortRow> {
  const row = await insertCohort(tx, {
    ...of,
    project_id: context.project.id,
    created_by_id: context.user.id,
    is_calculating: true,
  });
  await note(tx, context, row, "created");
  return row;
}

/**
 * Makes a cohort by conditions in the transaction of something that needs it. After its commit,
 * `runtime.cohorts.changed(project_id)` makes this process see it, and `calculated` counts its members.
 *
 * @throws ApiError 400 for conditions that cannot be saved
 */
export async function createCohortIn(
  tx: Db,
  context: MemberContext,
  of: { name: string; description: string; filters: Filters },
): Promise<CohortRow> {
  const { project, user } = context;
  const row = await createByFilters(tx, { ...of, project_id: project.id, created_by_id: user.id });
  await note(tx, context, row, "created");
  return row;
}

async function createByFilters(
  tx: Db,
  values: { project_id: number; name: string; description: string; created_by_id: number; filters: Filters },
): Promise<CohortRow> {
  await requireSound(tx, values.project_id, { ...values, id: null });
  return insertCohort(tx, { ...values, is_calculating: true });
}

/** Names of what would lose a cohort that is deleted. */
async function requireUnused(tx: Db, { runtime, project }: MemberContext, id: number): Promise<void> {
  await lockReferences(tx, project.id);
  const uses = await runtime.cohortUses(project.id, id);
  const cohorts = (await selectLiveCohorts(tx, project.id))
    .filter((other) => other.id !== id && cohortsWithin(other.filters).includes(id))
    .map((other) => other.name);
  const users = [...uses, ...cohorts.map((name) => `cohort ${name}`)];
  if (users.length === 0) return;
  const shown = users.slice(0, 5).join(", ");
  const more = users.length > 5 ? ` and ${users.length - 5} more` : "";
  throw invalid(`This cohort cannot be deleted while it is used by ${shown}${more}.`);
}

export async function partial_update(context: MemberContext, { params, body }: Call<"partial_update">) {
  const { db, project, runtime, now } = context;
  const after = await inTransaction(db, async (tx) => {
    const before = await lockCohort(tx, project.id, params.id);
    if (!before) throw notFound();
    return applyUpdate(tx, context, before, body);
  });
  runtime.cohorts.changed(project.id);
  return answer(context, after.is_calculating ? await calculated(db, after, now) : after);
}

async function applyUpdate(
  tx: Db,
  context: MemberContext,
  before: CohortRow,
  body: Call<"partial_update">["body"],
): Promise<CohortRow> {
  const { is_static, ...changes } = body;
  if (is_static !== undefined && is_static !== before.is_static)
    throw invalid("A cohort stays static or property-based.", "is_static");
  if (before.is_static) delete changes.filters;
  const wanted = { ...before, ...changes };
  const logged = changesBetween("Cohort", loggedNames(COHORT_FIELDS), before, wanted);
  if (logged.length === 0) return before;
  const redefined = logged.some((change) => change.field === "filters");
  const restored = before.deleted && !wanted.deleted;
  if (!before.is_static && (redefined || restored))
    await requireSound(tx, context.project.id, wanted, !redefined);
  if (wanted.deleted && !before.deleted) await requireUnused(tx, context, before.id);
  const after = await updateCohort(tx, before.id, { ...changes, ...(redefined && { is_calculating: true }) });
  const activity = before.deleted === after.deleted ? "updated" : after.deleted ? "deleted" : "restored";
  await note(tx, context, after, activity, logged);
  return after;
}

export function destroy(): never {
  const detail = 'Method "DELETE" not allowed. Set deleted to true with PATCH instead.';
  throw new ApiError(405, "invalid_request", "method_not_allowed", detail);
}

export async function persons(context: MemberContext, { params, query }: Call<"persons">) {
  const { db, now, url } = context;
  const row = await found(context, params.id);
  const { ids, next } = await readNextMembers(db, row, { after: query.cursor ?? 0, limit: query.limit }, now);
  const results: CohortMember[] = (await selectPersonsWithIds(db, ids)).map((person) => ({
    id: person.uuid,
    uuid: person.uuid,
    distinct_ids: person.distinct_ids,
    properties: person.properties,
    is_identified: person.is_identified,
    created_at: instant(person.created_at),
  }));
  const following = new URL(url);
  following.searchParams.set("cursor", String(next));
  return { next: next === null ? null : following.href, previous: null, results };
}

export async function calculate(context: MemberContext, { params }: Call<"calculate">) {
  const row = await found(context, params.id);
  const marked = await updateCohort(context.db, row.id, { is_calculating: true });
  return answer(context, await calculated(context.db, marked, context.now));
}

/** A change of the members of a static cohort, counted and logged. */
async function changeMembers<T>(
  context: MemberContext,
  id: number,
  change: (tx: Db, row: CohortRow) => Promise<T>,
): Promise<T> {
  const { db, project, runtime } = context;
  const result = await inTransaction(db, async (tx) => {
    const row = await lockCohort(tx, project.id, id);
    if (!row) throw notFound();
    if (!row.is_static) throw invalid("The members of this cohort follow its filters; it is not static.");
    return change(tx, row);
  });
  runtime.cohorts.changed(project.id);
  return result;
}

const counts = (before: CohortRow, after: CohortRow) => changesBetween("Cohort", ["count"], before, after);

export const add_persons_to_static_cohort = (
  context: MemberContext,
  { params, body }: Call<"add_persons_to_static_cohort">,
) =>
  changeMembers(context, params.id, async (tx, row) => {
    if (!body.person_ids && !body.distinct_ids)
      throw invalid("This field is required.", "person_ids", "required");
    const { ids, not_found } = await findNamedPersons(tx, context.project.id, body);
    const { stored, added } = await extend(tx, row, ids);
    if (added > 0) await note(tx, context, stored, "persons_added_manually", counts(row, stored));
    return { success: true as const, added, not_found, count: stored.count ?? 0 };
  });

export const remove_person_from_static_cohort = (
  context: MemberContext,
  { params, body }: Call<"remove_person_from_static_cohort">,
) =>
  changeMembers(context, params.id, async (tx, row) => {
    const id = (await selectIdsByUuid(tx, context.project.id, [body.person_id])).get(body.person_id);
    if (id === undefined || !(await removeMember(tx, row.id, id)))
      throw invalid("This person is not in the cohort.", "person_id", "does_not_exist");
    const stored = await recount(tx, row);
    await note(tx, context, stored, "person_removed_manually", counts(row, stored));
    return { success: true as const };
  });
