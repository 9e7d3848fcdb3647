import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { CopiedRow, Snapshot } from "#lib/platform/db/copy.ts";
import { tenthsOf } from "#lib/surveys/results/ingest/durations.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import type { DayEntry, ResponseEntry, SurveyColumns } from "./columns.ts";

/** The last change of a survey that is included. */
export type Version = { n: number; stamp: string };

/** What changed since a version: persons whose days did, and events whose responses did. */
export type Changes = { version: Version; people: number[]; responses: string[] };

const of = (name: string, { project_id, survey_id }: SurveyScope) =>
  sql`${sql.raw(name)}.project_id = ${project_id} and ${sql.raw(name)}.survey_id = ${survey_id}`;

/** The survey's last change; null if there is none. */
export async function selectVersion(db: Db, scope: SurveyScope): Promise<Version | null> {
  const { rows } = await db.execute<Version>(sql`
    select c.n::float8 as n, c.stamp from survey_changes c where ${of("c", scope)} order by c.n desc limit 1`);
  return rows[0] ?? null;
}

/** Changes to combine at most; with more, everything is read again. */
const CHANGES_MAX = 20_000;

/**
 * What changed since a version.
 *
 * @returns null if unknown: the version belongs to another history, is too old, or everything changed
 */
export async function selectChanges(db: Db, scope: SurveyScope, since: Version): Promise<Changes | null> {
  const { rows } = await db.execute<
    Version & { people: string[]; responses: string[]; everything: boolean }
  >(sql`
    select c.n::float8 as n, c.stamp, c.people::text[] as people, c.responses::text[] as responses, c.everything
    from survey_changes c where ${of("c", scope)} and c.n >= ${since.n} order by c.n limit ${CHANGES_MAX + 1}`);
  const [first, ...later] = rows;
  const last = rows.at(-1);
  if (!first || !last || first.n !== since.n || first.stamp !== since.stamp) return null;
  if (rows.length > CHANGES_MAX || later.some((row) => row.everything)) return null;
  return {
    version: { n: last.n, stamp: last.stamp },
    people: [...new Set(later.flatMap((row) => row.people))].map(Number),
    responses: [...new Set(later.flatMap((row) => row.responses))],
  };
}

/** Approximate number of rows of a survey; person days are never more than that. */
export async function selectExpected(
  db: Db,
  scope: SurveyScope,
): Promise<{ responses: number; days: number }> {
  const { rows } = await db.execute<{ responses: number; days: number }>(sql`
    select coalesce(sum(c.n) filter (where c.kind = 'answered'), 0)::float8 as responses,
      coalesce(sum(c.n), 0)::float8 as days
    from survey_counts c where ${of("c", scope)} and c.item = ''
      and c.kind in ('answered', 'shown', 'dismissed', 'quit', 'abandoned')`);
  return rows[0] ?? { responses: 0, days: 0 };
}

const US_PER_DAY = 86_400_000_000;
const DAYS_TO_2000 = 10_957;
const PAIR = 2 ** 32;

/** Microseconds since 2000; exact, years are below 10,000. */
const microseconds = (bytes: Buffer, at: number) => bytes.readInt32BE(at) * PAIR + bytes.readUInt32BE(at + 4);
const dayOfUs = (us: number) => Math.floor(us / US_PER_DAY) + DAYS_TO_2000;

/** Bytes of each element of an array without nulls. */
export function* elementsOf(bytes: Buffer, start: number): Generator<Buffer> {
  if (bytes.readInt32BE(start) === 0) return;
  const size = bytes.readInt32BE(start + 12);
  for (let i = 0, at = start + 20; i < size; i++) {
    const length = bytes.readInt32BE(at);
    yield bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
}

const MEMO_MAX = 50_000;

/** Parses a field once for all rows with the same bytes. */
function remembered<T>(read: (bytes: Buffer, start: number) => T) {
  const known = new Map<string, T>();
  return ({ bytes, starts, lengths }: CopiedRow, field: number): T => {
    const start = starts[field] ?? 0;
    const key = bytes.toString("latin1", start, start + (lengths[field] ?? 0));
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MEMO_MAX) known.clear();
    const value = read(bytes, start);
    known.set(key, value);
    return value;
  };
}

export function uuidInto(words: Uint32Array, bytes: Buffer, start: number): void {
  for (let i = 0; i < 4; i++) words[i] = bytes.readUInt32BE(start + i * 4);
}

/** Reads rows as entries; the entry object is reused for the next row. */
function responseReader({ columns, put }: { columns: SurveyColumns; put: (entry: ResponseEntry) => void }) {
  const codesIn = remembered((bytes, start) => [...elementsOf(bytes, start)].map((item) => item.toString()));
  const pathIn = remembered((bytes, start) =>
    [...elementsOf(bytes, start)].map((item) => item.readInt16BE(0)).join(),
  );
  const uuid = new Uint32Array(4);
  return (row: CopiedRow): void => {
    const { bytes, starts, lengths } = row;
    const at = (field: number) => starts[field] ?? 0;
    uuidInto(uuid, bytes, at(0));
    const [us, started] = [microseconds(bytes, at(2)), microseconds(bytes, at(4))];
    const day = dayOfUs(us);
    const completed = bytes[at(6)] === 1;
    put({
      uuid,
      person: columns.personOf(bytes.readUInt32BE(at(1)), bytes.readUInt32BE(at(1) + 4)),
      day,
      second: Math.floor((us - (day - DAYS_TO_2000) * US_PER_DAY) / 1e6),
      until: lengths[3] === -1 ? null : dayOfUs(microseconds(bytes, at(3))),
      iteration: bytes.readInt32BE(at(5)),
      completed,
      archived: bytes[at(7)] === 1,
      took: completed && us > started ? tenthsOf((us - started) / 1_000) : -1,
      codes: codesIn(row, 8),
      path: pathIn(row, 9),
    });
  };
}

