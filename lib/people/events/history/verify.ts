import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import type { HistoryCopy } from "./clickhouse-store.ts";
import {
  isCopied,
  type Progress,
  selectDayEvents,
  selectProgress,
  selectProjects,
  selectSpan,
  waitForCopy,
} from "./outbox-store.ts";
import { selectDayFigures } from "./postgres-store.ts";
import { BATCH, shipAll } from "./ship.ts";
import type { DayFigures, Period } from "./store.ts";

/** A day and event of a project of which PostgreSQL and ClickHouse have something else. */
export type Difference = {
  project_id: number;
  day: string;
  event: string;
  postgres: DayFigures | null;
  clickhouse: DayFigures | null;
};

const keyOf = ({ day, event }: DayFigures) => `${day} ${event}`;

const isEqual = (a: DayFigures | undefined, b: DayFigures | undefined) =>
  a !== undefined && b !== undefined && a.count === b.count && a.people === b.people && a.hash === b.hash;

function differencesIn(project_id: number, ours: DayFigures[], theirs: DayFigures[]): Difference[] {
  const [postgres, clickhouse] = [ours, theirs].map((list) => new Map(list.map((row) => [keyOf(row), row])));
  const all = new Map([...ours, ...theirs].map((row) => [keyOf(row), row]));
  return [...all].flatMap(([key, { day, event }]) => {
    const [a, b] = [postgres?.get(key), clickhouse?.get(key)];
    return isEqual(a, b) ? [] : [{ project_id, day, event, postgres: a ?? null, clickhouse: b ?? null }];
  });
}

const LAST = Date.UTC(2100, 0);

/** The years of which PostgreSQL has events, one by one, and what is before and after them. */
async function periodsOf(db: Db, project_id: number): Promise<Period[]> {
  const span = await selectSpan(db, project_id);
  if (!span) return [{ project_id, from: 0, to: LAST }];
  const [first, last] = [new Date(span.first).getUTCFullYear(), new Date(span.last).getUTCFullYear()];
  const bounds = [0];
  for (let year = first; year <= last + 1; year += 1) if (year > 1970) bounds.push(Date.UTC(year, 0));
  return [...bounds, LAST].slice(1).map((to, i) => ({ project_id, from: bounds[i] ?? 0, to }));
}

async function compareProject(db: Db, copy: HistoryCopy, progress: Progress): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const period of await periodsOf(db, progress.project_id)) {
    const ours = await selectDayFigures(db, period, isCopied(progress));
    differences.push(...differencesIn(period.project_id, ours, await copy.days(period)));
  }
  return differences;
}

/** What differs may have been deleted or merged in between; so often it is then compared again. */
const TRIES = 3;

async function compare(db: Db, copy: HistoryCopy): Promise<Difference[]> {
  let differences: Difference[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    await shipAll(db, copy);
    differences = [];
    for (const id of await selectProjects(db))
      differences.push(...(await compareProject(db, copy, await selectProgress(db, id))));
    if (differences.length === 0) break;
  }
  return differences;
}

/** Copies what differs again. */
async function recopy(db: Db, copy: HistoryCopy, differences: readonly Difference[]): Promise<void> {
  for (const difference of differences) {
    const { project_id } = difference;
    const progress = await selectProgress(db, project_id);
    await copy.deleteDays(project_id, [difference]);
    for (let after: { timestamp: string; uuid: string } | null = null; ; ) {
      const events = await selectDayEvents(db, progress, difference, after, BATCH.events);
      await copy.insertEvents(events);
      after = events.at(-1) ?? null;
      if (events.length < BATCH.events) break;
    }
  }
}

/**
 * Copies what is not copied yet, and compares the copy with PostgreSQL by project, day and event; nobody else writes
 * into the copy meanwhile.
 */
export const verifyHistory = (db: Db, copy: HistoryCopy): Promise<Difference[]> =>
  inTransaction(db, async (tx) => {
    await waitForCopy(tx);
    return compare(db, copy);
  });

/** Copies again what differs. @returns what differs still */
export const repairHistory = (
  db: Db,
  copy: HistoryCopy,
  differences: readonly Difference[],
): Promise<Difference[]> =>
  inTransaction(db, async (tx) => {
    await waitForCopy(tx);
    await recopy(db, copy, differences);
    return compare(db, copy);
  });
