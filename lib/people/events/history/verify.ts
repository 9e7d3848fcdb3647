import { type KeptDay, selectKeptDays } from "#lib/people/event_deletions/retained-store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import type { HistoryCopy } from "./clickhouse-store.ts";
import {
  type EventLine,
  isCopied,
  type Progress,
  selectDayEvents,
  selectProgress,
  selectProjects,
  selectSpan,
  waitForCopy,
} from "./outbox-store.ts";
import { selectDayFigures } from "./postgres-store.ts";
import { shipAll } from "./ship.ts";
import type { DayFigures, Period } from "./store.ts";

/** A day and event of a project of which PostgreSQL and ClickHouse have something else. */
export type Difference = {
  project_id: number;
  day: string;
  event: string;
  /** How many left PostgreSQL because of their age, and should be in ClickHouse. */
  kept: number;
  postgres: DayFigures | null;
  clickhouse: DayFigures | null;
};

type Day = { day: string; event: string };

const keyOf = ({ day, event }: Day) => `${day} ${event}`;

type Figures = { ours: DayFigures | undefined; kept: KeptDay | undefined; theirs: DayFigures | undefined };

/** Persons can be compared only where PostgreSQL has all events of a day. */
function isEqual({ ours, kept, theirs }: Figures): boolean {
  if (!theirs) return false;
  const hash = String(BigInt(ours?.hash ?? 0) + BigInt(kept?.hash ?? 0));
  const count = (ours?.count ?? 0) + (kept?.count ?? 0);
  return count === theirs.count && hash === theirs.hash && (!!kept || ours?.people === theirs.people);
}

function differencesIn(
  project_id: number,
  lists: { ours: DayFigures[]; kept: KeptDay[]; theirs: DayFigures[] },
): Difference[] {
  const byKey = <Row extends Day>(rows: Row[]) => new Map(rows.map((row) => [keyOf(row), row]));
  const [ours, kept, theirs] = [byKey(lists.ours), byKey(lists.kept), byKey(lists.theirs)];
  return [...new Map<string, Day>([...ours, ...kept, ...theirs])].flatMap(([key, { day, event }]) => {
    const figures = { ours: ours.get(key), kept: kept.get(key), theirs: theirs.get(key) };
    if (isEqual(figures)) return [];
    const [postgres, clickhouse] = [figures.ours ?? null, figures.theirs ?? null];
    return [{ project_id, day, event, kept: figures.kept?.count ?? 0, postgres, clickhouse }];
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
    // As of one moment: what leaves PostgreSQL meanwhile would be in both, or in neither.
    const { ours, kept } = await inTransaction(
      db,
      async (tx) => ({
        ours: await selectDayFigures(tx, period, isCopied(progress)),
        kept: await selectKeptDays(tx, period),
      }),
      { isolationLevel: "repeatable read", accessMode: "read only" },
    );
    differences.push(...differencesIn(period.project_id, { ours, kept, theirs: await copy.days(period) }));
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

/** Events of a day that are copied at once. */
const RECOPIED = 10_000;

/** Copies what differs again. Days are emptied first, unless only the copy has some of their events. */
async function recopy(db: Db, copy: HistoryCopy, differences: readonly Difference[]): Promise<void> {
  for (const difference of differences) {
    const { project_id } = difference;
    const progress = await selectProgress(db, project_id);
    if (difference.kept === 0) await copy.deleteDays(project_id, [difference]);
    for (let last: EventLine | null = null; ; ) {
      const events = await selectDayEvents(db, progress, difference, last, RECOPIED);
      await copy.insertEvents(events.map(({ line }) => line));
      last = events.at(-1) ?? null;
      if (events.length < RECOPIED) break;
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
