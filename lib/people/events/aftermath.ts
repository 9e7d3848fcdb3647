import { ACCOUNTS_TOPIC } from "#lib/identity/accounts/directory.ts";
import { noteFirstEvents } from "#lib/identity/projects/store.ts";
import type { CohortCache } from "#lib/people/cohorts/cache.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import type { Directory } from "#lib/platform/http/directory.ts";
import type { Flushed } from "./flush.ts";

type Parts = {
  db: Db;
  directory: Directory;
  cohorts: CohortCache;
};

/**
 * What follows from stored events but need not be as durable as they are: that a project has events at all, and
 * that caches of this process learn of it.
 */
export function createAftermath({ db, directory, cohorts }: Parts) {
  const started = new Set<number>();

  const noteProjects = async (projectIds: number[]) => {
    const fresh = projectIds.filter((id) => !started.has(id));
    if (fresh.length === 0) return;
    const { projects } = await directory.current();
    const silent = fresh.filter((id) => projects.get(id)?.ingested_event === false);
    if (silent.length > 0) {
      await inTransaction(db, async (tx) => {
        if (await noteFirstEvents(tx, silent)) await publish(tx, ACCOUNTS_TOPIC, null);
      });
      directory.drop();
    }
    for (const id of fresh) started.add(id);
  };

  return async (flushed: Flushed<{ project_id: number }>): Promise<void> => {
    for (const id of flushed.shrunkCohortsOf) cohorts.changed(id);
    await noteProjects([...new Set(flushed.fresh.map((item) => item.project_id))]);
  };
}
