import type { Db } from "#lib/platform/db/connect.ts";
import { selectPerformances } from "./behavior-store.ts";
import { eventTest, type Membership, membershipOf } from "./membership.ts";
import { selectCandidates, selectMemberIds } from "./people-store.ts";
import { type CohortRow, countMembers, selectLiveCohorts, selectStaticMemberships } from "./store.ts";

const CHUNK = 2_000;
/** How many persons one page looks through at most before it leaves the rest to the next. */
const PAGE_SCAN = 50_000;

/** The live static cohorts that each of the persons (persons.id) is in; persons in none are absent. */
export async function readStaticCohorts(db: Db, personIds: number[]): Promise<Map<number, Set<number>>> {
  const found = new Map<number, Set<number>>();
  for (const { person_id, cohort_id } of await selectStaticMemberships(db, personIds)) {
    const of = found.get(person_id) ?? new Set();
    found.set(person_id, of.add(cohort_id));
  }
  return found;
}

const NONE: ReadonlySet<number> = new Set();

/** Which static lists persons (persons.id) are in, made-up ones of behaviors included, as far as it matters. */
async function listsOf(db: Db, projectId: number, { membership, now }: Prepared, personIds: number[]) {
  const lists =
    membership.static_cohort_ids.length > 0
      ? await readStaticCohorts(db, personIds)
      : new Map<number, Set<number>>();
  for (const [list, behavior] of membership.behaviors) {
    const fulfils = eventTest(behavior, now);
    for (const { person_id, properties } of await selectPerformances(db, projectId, behavior, personIds)) {
      if (!fulfils(properties)) continue;
      const of = lists.get(person_id) ?? new Set();
      lists.set(person_id, of.add(list));
    }
  }
  return lists;
}

/** Ids of the members among the next chunk of persons, and where the chunk after it begins. */
async function membersInChunk(db: Db, projectId: number, prepared: Prepared, after: number) {
  const { membership } = prepared;
  const chunk = await selectCandidates(db, projectId, after, CHUNK, membership.properties);
  const lists = await listsOf(
    db,
    projectId,
    prepared,
    chunk.map((p) => p.id),
  );
  const ids = chunk
    .filter((p) => membership.of({ ...p, static_cohorts: lists.get(p.id) ?? NONE }).length > 0)
    .map((p) => p.id);
  return { ids, seen: chunk.length, last: chunk.at(-1)?.id ?? after, done: chunk.length < CHUNK };
}

type Prepared = { membership: Membership; now: number };

const preparedFor = async (db: Db, row: CohortRow, now: Date): Promise<Prepared> => {
  const others = await selectLiveCohorts(db, row.project_id);
  const all = [...others.filter((other) => other.id !== row.id), row];
  return { membership: membershipOf([row.id], all, now.getTime()), now: now.getTime() };
};

/** The live cohorts that a person is in, static ones too. */
export async function readCohortsOf(
  db: Db,
  person: { id: number; project_id: number; distinct_id: string; properties: Record<string, unknown> },
  now: Date,
): Promise<CohortRow[]> {
  const all = await selectLiveCohorts(db, person.project_id);
  const ids = all.map(({ id }) => id);
  const prepared = { membership: membershipOf(ids, all, now.getTime()), now: now.getTime() };
  const lists = await listsOf(db, person.project_id, prepared, [person.id]);
  const found = prepared.membership.of({ ...person, static_cohorts: lists.get(person.id) ?? NONE });
  return all.filter(({ id }) => found.includes(id));
}

/** How many members a cohort has; looks through all persons of the project, a chunk at a time. */
export async function countedMembers(db: Db, row: CohortRow, now: Date): Promise<number> {
  if (row.is_static) return countMembers(db, row.id);
  const prepared = await preparedFor(db, row, now);
  let total = 0;
  for (let after = 0, done = false; !done; ) {
    const chunk = await membersInChunk(db, row.project_id, prepared, after);
    total += chunk.ids.length;
    ({ last: after, done } = chunk);
  }
  return total;
}

/**
 * The next members after an id (persons.id), in order.
 *
 * @returns ids, and the id after which the next page begins; null when there is none
 */
export async function readNextMembers(
  db: Db,
  row: CohortRow,
  page: { after: number; limit: number },
  now: Date,
): Promise<{ ids: number[]; next: number | null }> {
  if (row.is_static) {
    const found = await selectMemberIds(db, row.id, page.after, page.limit + 1);
    const ids = found.slice(0, page.limit);
    return { ids, next: found.length > page.limit ? (ids.at(-1) ?? null) : null };
  }
  const prepared = await preparedFor(db, row, now);
  const ids: number[] = [];
  let { after } = page;
  for (let seen = 0; seen < PAGE_SCAN; ) {
    const chunk = await membersInChunk(db, row.project_id, prepared, after);
    ids.push(...chunk.ids);
    if (ids.length > page.limit) return { ids: ids.slice(0, page.limit), next: ids[page.limit - 1] ?? null };
    if (chunk.done) return { ids, next: null };
    after = chunk.last;
    seen += chunk.seen;
  }
  return { ids, next: after };
}
