import { type Db, inTransaction } from "#lib/db/connect.ts";
import { type Kept, keptOf } from "./changes.ts";
import { selectSeen } from "./events_store.ts";
import { type Listener, type News, readNews, type Since } from "./news.ts";
import { latestOf } from "./plan.ts";
import type { Prepared } from "./prepare.ts";
import { reporter } from "./progress.ts";
import { refill } from "./refill.ts";
import { dayAt, dayEnds, type Figures, readFigures, recordDay, type Slot, syncSeries } from "./series.ts";
import { analyseLoaded } from "./statistics_store.ts";
import { ensureState, lockStates, type StateRow, selectState, updateState } from "./store.ts";
import { selectUnitDays } from "./units_store.ts";
import { step, TooMuch } from "./update.ts";

/** Days that may be missing before all is computed anew instead of day by day. */
const DAYS_TO_STEP = 7;

/** Numbers of a unit, those of former metrics among them, from which on it is cleared of these. */
const WIDEST = 128;

type Options = {
  now: Date;
  /** Compute all anew from the stored events. */
  rebuild?: boolean;
  /** Told how many events a long computation has read. */
  read?: (events: number) => void;
};

/** An experiment to be brought up to date, and from where to where. */
type Turn = {
  prepared: Prepared;
  options: Options;
  state: StateRow;
  /** Null: all is computed anew. */
  since: Since | null;
  cut: number;
};

