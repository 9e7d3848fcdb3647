import type { Db } from "#lib/platform/db/connect.ts";
import { type SurveyRow, selectLiveSurveys } from "./store.ts";

export { SURVEYS_TOPIC } from "./store.ts";

type Slot = { surveys: readonly SurveyRow[] | null; stale: boolean; reading: Promise<void> | null };

/**
 * The unarchived surveys of projects in use, newest first, cached in memory: every browser asks for them. A
 * read costs a query only after a change.
 */
export function createSurveyCache(db: Db) {
  const slots = new Map<number, Slot>();

  const read = async (projectId: number, slot: Slot): Promise<void> => {
    slot.stale = false;
    try {
      slot.surveys = await selectLiveSurveys(db, projectId);
    } catch (error) {
      slot.stale = true;
      throw error;
    }
  };

  return {
    /** The current surveys; never mutated. */
    async project(projectId: number): Promise<readonly SurveyRow[]> {
      const slot = slots.get(projectId) ?? { surveys: null, stale: true, reading: null };
      slots.set(projectId, slot);
      // A read may miss a change that arrives meanwhile: repeat until none does.
      while (slot.stale || slot.reading || !slot.surveys) {
        slot.reading ??= read(projectId, slot).finally(() => {
          slot.reading = null;
        });
        await slot.reading;
      }
      return slot.surveys;
    },
    /** Marks a project's surveys as changed. To be called after the commit. */
    changed(projectId: number): void {
      const slot = slots.get(projectId);
      if (slot) slot.stale = true;
    },
    /** Clears the cache: notifications may have been missed. */
    drop(): void {
      for (const slot of slots.values()) slot.stale = true;
    },
  };
}

export type SurveyCache = ReturnType<typeof createSurveyCache>;