const list = (items: readonly (string | number)[], type: string) =>
  sql`any(${`{${items.join(",")}}`}::${sql.raw(type)}[])`;

type Reading = { snapshot: Snapshot; scope: SurveyScope; columns: SurveyColumns };

/** Reads responses into columns: all, or those of some events. `tick` is called for each. */
export async function copyResponses(
  { snapshot, scope, columns }: Reading,
  only: readonly string[] | null,
  tick: () => void,
): Promise<void> {
  const put = (entry: ResponseEntry) => {
    columns.responses.put(entry);
    tick();
  };
  await snapshot.copy(
    sql`select r.uuid, r.person_id, r.timestamp, r.next_at, r.started_at, r.iteration, r.completed, r.archived,
        r.codes, r.path
      from survey_responses r where ${of("r", scope)} ${only ? sql`and r.uuid = ${list(only, "uuid")}` : sql``}`,
    responseReader({ columns, put }),
  );
}

/** Reads people's days into columns: all, or those of some persons, whose days must be cleared. */
export async function copyDays(
  { snapshot, scope, columns }: Reading,
  only: readonly number[] | null,
  tick: () => void,
): Promise<void> {
  await snapshot.copy(
    sql`select d.person_id, d.day, d.iteration, d.shown, d.dismissed, d.quit, d.abandoned, d.answering
      from survey_person_days d where ${of("d", scope)}
        ${only ? sql`and d.person_id = ${list(only, "bigint")}` : sql``}`,
    ({ bytes, starts }) => {
      const at = (field: number) => starts[field] ?? 0;
      const entry: DayEntry = {
        person: columns.personOf(bytes.readUInt32BE(at(0)), bytes.readUInt32BE(at(0) + 4)),
        day: bytes.readInt32BE(at(1)) + DAYS_TO_2000,
        iteration: bytes.readInt32BE(at(2)),
        shown: bytes.readInt32BE(at(3)),
        dismissed: bytes.readInt32BE(at(4)),
        quit: bytes.readInt32BE(at(5)),
        abandoned: bytes.readInt32BE(at(6)),
        answering: bytes.readInt32BE(at(7)),
      };
      if (only) columns.days.put(entry);
      else columns.days.append(entry);
      tick();
    },
  );
}

/** Properties and static cohorts of persons that conditions use: JSON texts, null if not set. */
type PersonValues = { values: readonly (string | null)[]; cohorts: string };

/** Up to this number, persons are queried by id. */
const ASKED_MAX = 5_000;

/**
 * Visits the persons of a project grouped by the values that conditions use: each combination is read once,
 * with a list of person ids, which is far faster than a row per person.
 *
 * @param people only these matter; all of the project's are read where they are many
 */
export async function copyPersons(
  snapshot: Snapshot,
  of: { project_id: number; people: readonly number[] | null },
  looked: { properties: readonly string[]; cohorts: readonly number[] },
  kindOf: (values: PersonValues) => (high: number, low: number) => void,
): Promise<void> {
  const { properties, cohorts } = looked;
  const memberships = sql`array(select c.cohort_id from cohort_people c where c.person_id = p.id
    and c.cohort_id = ${list(cohorts, "int")} order by 1)::text`;
  const values: SQL[] = [
    ...properties.map((name) => sql`(p.properties -> ${name})::text`),
    cohorts.length > 0 ? memberships : sql`'{}'::text`,
  ];
  const columns = values.map((value, i) => sql`${value} as ${sql.raw(`v${i}`)}`);
  const places = sql.raw(values.map((_, i) => `v${i}`).join(", "));
  await snapshot.copy(
    sql`select ${places}, array_agg(id) from (
        select p.id, ${sql.join(columns, sql`, `)} from persons p where p.project_id = ${of.project_id}
          ${of.people ? sql`and p.id = ${list(of.people, "bigint")}` : sql``}
      ) kinds group by ${places}`,
    ({ bytes, starts, lengths }) => {
      const text = (field: number) => {
        const [start, length] = [starts[field] ?? 0, lengths[field] ?? -1];
        return length < 0 ? null : bytes.toString("utf8", start, start + length);
      };
      const visit = kindOf({
        values: properties.map((_, i) => text(i)),
        cohorts: text(properties.length) ?? "{}",
      });
      const ids = starts[values.length] ?? 0;
      const size = bytes.readInt32BE(ids + 12);
      // Of each person four bytes of length, and eight of a number.
      for (let i = 0, at = ids + 24; i < size; i++, at += 12)
        visit(bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4));
    },
  );
}

/** Whether persons are few enough to be queried by id. */
export const areFew = (people: number): boolean => people <= ASKED_MAX;
