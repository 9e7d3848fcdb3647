import { LRUCache } from "lru-cache";
import { ACCOUNTS_TOPIC, type Directory } from "#lib/accounts/directory.ts";
import type { CohortCache } from "#lib/cohorts/cache.ts";
import { type Db, inTransaction } from "#lib/db/connect.ts";
import { publish } from "#lib/db/notify.ts";
import { FLAGS_TOPIC, type FlagCache } from "#lib/feature_flags/cache.ts";
import type { Definitions } from "#lib/feature_flags/definitions.ts";
import type { Flushed } from "./flush.ts";
import { noteFirstEvents, noteLastCalls } from "./ingest_store.ts";
import { lastCallsOf } from "./rollups.ts";

type Parts = {
  db: Db;
  directory: Directory;
  flags: FlagCache;
  cohorts: CohortCache;
  definitions: Definitions;
};

const NOTE_EVERY_MS = 60_000;
/** Above it a notification says "all flags" rather than naming them. */
const NAMED_FLAGS = 200;

/** Groups values by project. */
function byProject(rows: { id: number; project_id: number }[]): Map<number, number[]> {
  const ids = new Map<number, number[]>();
  for (const { id, project_id } of rows) ids.set(project_id, [...(ids.get(project_id) ?? []), id]);
  return ids;
}

/**
 * What follows from stored events but need not be as durable as they are: when flags were last called, that a
 * project has events at all, and that caches of this process learn of both.
 */
export function createAftermath({ db, directory, flags, cohorts, definitions }: Parts) {
  const noted = new LRUCache<string, number>({ max: 50_000 });
  const started = new Set<number>();

  const noteCalls = async (calls: Flushed<unknown>["flagCalls"]) => {
    const due = lastCallsOf(calls).filter(
      (call) =>
        call.at - (noted.get(`${call.project_id}:${call.feature_flag_key}`) ?? -Infinity) >= NOTE_EVERY_MS,
    );
    if (due.length === 0) return;
    const changed = await inTransaction(db, async (tx) => {
      const rows = (await noteLastCalls(tx, due)).filter((row) => row.matters);
      for (const [project_id, ids] of byProject(rows))
        await publish(tx, FLAGS_TOPIC, { project_id, ids: ids.length > NAMED_FLAGS ? null : ids });
      return byProject(rows);
    });
    for (const call of due) noted.set(`${call.project_id}:${call.feature_flag_key}`, call.at);
    for (const [projectId, ids] of changed) flags.changed(projectId, ids);
  };

  const noteProjects = async (projectIds: number[]) => {
    const news = projectIds.filter((id) => !started.has(id));
    if (news.length === 0) return;
    const { projects } = await directory.current();
    const silent = news.filter((id) => projects.get(id)?.ingested_event === false);
    if (silent.length > 0) {
      await inTransaction(db, async (tx) => {
        if (await noteFirstEvents(tx, silent)) await publish(tx, ACCOUNTS_TOPIC, null);
      });
      directory.drop();
    }
    for (const id of news) started.add(id);
  };

  return async (flushed: Flushed<{ project_id: number }>): Promise<void> => {
    for (const id of flushed.newTypesOf) definitions.changed(id);
    for (const id of flushed.shrunkCohortsOf) cohorts.changed(id);
    await noteCalls(flushed.flagCalls);
    await noteProjects([...new Set(flushed.fresh.map((item) => item.project_id))]);
  };
}
