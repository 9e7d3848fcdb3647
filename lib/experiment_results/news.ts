import type { Db } from "#lib/db/connect.ts";
import {
  countNews,
  exposureKey,
  MANY_EVENTS,
  type NewsRow,
  type NewsScope,
  selectFewNews,
  selectStoredNews,
  storeNews,
} from "./news_store.ts";
import type { Plan } from "./plan.ts";
import { createReader, type UnitEvent } from "./reader.ts";
import { countsCalls, scopeOf } from "./scope.ts";
import { type Seen, seenBy } from "./snapshot.ts";

/** How far figures are: `seen` is a pg_snapshot, `cut` milliseconds since 1970, exclusive. */
export type Since = { seen: string; cut: number };

/** An experiment that is to hear of its news. */
export type Listener = { experiment_id: number; project_id: number; plan: Plan; since: Since };

/** A unit with its new events by time; `kept` null: it is not kept yet. */
export type UnitNews = { unit: string; events: UnitEvent[]; kept: (NewsRow & { variant: string }) | null };

/** News since listeners last listened, read once for all of them. */
export type News = {
  /**
   * What is new to one of them, before a moment, unit by unit.
   *
   * @param units how many it has
   */
  of(
    listener: Listener,
    since: Since,
    cut: number,
    units: number,
    reader: ReturnType<typeof createReader>,
  ): AsyncGenerator<UnitNews[]>;
};

const union = (lists: readonly (string[] | null)[]): string[] | null =>
  lists.some((list) => list === null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];

/** What several experiments of one project and one kind of unit need together. */
function scopeTogether(listeners: readonly [Listener, ...Listener[]], to: number): NewsScope {
  const scopes = listeners.map(({ plan, project_id }) => scopeOf(plan, createReader(plan), project_id, to));
  const [{ project_id, plan }] = listeners;
  const isOther = (one: Listener) => one.project_id !== project_id || one.plan.group_type !== plan.group_type;
  if (listeners.some(isOther))
    throw new RangeError("Experiments of several kinds cannot hear of news together.");
  const first = Math.min(...listeners.map(({ since }) => Number(seenBy(since.seen).from)));
  const own = listeners.map(({ plan }) =>
    countsCalls(plan) ? null : plan.exposure.flag === null ? [] : [plan.exposure.flag],
  );
  return {
    project_id,
    group_type: plan.group_type,
    names: union(scopes.map(({ names }) => names)),
    columns: union(scopes.map(({ columns }) => columns)) ?? [],
    carriers: union(scopes.map(({ carriers }) => carriers)),
    flags: union(own.map((flags) => flags?.map((flag) => [...flag].slice(0, 400).join("")) ?? null)),
    exposing: scopes.flatMap(({ exposure }) => (exposure.flag === null ? [exposure.event] : [])),
    from: Math.min(...scopes.map(({ from }) => from)),
    to,
    since: { transaction: String(first), cut: Math.min(...listeners.map(({ since }) => since.cut)) },
  };
}

type Told = [at: number, transaction: number, name: number | string, ...unknown[]];

/** How an experiment reads what is told to all. */
function ear(
  { names, columns, group_type }: NewsScope,
  wanted: string[],
  since: { seen: Seen; cut: number },
  cut: number,
) {
  const skip = group_type === null ? 3 : 4;
  const places = wanted.map((name) => columns.indexOf(name) + skip);
  return (row: NewsRow): UnitEvent[] => {
    const events: UnitEvent[] = [];
    for (const told of JSON.parse(`[${row.told}]`) as Told[]) {
      const [at, transaction, name] = told;
      if (at >= cut || (at < since.cut && since.seen.has(transaction))) continue;
      const event = typeof name === "string" ? name : (names?.[name - 1] ?? "");
      const person = group_type === null ? row.unit : (told[3] as string | null);
      // Properties that are JSON null read as absent ones.
      events.push({ at, event, person, values: places.map((place) => told[place] ?? undefined) });
    }
    return events.sort((a, b) => a.at - b.at);
  };
}

/** Fewer units with news than one in so many of an experiment's are looked up one by one. */
const SPARSE = 10;

/** Reads what is new to some experiments of one project and one kind of unit. @param to the latest moment, exclusive */
export async function readNews(
  tx: Db,
  listeners: readonly [Listener, ...Listener[]],
  to: number,
): Promise<News> {
  const scope = scopeTogether(listeners, to);
  const count = listeners.length > 1 ? MANY_EVENTS + 1 : await countNews(tx, scope);
  const stored = count > MANY_EVENTS ? await storeNews(tx, scope) : null;
  async function* rowsOf({ experiment_id, plan }: Listener, units: number) {
    const key = exposureKey(plan.exposure);
    if (stored === null) yield await selectFewNews(tx, scope, experiment_id, key);
    else yield* selectStoredNews(tx, experiment_id, key, { sparse: stored * SPARSE < units });
  }
  return {
    async *of(listener, since, cut, units, reader) {
      const hear = ear(scope, reader.columns, { seen: seenBy(since.seen), cut: since.cut }, cut);
      for await (const rows of rowsOf(listener, units))
        yield rows.map((row) => {
          const kept = row.variant === null ? null : { ...row, variant: row.variant };
          return { unit: row.unit, events: hear(row), kept };
        });
    },
  };
}
