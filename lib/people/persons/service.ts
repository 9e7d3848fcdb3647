import { readStaticCohorts } from "#lib/people/cohorts/members.ts";
import type { MemberContext } from "#lib/people/context.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { personContract } from "./contract.ts";
import { type PersonConditions, personConditions } from "./filter.ts";
import type { PersonListQuery, PersonRecord } from "./schema.ts";
import {
  type PersonFilter,
  type PersonRow,
  type PersonWithIds,
  selectCandidates,
  selectDistinctIds,
  selectPerson,
  selectPersonPage,
  selectPersonsById,
  withDistinctIds,
} from "./store.ts";

type Of<Name extends keyof typeof personContract> = Input<(typeof personContract)[Name]>;

const CHUNK = 2_000;
/** How many persons one call looks through for conditions. */
const SCAN_MAX = 100_000;
const NONE: ReadonlySet<number> = new Set();
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Display name of a person. Chosen ids say more than the random ones of browsers. */
export function nameOf(person: Pick<PersonWithIds, "properties" | "distinct_ids" | "uuid">): string {
  for (const key of ["email", "name", "username"]) {
    const value = person.properties[key];
    if (typeof value === "string" && value.trim()) return value;
  }
  return person.distinct_ids.find((id) => !UUID.test(id)) ?? person.distinct_ids[0] ?? person.uuid;
}

const recordOf = (person: PersonWithIds): PersonRecord => ({
  id: person.uuid,
  uuid: person.uuid,
  name: nameOf(person),
  distinct_ids: person.distinct_ids,
  properties: person.properties,
  is_identified: person.is_identified,
  created_at: instant(person.created_at),
});

/** A page of the list: `beyond` is where the rest begins that neither was counted nor can be paged to. */
type FoundPage = { rows: PersonRow[]; count: number; exact: boolean; beyond: number | null };

/**
 * Looks through the persons that the filter leaves, newest first, for those whom the conditions hold for: through
 * SCAN_MAX of them, so that a call takes no longer the more there are.
 */
async function matchingPage(
  context: MemberContext,
  filter: PersonFilter,
  conditions: PersonConditions,
  page: { limit: number; offset: number },
): Promise<FoundPage> {
  const ids: number[] = [];
  let count = 0;
  let before = filter.before ?? Number.MAX_SAFE_INTEGER;
  for (let seen = 0; ; ) {
    const chunk = await selectCandidates(context.db, { ...filter, before }, CHUNK, conditions.properties);
    const members =
      conditions.static_cohort_ids.length > 0
        ? await readStaticCohorts(
            context.db,
            chunk.map((person) => person.id),
          )
        : null;
    for (const person of chunk) {
      if (!conditions.matches({ ...person, static_cohorts: members?.get(person.id) ?? NONE })) continue;
      if (count >= page.offset && ids.length < page.limit) ids.push(person.id);
      count += 1;
    }
    seen += chunk.length;
    before = chunk.at(-1)?.id ?? before;
    const done = chunk.length < CHUNK;
    if (done || seen >= SCAN_MAX) {
      const rows = await selectPersonsById(context.db, ids);
      return { rows, count, exact: done, beyond: done ? null : before };
    }
  }
}

async function pageOf(context: MemberContext, query: PersonListQuery): Promise<FoundPage> {
  const { search, distinct_id, properties, before } = query;
  const filter = { project_id: context.project.id, search: search?.trim(), distinct_id, before };
  const cohorts = await context.runtime.cohorts.project(context.project.id);
  const conditions = properties ? personConditions(properties, cohorts, context.now.getTime()) : null;
  if (conditions) return matchingPage(context, filter, conditions, query);
  const page = await selectPersonPage(context.db, filter, query);
  return { ...page, beyond: page.exact ? null : (page.rows.at(-1)?.id ?? null) };
}

/** Pages by number as far as is counted, and goes on from there by the last person. */
export async function list(context: MemberContext, { query }: Of<"list">) {
  const { rows, count, exact, beyond } = await pageOf(context, query);
  const people = await withDistinctIds(context.db, rows);
  const { next, previous } = neighbours(context.url, query, count);
  return {
    count,
    count_is_exact: exact,
    next: next ?? (beyond === null ? null : startingBefore(context.url, beyond)),
    previous,
    results: people.map(recordOf),
  };
}

function startingBefore(url: URL, before: number): string {
  const copy = new URL(url);
  copy.searchParams.delete("offset");
  copy.searchParams.set("before", String(before));
  return copy.href;
}

/** The records of persons by their numbers; those who are gone meanwhile are left out. */
export async function readPersonRecords(context: MemberContext, ids: number[]): Promise<PersonRecord[]> {
  const people = await withDistinctIds(context.db, await selectPersonsById(context.db, ids));
  return people.map(recordOf);
}

/** Who persons are, by their numbers; those who are gone meanwhile are left out. */
export async function readPersonNames(
  context: Pick<MemberContext, "db">,
  ids: number[],
): Promise<Map<number, { id: string; name: string }>> {
  const people = await withDistinctIds(context.db, await selectPersonsById(context.db, ids));
  return new Map(people.map((person) => [person.id, { id: person.uuid, name: nameOf(person) }]));
}

/** The person that a path names. @throws ApiError 404 */
async function personOf(context: MemberContext, id: string): Promise<PersonRow> {
  const row = await selectPerson(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const [person] = await withDistinctIds(context.db, [await personOf(context, params.id)]);
  if (!person) throw notFound();
  return recordOf(person);
}

/** Every distinct id of the person that is named by UUID or number. @throws ApiError 404 */
export async function readDistinctIds(context: MemberContext, id: string): Promise<string[]> {
  return selectDistinctIds(context.db, (await personOf(context, id)).id);
}
