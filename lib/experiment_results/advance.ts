import { type Db, inTransaction } from "#lib/db/connect.ts";
import { selectWatermark } from "./events_store.ts";
import { latestOf } from "./plan.ts";
import type { Prepared } from "./prepare.ts";
import { refill } from "./refill.ts";
import { partOf } from "./scope.ts";
import { dayAt, dayEnds, type Figures, readFigures, recordDay, type Slot, syncSeries } from "./series.ts";
import { ensureState, lockState, type StateRow, selectState, updateState } from "./store.ts";
import { type Kept, step } from "./update.ts";

/** Days that may be missing before all is computed anew instead of day by day. */
const DAYS_TO_STEP = 7;

type Options = {
  now: Date;
  /** Compute all anew from the stored events. */
  rebuild?: boolean;
  /** Told how many events a long computation has read. */
  read?: (events: number) => void;
};

const idle = () => undefined;

/** The end of the day that holds the experiment's end is its last: later conversions belong to it. */
async function recordLast(tx: Db, prepared: Prepared, slots: Slot[], cut: number, now: Date) {
  const { plan } = prepared;
  if (plan.end === null || cut <= plan.end) return;
  await recordDay(tx, prepared, slots, { day: dayAt(plan, plan.end), cut }, now);
}

/** Goes from day to day, and records each that ends on the way. */
async function stepOn(
  tx: Db,
  prepared: Prepared,
  slots: Slot[],
  state: StateRow,
  to: { cut: number; watermark: string; now: Date },
): Promise<boolean> {
  const { plan, experiment } = prepared;
  const filled = slots.filter(({ series }) => series.filled);
  const kept: Kept = {
    experiment_id: experiment.id,
    project_id: experiment.project_id,
    plan: partOf(
      plan,
      filled.map(({ planned }) => planned),
    ),
    series: filled.map(({ series }) => series.id),
  };
  let since = { watermark: state.watermark, cut: state.cut_at.getTime() };
  let changed = since.cut < to.cut && plan.end !== null;
  const ends = dayEnds(plan, since.cut, to.cut);
  for (const cut of new Set([...ends, to.cut])) {
    changed = (await step(tx, kept, since, cut)) > 0 || changed;
    if (ends.includes(cut) && (plan.end === null || cut <= plan.end))
      await recordDay(tx, prepared, filled, { day: dayAt(plan, cut - 1), cut }, to.now);
    since = { watermark: to.watermark, cut };
  }
  return changed;
}

/** The same within a transaction that sees one snapshot. */
export async function advanceIn(
  tx: Db,
  prepared: Prepared,
  { now, rebuild, read = idle }: Options,
): Promise<Figures> {
  const { plan, experiment, definition } = prepared;
  const state = await lockState(tx, experiment.id);
  if (!state) throw new Error("The state of an experiment is gone.");
  const watermark = await selectWatermark(tx);
  const present = Math.max(plan.start, Math.min(now.getTime() + 1, latestOf(plan)));
  const isSame = state.definition === definition && !rebuild;
  const before = state.cut_at.getTime();
  const cut = isSame ? Math.max(present, before) : present;
  const slots = await syncSeries(tx, prepared);
  const isNear = isSame && dayEnds(plan, before, cut).length <= DAYS_TO_STEP;
  if (isNear) {
    const changed = await stepOn(tx, prepared, slots, state, { cut, watermark, now });
    const fresh = slots.filter(({ series }) => !series.filled);
    if (fresh.length > 0) await refill(tx, prepared, fresh, cut, { units: false, now, read });
    if (changed || fresh.length > 0) await recordLast(tx, prepared, slots, cut, now);
  } else {
    await refill(tx, prepared, slots, cut, { units: true, now, read });
    await recordLast(tx, prepared, slots, cut, now);
  }
  await updateState(tx, experiment.id, { definition, watermark, cut_at: new Date(cut), updated_at: now });
  return readFigures(tx, prepared, slots, cut);
}

/**
 * Brings an experiment up to date and reads its figures, in one snapshot of the database. It costs what is new since
 * the last time; all is computed anew where there was no last time, or the experiment is another one since (its
 * start, variants, or who counts as exposed). Days that ended meanwhile are recorded.
 */
export async function advance(db: Db, prepared: Prepared, options: Options): Promise<Figures> {
  const { id, project_id } = prepared.experiment;
  if (!(await selectState(db, id))) await ensureState(db, id, project_id);
  // Whoever waited for another process's turn starts again from what that one left (SQLSTATE 40001).
  return inTransaction(db, (tx) => advanceIn(tx, prepared, options), { isolationLevel: "repeatable read" });
}