function turnOf(prepared: Prepared, options: Options, state: StateRow): Turn {
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
async function recordLast(tx: Db, { prepared, cut, options }: Turn, slots: Slot[]) {
  const { plan } = prepared;
  if (plan.end === null || cut <= plan.end) return;
  await recordDay(tx, prepared, slots, { day: dayAt(plan, plan.end), cut }, options.now);
}

/** Who is to hear of what, among turns. */
type Hearing = { turn: Turn; since: Since; slots: Slot[]; kept: Kept; listener: Listener };

/** Goes from day to day, and records each that ends on the way. @returns whether anything changed */
async function stepOn(tx: Db, { turn, since, slots, kept, listener }: Hearing, news: News, seen: string) {
  const { prepared, cut: last, options } = turn;
  const { plan } = prepared;
  const days = await selectUnitDays(tx, kept.experiment_id);
  const units = days.reduce((sum, day) => sum + day.units, 0);
  const ends = dayEnds(plan, since.cut, last);
  let from = since;
  let changed = since.cut < last && plan.end !== null;
  for (const cut of new Set([...ends, last])) {
    changed = (await step(tx, kept, { news, listener, units }, from, cut)) > 0 || changed;
    if (ends.includes(cut) && (plan.end === null || cut <= plan.end))
      await recordDay(tx, prepared, slots, { day: dayAt(plan, cut - 1), cut }, options.now);
    from = { seen, cut };
  }
  return changed;
}

const readOf = ({ options }: Turn) => ({ now: options.now, ...(options.read && { read: options.read }) });

/** Goes on from what is kept. @returns how many numbers a unit has now @throws TooMuch */
async function goOn(tx: Db, hearing: Hearing, all: Slot[], news: News, seen: string): Promise<number> {
  const { turn } = hearing;
  const changed = await stepOn(tx, hearing, news, seen);
  const fresh = all.filter(({ series }) => series.place === null);
  const from = turn.state.width;
  const width =
    fresh.length > 0 ? await refill(tx, turn.prepared, fresh, turn.cut, { from, ...readOf(turn) }) : from;
  if (changed || fresh.length > 0) await recordLast(tx, turn, all);
  return width;
}

async function anew(tx: Db, turn: Turn, slots: Slot[]): Promise<number> {
  const width = await refill(tx, turn.prepared, slots, turn.cut, { from: null, ...readOf(turn) });
  await recordLast(tx, turn, slots);
  return width;
}

/** One experiment's turn. */
async function take(tx: Db, hearing: Hearing | null, turn: Turn, slots: Slot[], news: News, seen: string) {
  const { prepared, options, cut } = turn;
  let width: number;
  try {
    width = hearing ? await goOn(tx, hearing, slots, news, seen) : await anew(tx, turn, slots);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    width = await anew(tx, turn, slots);
  }
  const { definition, experiment } = prepared;
  await updateState(tx, experiment.id, {
    definition,
    seen,
    cut_at: new Date(cut),
    width,
    updated_at: options.now,
  });
  return readFigures(tx, prepared, slots, cut);
}

function hearingOf(turn: Turn, slots: Slot[]): Hearing | null {
  const { prepared, since } = turn;
  if (!since) return null;
  const filled = slots.filter(({ series }) => series.place !== null);
  const kept = keptOf(prepared, filled);
  const { experiment_id, project_id, plan } = kept;
  return { turn, since, slots: filled, kept, listener: { experiment_id, project_id, plan, since } };
}

const none: News = {
  async *of() {
    yield [];
  },
};

const readFor = async (tx: Db, hearings: Hearing[]): Promise<News> => {
  const [first, ...rest] = hearings;
  if (!first) return none;
  const listeners = rest.map(({ listener }) => listener);
  return readNews(tx, [first.listener, ...listeners], Math.max(...hearings.map(({ turn }) => turn.cut)));
};

/** The same within a transaction that sees one snapshot. */
export async function advanceIn(tx: Db, prepared: Prepared, options: Options): Promise<Figures> {
  const [state] = await lockStates(tx, [prepared.experiment.id]);
  if (!state) throw new Error("The state of an experiment is gone.");
  const seen = await selectSeen(tx);
  const turn = turnOf(prepared, options, state);
  const slots = await syncSeries(tx, prepared);
  const hearing = hearingOf(turn, slots);
  return take(tx, hearing, turn, slots, await readFor(tx, hearing ? [hearing] : []), seen);
}

const ONE_SNAPSHOT = { isolationLevel: "repeatable read" } as const;

/**
 * Brings an experiment up to date and reads its figures, in one snapshot of the database. It costs what is new since
 * the last time; all is computed anew where there was no last time, or the experiment is another one since (its
 * start, variants, or who counts as exposed). Days that ended meanwhile are recorded.
 */
export async function advance(db: Db, prepared: Prepared, options: Options): Promise<Figures> {
  const { id, project_id } = prepared.experiment;
  const state = await selectState(db, id);
  if (!state) await ensureState(db, id, project_id);
  if (state?.seen == null) await analyseLoaded(db);
  const report = await reporter(db, prepared);
  const read = (events: number) => {
    options.read?.(events);
    report.read(events);
  };
  try {
    // Whoever waited for another process's turn starts again from what that one left (SQLSTATE 40001).
    return await inTransaction(db, (tx) => advanceIn(tx, prepared, { ...options, read }), ONE_SNAPSHOT);
  } finally {
    await report.end();
  }
}

/**
 * Brings experiments of one project and one kind of unit up to date in one go: what is new is read once for all of
 * them. Left out are those that somebody else is busy with, and those that have to be computed anew.
 *
 * @throws whatever fails for one of them; then all are as they were
 */
export async function advanceTogether(
  db: Db,
  list: readonly { prepared: Prepared; now: Date }[],
): Promise<void> {
  const byId = new Map(list.map((one) => [one.prepared.experiment.id, one]));
  const work = async (tx: Db) => {
    const states = await lockStates(tx, [...byId.keys()], { waits: false });
    const seen = await selectSeen(tx);
    const turns: { turn: Turn; slots: Slot[]; hearing: Hearing }[] = [];
    for (const state of states) {
      const one = byId.get(state.experiment_id);
      if (!one) continue;
      const turn = turnOf(one.prepared, { now: one.now }, state);
      if (!turn.since) continue;
      const slots = await syncSeries(tx, one.prepared);
      const hearing = hearingOf(turn, slots);
      if (hearing) turns.push({ turn, slots, hearing });
    }
    const news = await readFor(
      tx,
      turns.map(({ hearing }) => hearing),
    );
    for (const { turn, slots, hearing } of turns) await take(tx, hearing, turn, slots, news, seen);
  };
  await inTransaction(db, work, ONE_SNAPSHOT);
}
