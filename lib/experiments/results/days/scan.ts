import {
  type EventRow,
  type EventScope,
  type Sampling,
  selectExposedEvents,
  selectFewExposed,
  selectUnitEvents,
} from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { buildScope, createGrouper } from "#lib/experiments/results/events/scope.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { UnitState } from "#lib/experiments/results/units/unit.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { createTimeline, type DayFigures, type Days, daysUntil } from "./timeline.ts";

/** Units read at once, where each is looked up. */
const UNITS = 1_000;

/** All that exposed units did, unit by unit. */
async function* eventsByUnit(tx: Db, scope: EventScope, sampling: Sampling): AsyncGenerator<EventRow[]> {
  const few = await selectFewExposed(tx, scope, sampling);
  if (few) {
    for (let i = 0; i < few.length; i += UNITS) yield* selectUnitEvents(tx, scope, few.slice(i, i + UNITS));
    return;
  }
  yield* selectExposedEvents(tx, scope, sampling);
}

type Options = {
  sampling?: Sampling;
  /** Called with the exposed units as they come; awaited. */
  take?: (units: { unit: string; state: UnitState }[]) => Promise<void>;
  /** Called with the number of events read so far. */
  read?: (events: number) => void;
};

/**
 * Computes everything of a plan from the stored events alone, in a transaction.
 *
 * @param cut exclusive, in milliseconds since 1970
 */
export async function scan(
  tx: Db,
  projectId: number,
  plan: Plan,
  cut: number,
  { sampling = { one_in: 1 }, take, read }: Options = {},
): Promise<{ days: Days; byDay: DayFigures[] }> {
  const reader = createReader(plan);
  const days = daysUntil(plan, cut);
  const timeline = createTimeline(plan, days);
  let found: { unit: string; state: UnitState }[] = [];
  const grouper = createGrouper((unit, events) => {
    const state = timeline.add(reader.read(events));
    if (state) found.push({ unit, state });
  });
  const pass = async () => {
    const units = found;
    found = [];
    await take?.(units);
  };
  let events = 0;
  for await (const rows of eventsByUnit(tx, buildScope(plan, reader, projectId, cut), sampling)) {
    grouper.push(rows);
    await pass();
    events += rows.length;
    read?.(events);
  }
  grouper.end();
  await pass();
  return { days, byDay: await timeline.byDay() };
}
