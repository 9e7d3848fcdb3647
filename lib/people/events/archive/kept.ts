import { selectOnlyCopied } from "#lib/people/event_deletions/retained-store.ts";
import type { DayEvent, HistoryCopy } from "#lib/people/events/history/clickhouse-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { type Day, type FileRow, selectOwners } from "./store.ts";

/** Events looked at in one go. */
const PAGE = 5_000;

/** The events of a day in equal parts, however large those are in which the copy sends them. */
async function* pagesOf(copy: HistoryCopy, day: Day): AsyncGenerator<DayEvent[]> {
  let page: DayEvent[] = [];
  for await (const events of copy.dayEvents(day))
    for (const event of events) {
      if (page.push(event) < PAGE) continue;
      yield page;
      page = [];
    }
  yield page;
}

/** The events of a day that only the copy has. */
export async function* readKeptRows(db: Db, copy: HistoryCopy, day: Day): AsyncGenerator<FileRow> {
  for await (const page of pagesOf(copy, day)) {
    const found = page.map(({ uuid, event }) => ({ uuid, event, day: day.day }));
    const own = await selectOnlyCopied(db, day.project_id, found);
    const kept = page.filter(({ uuid }) => own.has(uuid));
    const owners = await selectOwners(db, day.project_id, [...new Set(kept.map((row) => row.distinct_id))]);
    for (const row of kept)
      yield { ...row, person_id: owners.get(row.distinct_id) ?? null, created_at_us: null };
  }
}
