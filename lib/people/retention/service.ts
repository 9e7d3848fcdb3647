import type { MemberContext } from "#lib/people/context.ts";
import { selectKeptSpan } from "#lib/people/event_deletions/retained-store.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { COUNTED_MAX, type retentionContract } from "./contract.ts";
import { horizonOf, horizonsFor, latestHorizon, OTHER_EVENTS } from "./horizons.ts";
import { selectHorizons } from "./horizons-store.ts";
import { countOlder, selectDeletions, selectStoredNames } from "./store.ts";

type Of<Name extends keyof typeof retentionContract> = Input<(typeof retentionContract)[Name]>;

/** A horizon at 1970 keeps a name from being deleted with the others. */
const isMoved = (before: Date) => before.getTime() > 0;

export async function event_retention({ db, project, runtime }: MemberContext) {
  const [deletions, names, kept] = await Promise.all([
    selectDeletions(db, project.id),
    selectStoredNames(db, project.id),
    selectKeptSpan(db, { project_id: project.id }),
  ]);
  const onlyInClickHouse = kept?.count ?? 0;
  return {
    deleted: names.reduce((sum, { deleted }) => sum + deleted, 0) - onlyInClickHouse,
    only_in_clickhouse: onlyInClickHouse,
    only_in_clickhouse_days: kept && { from: kept.first, to: kept.last },
    can_keep_in_clickhouse: runtime.hasEventCopy,
    horizons: deletions
      .filter(({ before }) => isMoved(before))
      .map(({ event, before, refused }) => ({ event, deleted_before: instant(before), refused })),
  };
}

export async function preview_event_retention(
  { db, project, runtime, now }: MemberContext,
  { body }: Of<"preview_event_retention">,
) {
  const [before, uses, names] = await Promise.all([
    selectHorizons(db, project.id),
    runtime.eventReaders.uses(project.id, now),
    selectStoredNames(db, project.id),
  ]);
  const asked = new Map(
    horizonsFor(body.event_retention, before, [], now).map((horizon) => [horizon.event, horizon.before]),
  );
  const next = new Map(
    horizonsFor(body.event_retention, before, uses, now).map((horizon) => [horizon.event, horizon.before]),
  );
  const due = names.flatMap(({ name, stored }) => {
    const horizon = horizonOf(next, name);
    return stored > 0 && horizon && isMoved(horizon) ? [{ event: name, before: horizon }] : [];
  });
  const count = await countOlder(db, project.id, due, COUNTED_MAX + 1);
  const named = Object.keys(body.event_retention?.by_event ?? {}).sort();
  const horizons = [OTHER_EVENTS, ...named].flatMap((event) => {
    const horizon = next.get(event);
    return horizon && isMoved(horizon)
      ? [{ event: event === OTHER_EVENTS ? null : event, deleted_before: instant(horizon) }]
      : [];
  });
  const holding = uses.filter(
    ({ events, from }) => (latestHorizon(asked, events)?.getTime() ?? 0) > from.getTime(),
  );
  return {
    count: Math.min(count, COUNTED_MAX),
    is_more: count > COUNTED_MAX,
    horizons,
    kept_for: holding.map(({ name, from }) => ({ name, from: instant(from) })),
  };
}
