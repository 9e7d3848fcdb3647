import type { MemberContext } from "#lib/people/context.ts";
import { selectKeptSpan } from "#lib/people/event_deletions/retained-store.ts";
import { readDistinctIds } from "#lib/people/persons/service.ts";
import { latestHorizon } from "#lib/people/retention/horizons.ts";
import { selectHorizons } from "#lib/people/retention/horizons-store.ts";
import { selectStoredNames } from "#lib/people/retention/store.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { eventContract } from "./contract.ts";
import { instantOf } from "./event.ts";
import type { EventFilter, EventRow } from "./store.ts";

type Query = Input<(typeof eventContract)["list"]>["query"];

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function beforeOf(text: string | undefined): EventFilter["before"] {
  if (!text) return null;
  const [moment = "", uuid = null] = text.split(",");
  const at = instantOf(moment);
  if (at === null || at < 0 || at > 8e15) throw invalid("before must be an ISO 8601 date.", "before");
  if (uuid !== null && !UUID.test(uuid))
    throw invalid("before must come from the next field of a page.", "before");
  return { at, uuid };
}

/** The distinct ids whose events are requested; null: all. */
async function idsOf(context: MemberContext, query: Query): Promise<string[] | null> {
  const { person_id, distinct_id } = query;
  if (person_id === undefined) return distinct_id === undefined ? null : [distinct_id];
  const ids = await readDistinctIds(context, person_id);
  return distinct_id === undefined ? ids : ids.filter((id) => id === distinct_id);
}

const recordOf = (row: EventRow) => ({
  id: row.uuid,
  event: row.event,
  distinct_id: row.distinct_id,
  timestamp: instant(new Date(row.timestamp)),
  properties: row.properties,
});

/** Up to when events of a name, or of any, are neither in PostgreSQL nor in the copy; null: none were deleted. */
async function deletedBefore({ db, project }: MemberContext, name: string | undefined): Promise<Date | null> {
  const horizon = latestHorizon(await selectHorizons(db, project.id), name === undefined ? null : [name]);
  const kept = horizon && (await selectKeptSpan(db, { project_id: project.id, event: name }));
  if (!kept) return horizon;
  const names = await selectStoredNames(db, project.id);
  const deleted = names.reduce(
    (sum, one) => sum + (name === undefined || one.name === name ? one.deleted : 0),
    0,
  );
  const first = new Date(kept.first);
  return deleted <= kept.count ? null : first < horizon ? first : horizon;
}

export async function list(context: MemberContext, { query }: { query: Query }) {
  const before = beforeOf(query.before);
  const distinct_ids = await idsOf(context, query);
  const { event, feature_flag } = query;
  const filter = { project_id: context.project.id, event, feature_flag, distinct_ids, before };
  const name = feature_flag === undefined ? event : "$feature_flag_called";
  const [{ rows: found, unreadable }, deleted] = await Promise.all([
    context.runtime.history.page(context.db, filter, query.limit + 1, context.now),
    deletedBefore(context, name),
  ]);
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  const next = new URL(context.url);
  if (last) next.searchParams.set("before", `${new Date(last.timestamp).toISOString()},${last.uuid}`);
  return {
    next: found.length > query.limit ? next.href : null,
    deleted_before: deleted && instant(deleted),
    unreadable,
    results: rows.map(recordOf),
  };
}
