import { type Consumer, type Delta, readDelta, type Since } from "#lib/experiments/results/events/delta.ts";
import { selectSeen } from "#lib/experiments/results/events/events-store.ts";
import { createReporter } from "#lib/experiments/results/events/progress.ts";
import { latestOf } from "#lib/experiments/results/plan/plan.ts";
import { type Prepared, sealedBefore } from "#lib/experiments/results/prepare.ts";
import { selectUnitDays } from "#lib/experiments/results/units/units-store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { applyDelta, RebuildNeeded } from "./apply-delta.ts";
import { type Rollup, rollupFor } from "./changes.ts";
import { rebuildMetrics } from "./rebuild.ts";
import {
  dayAt,
  dayEnds,
  type Figures,
  matchSeries,
  readFigures,
  recordDay,
  type StoredMetric,
  syncSeries,
} from "./series.ts";
import { analyseLoaded } from "./statistics-store.ts";
import { ensureState, lockStates, type StateRow, selectState, updateState } from "./store.ts";

/** Days that may be missing before everything is recomputed instead of advanced day by day. */
const DAYS_TO_STEP = 7;

/** If a unit has more numbers than this, those of former metrics are cleared. */
const WIDEST = 128;

type Options = {
  now: Date;
  /** Recompute everything from the stored events. */
  rebuild?: boolean;
  /** Called with the number of events that a long computation has read. */
  read?: (events: number) => void;
};

/** An experiment to be brought up to date, and from where to where. */
type Run = {
  prepared: Prepared;
  options: Options;
  state: StateRow;
  /** Null: everything is recomputed. */
  since: Since | null;
  cut: number;
};

function planRun(prepared: Prepared, options: Options, state: StateRow): Run {
  const { plan, definition } = prepared;
  const present = Math.max(plan.start, Math.min(options.now.getTime() + 1, latestOf(plan)));
  const isSame = state.definition === definition && state.seen !== null && !options.rebuild;
  const before = state.cut_at.getTime();
  const cut = isSame ? Math.max(present, before) : present;
  const isNear = isSame && state.width <= WIDEST && dayEnds(plan, before, cut).length <= DAYS_TO_STEP;
  const since = isNear && state.seen !== null ? { seen: state.seen, cut: before } : null;
  return { prepared, options, state, since, cut };
}

/** The end of the day that holds the experiment's end is its last: later conversions belong to it. */
async function recordLast(tx: Db, { prepared, cut, options }: Run, storedMetrics: StoredMetric[]) {
  const { plan } = prepared;
  if (plan.end === null || cut <= plan.end) return;
  await recordDay(tx, prepared, storedMetrics, { day: dayAt(plan, plan.end), cut }, options.now);
}

/** A run that starts from stored figures, with what it reads. */
type Update = { run: Run; since: Since; storedMetrics: StoredMetric[]; rollup: Rollup; consumer: Consumer };

/** Advances day by day and records each day that ends. @returns whether anything changed */
async function advanceDays(
  tx: Db,
  { run, since, storedMetrics, rollup, consumer }: Update,
  delta: Delta,
  seen: string,
) {
  const { prepared, cut: last, options } = run;
  const { plan } = prepared;
  const days = await selectUnitDays(tx, rollup.experiment_id);
  const units = days.reduce((sum, day) => sum + day.units, 0);
  const ends = dayEnds(plan, since.cut, last);
  let from = since;
  let changed = since.cut < last && plan.end !== null;
  for (const cut of new Set([...ends, last])) {
    changed = (await applyDelta(tx, rollup, { delta, consumer, units }, from, cut)) > 0 || changed;
    if (ends.includes(cut) && (plan.end === null || cut <= plan.end))
      await recordDay(tx, prepared, storedMetrics, { day: dayAt(plan, cut - 1), cut }, options.now);
    from = { seen, cut };
  }
  return changed;
}

const readOf = ({ options }: Run) => ({ now: options.now, ...(options.read && { read: options.read }) });

/** Advances stored figures. @returns how many numbers a unit has now @throws RebuildNeeded */
async function continueRun(
  tx: Db,
  update: Update,
  all: StoredMetric[],
  delta: Delta,
  seen: string,
): Promise<number> {
  const { run } = update;
  const changed = await advanceDays(tx, update, delta, seen);
  const fresh = all.filter(({ series }) => series.place === null);
  const from = run.state.width;
  const width =
    fresh.length > 0
      ? await rebuildMetrics(tx, run.prepared, fresh, run.cut, { from, ...readOf(run) })
      : from;
  if (changed || fresh.length > 0) await recordLast(tx, run, all);
  return width;
}

async function recomputeAll(tx: Db, run: Run, storedMetrics: StoredMetric[]): Promise<number> {
  const width = await rebuildMetrics(tx, run.prepared, storedMetrics, run.cut, {
    from: null,
    ...readOf(run),
  });
  await recordLast(tx, run, storedMetrics);
  return width;
}

