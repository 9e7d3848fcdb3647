import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  countNewEvents,
  type DeltaRow,
  type DeltaScope,
  exposureKey,
  MANY_EVENTS,
  selectSmallDelta,
  selectStoredDelta,
  storeDelta,
} from "./delta-store.ts";
import { createReader, type UnitEvent } from "./reader.ts";
import { buildScope, countsCalls } from "./scope.ts";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";

/** How far figures are: `seen` is a pg_snapshot, `cut` milliseconds since 1970, exclusive. */
export type Since = { seen: string; cut: number };

/** An experiment that reads its delta. */
export type Consumer = { experiment_id: number; project_id: number; plan: Plan; since: Since };

/** A unit with its new events by time; `stored` null: the unit is not stored yet. */
export type UnitDelta = {
  unit: string;
  events: UnitEvent[];
  stored: (DeltaRow & { variant: string }) | null;
};

/** Events that are new to experiments since each was last updated, read once for all of them. */
export type Delta = {
  /**
   * The new events of one of them before a moment, unit by unit.
   *
   * @param units how many it has
   */
  of(
    consumer: Consumer,
    since: Since,
    cut: number,
    units: number,
    reader: ReturnType<typeof createReader>,
  ): AsyncGenerator<UnitDelta[]>;
};

const union = (lists: readonly (string[] | null)[]): string[] | null =>
  lists.some((list) => list === null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];

/** The scope that covers several experiments of one project and one kind of unit. */
function mergeScopes(consumers: readonly [Consumer, ...Consumer[]], to: number): DeltaScope {
  const scopes = consumers.map(({ plan, project_id }) =>
    buildScope(plan, createReader(plan), project_id, to),
  );
  const [{ project_id, plan }] = consumers;
  const isOther = (one: Consumer) => one.project_id !== project_id || one.plan.group_type !== plan.group_type;
  if (consumers.some(isOther))
    throw new RangeError("Experiments of several projects or unit types cannot share a read of new events.");
  const first = Math.min(...consumers.map(({ since }) => Number(parseSnapshot(since.seen).from)));
  const own = consumers.map(({ plan }) =>
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
    since: { transaction: String(first), cut: Math.min(...consumers.map(({ since }) => since.cut)) },
  };
}

type EncodedEvent = [at: number, transaction: number, name: number | string, ...unknown[]];

/** Decodes the shared rows into the events of one experiment. */
function createDecoder(
  { names, columns, group_type }: DeltaScope,
  wanted: string[],
  since: { seen: Snapshot; cut: number },
  cut: number,
) {
  const skip = group_type === null ? 3 : 4;
  const indexes = wanted.map((name) => columns.indexOf(name) + skip);
  return (row: DeltaRow): UnitEvent[] => {
    const events: UnitEvent[] = [];
    for (const encoded of JSON.parse(`[${row.encoded}]`) as EncodedEvent[]) {
      const [at, transaction, name] = encoded;
      if (at >= cut || (at < since.cut && since.seen.has(transaction))) continue;
      const event = typeof name === "string" ? name : (names?.[name - 1] ?? "");
      const person = group_type === null ? row.unit : (encoded[3] as string | null);
      // Properties that are JSON null read as absent ones.
      events.push({ at, event, person, values: indexes.map((index) => encoded[index] ?? undefined) });
    }
    return events.sort((a, b) => a.at - b.at);
  };
}

/** If fewer than one in so many of an experiment's units have new events, they are looked up one by one. */
const SPARSE = 10;

/** Reads the new events of experiments of one project and one kind of unit. @param to the latest moment, exclusive */
export async function readDelta(
  tx: Db,
  consumers: readonly [Consumer, ...Consumer[]],
  to: number,
): Promise<Delta> {
  const scope = mergeScopes(consumers, to);
  const count = consumers.length > 1 ? MANY_EVENTS + 1 : await countNewEvents(tx, scope);
  const stored = count > MANY_EVENTS ? await storeDelta(tx, scope) : null;
  async function* rowsOf({ experiment_id, plan }: Consumer, units: number) {
    const key = exposureKey(plan.exposure);
    if (stored === null) yield await selectSmallDelta(tx, scope, experiment_id, key);
    else yield* selectStoredDelta(tx, experiment_id, key, { sparse: stored * SPARSE < units });
  }
  return {
    async *of(consumer, since, cut, units, reader) {
      const decode = createDecoder(
        scope,
        reader.columns,
        { seen: parseSnapshot(since.seen), cut: since.cut },
        cut,
      );
      for await (const rows of rowsOf(consumer, units))
        yield rows.map((row) => {
          const stored = row.variant === null ? null : { ...row, variant: row.variant };
          return { unit: row.unit, events: decode(row), stored };
        });
    },
  };
}
