import type { Db } from "#lib/platform/db/connect.ts";
import { type CohortRow, selectLiveCohorts } from "./store.ts";

/** The notification topic of changed cohorts; its payload is `{project_id}`. */
export const COHORTS_TOPIC = "cohorts";

/** The cohorts of one project as of one moment; never changed in place. */
export type ProjectCohorts = {
  /** Grows with every change that this process saw; equal revisions mean equal definitions. */
  revision: number;
  /** Cohorts that are not deleted, static ones included. */
  byId: ReadonlyMap<number, CohortRow>;
};

type Slot = {
  cohorts: ProjectCohorts | null;
  stale: boolean;
  reading: Promise<void> | null;
};

/** The cohorts of the projects in use, held in memory: evaluation asks for them at every call. */
export function createCohortCache(db: Db) {
  const slots = new Map<number, Slot>();
  let revisions = 0;

  const read = async (projectId: number, slot: Slot): Promise<void> => {
    slot.stale = false;
    try {
      const rows = await selectLiveCohorts(db, projectId);
      revisions += 1;
      slot.cohorts = {
        revision: revisions,
        byId: new Map(rows.map((row) => [row.id, row])),
      };
    } catch (error) {
      slot.stale = true;
      throw error;
    }
  };

  return {
    /** The cohorts as of now; costs a query only after a change. */
    async project(projectId: number): Promise<ProjectCohorts> {
      const slot = slots.get(projectId) ?? {
        cohorts: null,
        stale: true,
        reading: null,
      };
      slots.set(projectId, slot);
      // A change that arrives during a reading may be missing from it: read on until none does.
      while (slot.stale || slot.reading || !slot.cohorts) {
        slot.reading ??= read(projectId, slot).finally(() => {
          slot.reading = null;
        });
        await slot.reading;
      }
      return slot.cohorts;
    },
    /** Marks a project's cohorts as changed. To be called after the commit. */
    changed(projectId: number): void {
      const slot = slots.get(projectId);
      if (slot) slot.stale = true;
    },
    /** Forgets everything: notifications may have been missed. */
    drop(): void {
      for (const slot of slots.values()) slot.stale = true;
    },
  };
}

export type CohortCache = ReturnType<typeof createCohortCache>;
