import type { MemberContext } from "#lib/people/context.ts";
import type { PersonEvents } from "#lib/people/events/history/clickhouse-store.ts";
import { personOf, readPersonRecords } from "#lib/people/persons/service.ts";
import { selectDistinctIds, selectPerson, selectPersonsByDistinctIds } from "#lib/people/persons/store.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { notFound, unavailable } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { streamed } from "#lib/platform/streamed.ts";
import type { erasureContract, personDataContract } from "./contract.ts";
import { beginErasure } from "./erase.ts";
import { countKept, readEventsAfter } from "./kept.ts";
import { createHasher, signText } from "./keys.ts";
import type { ErasureRecord } from "./schema.ts";
import {
  countEvents,
  type ErasureRow,
  selectErasure,
  selectErasures,
  selectHashKeysOf,
  selectMemberships,
} from "./store.ts";

type Of<Name extends keyof typeof personDataContract> = Input<(typeof personDataContract)[Name]>;
type OfErasure<Name extends keyof typeof erasureContract> = Input<(typeof erasureContract)[Name]>;

const PAGE = 1_000;

/** The statement is signed as the text that is shown, so that whoever checks it need not build it again. */
function certificateOf(context: MemberContext, row: ErasureRow): ErasureRecord["certificate"] {
  if (!row.finished_at) return null;
  const { events_deleted_before, unchanged_experiments } = row;
  const isWhole = events_deleted_before === null && unchanged_experiments.length === 0;
  const statement = canonical({
    statement: isWhole
      ? "All rows about this person were deleted from the database, and its figures no longer contain them."
      : "All rows about this person were deleted from the database. Its figures no longer contain them, except for what was computed from events that had been deleted before because of their age.",
    erasure: row.id,
    project_id: row.project_id,
    person_uuid: row.person_uuid,
    requested_at: instant(row.requested_at),
    requested_by_user_id: row.requested_by_id,
    finished_at: instant(row.finished_at),
    removed_rows: row.removed,
    ...(!isWhole && { events_deleted_before: instantOrNull(events_deleted_before), unchanged_experiments }),
  });
  return { statement, ...signText(context.runtime.settings.encryption_key, statement) };
}

const recordOf = (context: MemberContext, row: ErasureRow): ErasureRecord => ({
  id: row.id,
  person_uuid: row.person_uuid,
  state: row.finished_at ? "finished" : "running",
  requested_at: instant(row.requested_at),
  requested_by_id: row.requested_by_id,
  finished_at: instantOrNull(row.finished_at),
  removed: row.removed,
  events_deleted_before: instantOrNull(row.events_deleted_before),
  unchanged_experiments: row.unchanged_experiments,
  certificate: certificateOf(context, row),
});

/** Events on disk may be of somebody who would be erased before they are stored. @throws ApiError 503 */
function requireNothingWaits({ runtime }: MemberContext): void {
  if (runtime.events.isBehind())
    throw unavailable("Events are still waiting to be stored. Erase people once they are.");
}

async function erase(context: MemberContext, personId: number): Promise<ErasureRow | null> {
  const { db, project, user, runtime, now } = context;
  const row = await inTransaction(db, (tx) =>
    beginErasure(tx, {
      project_id: project.id,
      person_id: personId,
      requested_by_id: user.id,
      hash: createHasher(runtime.settings.encryption_key),
      now,
    }),
  );
  runtime.cohorts.changed(project.id);
  runtime.persons.changed({ ids: [personId], keys: [] });
  return row;
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  requireNothingWaits(context);
  const row = await erase(context, (await personOf(context, params.id)).id);
  if (!row) throw notFound();
  return recordOf(context, row);
}

/** The persons that a call names, each once. */
async function readNamed({ db, project }: MemberContext, { ids, distinct_ids }: Of<"bulk_delete">["body"]) {
  const found = new Set<number>();
  for (const uuid of ids ?? []) {
    const person = await selectPerson(db, project.id, uuid);
    if (person) found.add(person.id);
  }
  for (const { id } of (await selectPersonsByDistinctIds(db, project.id, distinct_ids ?? [])).values())
    found.add(id);
  return [...found];
}

export async function bulk_delete(context: MemberContext, { body }: Of<"bulk_delete">) {
  requireNothingWaits(context);
  const found = await readNamed(context, body);
  const erasures: ErasureRecord[] = [];
  for (const id of found) {
    const row = await erase(context, id);
    if (row) erasures.push(recordOf(context, row));
  }
  return {
    persons_found: found.length,
    persons_deleted: erasures.length,
    events_queued_for_deletion: erasures.length > 0,
    recordings_queued_for_deletion: false,
    deletion_errors: 0,
    erasures,
  };
}

/** Rows about a person by table, apart from those of the person, its distinct ids and its events. */
async function readRows(
  context: MemberContext,
  { id: personId, uuid }: { id: number; uuid: string },
): Promise<Record<string, object[]>> {
  const { db, project } = context;
  const rows: Record<string, object[]> = {
    cohort_people: await selectMemberships(db, personId),
    feature_flag_hash_key_overrides: await selectHashKeysOf(db, project.id, personId),
  };
  const of = {
    project_id: project.id,
    person_uuid: uuid,
    person_ids: [personId],
    distinct_ids: await selectDistinctIds(db, personId),
  };
  for (const step of context.runtime.eraseSteps) Object.assign(rows, await step.stored?.(db, of));
  return rows;
}

export async function stored(context: MemberContext, { params }: Of<"stored">) {
  const person = await personOf(context, params.id);
  const rows = await readRows(context, person);
  const distinctIds = await selectDistinctIds(context.db, person.id);
  const events = await countEvents(context.db, context.project.id, person.id);
  return {
    stored: {
      persons: 1,
      person_distinct_ids: distinctIds.length,
      events: events + (await countKept(context, distinctIds)),
      ...Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length])),
    },
  };
}

async function* exportOf(context: MemberContext, id: string): AsyncGenerator<string> {
  const { db } = context;
  const person = await personOf(context, id);
  const [record] = await readPersonRecords(context, [person.id]);
  const head = {
    exported_at: instant(context.now),
    person: { ...record, distinct_ids: await selectDistinctIds(db, person.id) },
    ...(await readRows(context, person)),
  };
  const { distinct_ids } = head.person;
  const beginning = `${JSON.stringify(head).slice(0, -1)},"events":[`;
  let after: PersonEvents["after"] = null;
  do {
    const page = await readEventsAfter(context, { id: person.id, distinct_ids }, after, PAGE);
    const lines = page.map(({ at: _, ...event }) => JSON.stringify(event));
    if (!after) yield `${beginning}\n${lines.join(",\n")}`;
    else if (lines.length > 0) yield `,\n${lines.join(",\n")}`;
    after = page.length === PAGE ? (page.at(-1) ?? null) : null;
  } while (after);
  yield "]}\n";
}

function exported(context: MemberContext, { params }: Of<"export">): Promise<Response> {
  return streamed(exportOf(context, params.id), {
    "content-type": "application/json; charset=utf-8",
    "content-disposition": 'attachment; filename="person.json"',
  });
}

export { exported as export };

export async function list(context: MemberContext, { query }: OfErasure<"list">) {
  const { rows, count } = await selectErasures(context.db, context.project.id, query);
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => recordOf(context, row)),
  };
}

export async function retrieve(context: MemberContext, { params }: OfErasure<"retrieve">) {
  const row = await selectErasure(context.db, params.id, context.project.id);
  if (!row) throw notFound();
  return recordOf(context, row);
}
