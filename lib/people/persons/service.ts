import { readCohortsOf, readStaticCohorts } from "#lib/people/cohorts/members.ts";
import type { MemberContext } from "#lib/people/context.ts";

import { createSlices } from "#lib/platform/http/body/slices.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { personContract } from "./contract.ts";
import { type PersonConditions, personConditions } from "./filter.ts";
import type { PersonListQuery, PersonRecord } from "./schema.ts";
import {
  type Candidate,
  hasEarlier,
  type PersonFilter,
  type PersonRow,
  type PersonWithIds,
  type Range,
  SEARCH_MAX,
  selectCandidates,
  selectCandidatesOf,
  selectDistinctIds,
  selectEdge,
  selectFound,
  selectNamed,
  selectPerson,
  selectPersonPage,
  selectPersonsById,
  selectRareCandidates,
  withDistinctIds,
} from "./store.ts";

type Of<Name extends keyof typeof personContract> = Input<(typeof personContract)[Name]>;

const CHUNK = 5_000;
/** How many persons one call looks through for conditions of which the database can tell nothing. */
const SCAN_MAX = 50_000;
/** How many where it can tell who may match. */
const NARROWED_MAX = 100_000;
/** How many numbers of persons it looks through beyond that for the few that the database says may match. */
const FURTHER_MAX = 75_000;
/** How many of these it looks at. */
const RARE_MAX = 20_000;
/** How far those who match are counted, as long as the page ends sooner. */
const MATCHES_MAX = 10_000;
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

type Chunk = Candidate[];

/** Persons that the filter's text finds, some at a time. */
async function* foundOf(
  { db }: MemberContext,
  found: readonly number[],
  wanted: PersonConditions,
): AsyncGenerator<Chunk> {
  for (let at = 0; at < found.length; at += CHUNK)
    yield await selectCandidatesOf(db, found.slice(at, at + CHUNK), wanted);
}

/** Persons of a range who may match, newest first, some at a time; the next are read meanwhile. */
async function* rangeOf(
  { db }: MemberContext,
  filter: PersonFilter,
  { from, before }: Range,
  wanted: PersonConditions,
): AsyncGenerator<Chunk> {
  const read = (end: number) => selectCandidates(db, filter, { from, before: end }, wanted, CHUNK);
  for (let next = read(before); ; ) {
    const chunk = await next;
    const last = chunk.at(-1);
    const more = last && chunk.length === CHUNK;
    if (more) next = read(last.id);
    // Whoever stops here does not wait for it, and must not see its failure.
    next.catch(() => undefined);
    yield chunk;
    if (!more) return;
  }
}

/**
 * Counts the persons for whom the conditions hold, and keeps those of one page.
 *
 * @returns what is found so far, and a function that adds to it until there are enough: it gives the number of the
 *   last person then, and null when it has looked at all
 */
function createPage(
  context: MemberContext,
  conditions: PersonConditions,
  page: { limit: number; offset: number },
) {
  const found: { ids: number[]; count: number } = { ids: [], count: 0 };
  const enough = Math.max(MATCHES_MAX, page.offset + page.limit);
  const pause = createSlices();
  const membersOf = (chunk: Chunk) =>
    conditions.static_cohort_ids.length === 0
      ? null
      : readStaticCohorts(
          context.db,
          chunk.map((person) => person.id),
        );
  const keep = ({ id }: Candidate): void => {
    if (found.count >= page.offset && found.ids.length < page.limit) found.ids.push(id);
    found.count += 1;
  };
  const add = async (chunks: AsyncIterable<Chunk> | Iterable<Chunk>): Promise<number | null> => {
    for await (const chunk of chunks) {
      const members = await membersOf(chunk);
      for (const person of chunk) {
        const others = pause();
        if (others) await others;
        if (!conditions.matches({ ...person, static_cohorts: members?.get(person.id) ?? NONE })) continue;
        keep(person);
        if (found.count === enough) return person.id;
      }
    }
    return null;
  };
  return { found, add };
}

/**
 * Looks through the persons that the filter leaves, newest first, for those whom the conditions hold for: until there
 * are MATCHES_MAX, through SCAN_MAX of them, or further where the database can tell who may match, above all while the
 * page is not full.
 */
async function matchingPage(
  context: MemberContext,
  filter: PersonFilter,
  conditions: PersonConditions,
  page: { limit: number; offset: number },
): Promise<FoundPage> {
  const { db } = context;
  const { found, add } = createPage(context, conditions, page);
  const answer = async (lookedFrom: number): Promise<FoundPage> => {
    const [rows, more] = await Promise.all([
      selectPersonsById(db, found.ids),
      hasEarlier(db, filter, lookedFrom),
    ]);
    return { rows, count: found.count, exact: !more, beyond: more ? lookedFrom : null };
  };
  if (filter.search || filter.distinct_id) {
    const ids = filter.search ? await selectFound(db, filter, filter.search) : await selectNamed(db, filter);
    const last = await add(foundOf(context, ids, conditions));
    const isAll = last === null && ids.length < SEARCH_MAX;
    return answer(isAll ? 0 : (last ?? ids.at(-1) ?? 0));
  }
  const isNarrowed = conditions.narrowing.length > 0;
  const from = await selectEdge(db, filter, isNarrowed ? NARROWED_MAX : SCAN_MAX);
  const before = filter.before ?? Number.MAX_SAFE_INTEGER;
  const last = await add(rangeOf(context, filter, { from, before }, conditions));
  if (last !== null) return answer(last);
  if (from === 0 || !isNarrowed || found.count >= page.offset + page.limit) return answer(from);
  const further = { from: Math.max(0, from - FURTHER_MAX), before: from };
  const rare = await selectRareCandidates(db, filter, further, conditions, RARE_MAX);
  const lookedFrom = rare.length < RARE_MAX ? further.from : (rare.at(-1)?.id ?? further.from);
  return answer((await add([rare])) ?? lookedFrom);
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
export async function personOf(context: MemberContext, id: string): Promise<PersonRow> {
  const row = await selectPerson(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const [person] = await withDistinctIds(context.db, [await personOf(context, params.id)]);
  if (!person) throw notFound();
  return recordOf(person);
}

export async function cohorts(context: MemberContext, { params }: Of<"cohorts">) {
  const { db, now } = context;
  const [person] = await withDistinctIds(db, [await personOf(context, params.id)]);
  if (!person) throw notFound();
  const found = await readCohortsOf(db, { ...person, distinct_id: person.distinct_ids[0] ?? "" }, now);
  const results = found.map(({ id, name, is_static }) => ({ id, name, is_static }));
  return { results: results.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** Every distinct id of the person that is named by UUID or number. @throws ApiError 404 */
export async function readDistinctIds(context: MemberContext, id: string): Promise<string[]> {
  return selectDistinctIds(context.db, (await personOf(context, id)).id);
}