/** Runs one experiment. */
async function execute(
  tx: Db,
  update: Update | null,
  run: Run,
  storedMetrics: StoredMetric[],
  delta: Delta,
  seen: string,
) {
  const { prepared, options, cut } = run;
  let width: number;
  try {
    width = update
      ? await continueRun(tx, update, storedMetrics, delta, seen)
      : await recomputeAll(tx, run, storedMetrics);
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    width = await recomputeAll(tx, run, storedMetrics);
  }
  const { definition, experiment } = prepared;
  await updateState(tx, experiment.id, {
    definition,
    seen,
    cut_at: new Date(cut),
    width,
    updated_at: options.now,
    sealed: false,
  });
  return readFigures(tx, prepared, storedMetrics, cut);
}

function updateFor(run: Run, storedMetrics: StoredMetric[]): Update | null {
  const { prepared, since } = run;
  if (!since) return null;
  const filled = storedMetrics.filter(({ series }) => series.place !== null);
  const rollup = rollupFor(prepared, filled);
  const { experiment_id, project_id, plan } = rollup;
  return { run, since, storedMetrics: filled, rollup, consumer: { experiment_id, project_id, plan, since } };
}

const none: Delta = {
  async *of() {
    yield [];
  },
};

const readFor = async (tx: Db, updates: Update[]): Promise<Delta> => {
  const [first, ...rest] = updates;
  if (!first) return none;
  const consumers = rest.map(({ consumer }) => consumer);
  return readDelta(tx, [first.consumer, ...consumers], Math.max(...updates.map(({ run }) => run.cut)));
};

/** The figures as they were when events behind them were deleted. */
async function readSealed(tx: Db, prepared: Prepared, state: StateRow): Promise<Figures> {
  return readFigures(tx, prepared, await matchSeries(tx, prepared), state.cut_at.getTime());
}

/** The same within a transaction that sees one snapshot. */
export async function advanceIn(tx: Db, prepared: Prepared, options: Options): Promise<Figures> {
  const [state] = await lockStates(tx, [prepared.experiment.id]);
  if (!state) throw new Error("The state of an experiment is gone.");
  if (state.sealed && (await sealedBefore(tx, prepared))) return readSealed(tx, prepared, state);
  const seen = await selectSeen(tx);
  const run = planRun(prepared, options, state);
  const storedMetrics = await syncSeries(tx, prepared);
  const update = updateFor(run, storedMetrics);
  return execute(tx, update, run, storedMetrics, await readFor(tx, update ? [update] : []), seen);
}

const ONE_SNAPSHOT = { isolationLevel: "repeatable read" } as const;

/**
 * Brings an experiment up to date and reads its figures, in one database snapshot. The cost depends on what is new since
 * the last time; everything is recomputed where there was no last time, or the experiment was redefined since (its
 * start, variants, or who counts as exposed). Days that ended meanwhile are recorded.
 */
export async function advance(db: Db, prepared: Prepared, options: Options): Promise<Figures> {
  const { id, project_id } = prepared.experiment;
  const state = await selectState(db, id);
  if (!state) await ensureState(db, id, project_id);
  if (state?.seen == null) await analyseLoaded(db);
  const report = await createReporter(db, prepared);
  const read = (events: number) => {
    options.read?.(events);
    report.read(events);
  };
  try {
    // After waiting for another process's run, it is retried from what that one left (SQLSTATE 40001).
    return await inTransaction(db, (tx) => advanceIn(tx, prepared, { ...options, read }), ONE_SNAPSHOT);
  } finally {
    await report.end();
  }
}

/**
 * Brings experiments of one project and one kind of unit up to date in one go: what is new is read once for all of
 * them. Skips those that another process is updating, and those that have to be recomputed.
 *
 * @throws whatever fails for one of them; then all are as they were
 */
export async function advanceMany(db: Db, list: readonly { prepared: Prepared; now: Date }[]): Promise<void> {
  const byId = new Map(list.map((one) => [one.prepared.experiment.id, one]));
  const work = async (tx: Db) => {
    const states = await lockStates(tx, [...byId.keys()], { waits: false });
    const seen = await selectSeen(tx);
    const runs: { run: Run; storedMetrics: StoredMetric[]; update: Update }[] = [];
    for (const state of states) {
      const one = byId.get(state.experiment_id);
      if (!one || state.sealed) continue;
      const run = planRun(one.prepared, { now: one.now }, state);
      if (!run.since) continue;
      const storedMetrics = await syncSeries(tx, one.prepared);
      const update = updateFor(run, storedMetrics);
      if (update) runs.push({ run, storedMetrics, update });
    }
    const delta = await readFor(
      tx,
      runs.map(({ update }) => update),
    );
    for (const { run, storedMetrics, update } of runs)
      await execute(tx, update, run, storedMetrics, delta, seen);
  };
  await inTransaction(db, work, ONE_SNAPSHOT);
}
