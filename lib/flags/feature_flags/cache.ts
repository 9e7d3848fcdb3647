import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { type FlagWithLinks, selectFlags } from "./store.ts";

/** A flag as it is read from memory: whatever is stored, its filters fit the schema of answers. */
export type Flag = FlagWithLinks & {
  /** Paths of stored values that could not be read and are left out. */
  unreadable_fields: readonly string[];
};

/** The notification topic of changed flags; its payload is `{project_id, ids}`, ids null for all. */
export const FLAGS_TOPIC = "feature_flags";

/** The flags of one project as of one moment; encrypted payloads are readable here, and only here. Never changed in place: hold on to it as long as you like. */
export type ProjectFlags = {
  /** Grows with every change that this process saw; equal revisions mean equal flags. */
  revision: number;
  byId: ReadonlyMap<number, Flag>;
  /** Flags that are not deleted, newest first. */
  live: readonly Flag[];
};

type Slot = {
  flags: ProjectFlags | null;
  /** Ids to read again; "all" before the first reading. */
  stale: Set<number> | "all";
  reading: Promise<ProjectFlags> | null;
};

const newestFirst = (a: Flag, b: Flag) => b.created_at.getTime() - a.created_at.getTime() || b.id - a.id;

/**
 * Every flag of the projects in use, held in memory: lists, definitions and evaluation read from here, so that
 * none of them costs a query. `changed` marks what has to be read again; the next reader reads just that.
 */
export function createFlagCache(db: Db, encryptionKey: Buffer) {
  const slots = new Map<number, Slot>();
  let revisions = 0;

  const read = async (projectId: number, slot: Slot): Promise<ProjectFlags> => {
    const stale = slot.stale;
    slot.stale = new Set();
    try {
      const rows = await selectFlags(db, projectId, stale === "all" || !slot.flags ? null : [...stale]);
      const byId = new Map(stale === "all" || !slot.flags ? [] : slot.flags.byId);
      if (stale !== "all") for (const id of stale) byId.delete(id);
      for (const row of rows) byId.set(row.id, readFlag(row, encryptionKey));
      const live = [...byId.values()].filter((flag) => !flag.deleted).sort(newestFirst);
      revisions += 1;
      slot.flags = { revision: revisions, byId, live };
      return slot.flags;
    } catch (error) {
      slot.stale = "all";
      throw error;
    }
  };

  const settle = async (projectId: number, slot: Slot): Promise<ProjectFlags> => {
    // A change that arrives while a reading is under way may be missing from it: read on until none does.
    while (slot.stale === "all" || slot.stale.size > 0 || slot.reading || !slot.flags) {
      slot.reading ??= read(projectId, slot).finally(() => {
        slot.reading = null;
      });
      await slot.reading;
    }
    return slot.flags;
  };

  return {
    /** The flags as of now. Synchronous work follows at once where nothing changed. */
    async project(projectId: number): Promise<ProjectFlags> {
      let slot = slots.get(projectId);
      if (!slot) {
        slot = { flags: null, stale: "all", reading: null };
        slots.set(projectId, slot);
      }
      return settle(projectId, slot);
    },
    /** Marks flags of a project as changed; `ids` null for all. To be called after the commit. */
    changed(projectId: number, ids: number[] | null): void {
      const slot = slots.get(projectId);
      if (!slot || slot.stale === "all") return;
      if (ids === null) slot.stale = "all";
      else for (const id of ids) slot.stale.add(id);
    },
    /** Forgets everything: notifications may have been missed. */
    drop(): void {
      for (const slot of slots.values()) slot.stale = "all";
    },
  };
}

export type FlagCache = ReturnType<typeof createFlagCache>;
