import { asDatabaseUnavailable } from "#lib/platform/db/errors.ts";

/** What changed since a project was last read. */
type CacheChange<T> = { previous: T; ids: readonly number[] };

type Slot<T> = {
  value: T | null;
  /** Ids to read again; "all" before the first read. */
  stale: Set<number> | "all";
  reading: Promise<void> | null;
};

/**
 * One value per project in use, held in memory: reading it costs a query only after a change. While the database is
 * away, the last value goes on serving.
 *
 * @param read reads a project's value: all of it if `change` is null, otherwise at least what changed. The value it
 *   returns is never changed in place. Each call gets a larger `revision`.
 */
export function createProjectCache<T>(
  read: (projectId: number, revision: number, change: CacheChange<T> | null) => Promise<T>,
) {
  const slots = new Map<number, Slot<T>>();
  let revision = 0;

  const refresh = async (projectId: number, slot: Slot<T>): Promise<void> => {
    const { value: previous, stale } = slot;
    slot.stale = new Set();
    revision += 1;
    try {
      const change = stale === "all" || previous === null ? null : { previous, ids: [...stale] };
      slot.value = await read(projectId, revision, change);
    } catch (error) {
      slot.stale = "all";
      throw error;
    }
  };

  return {
    /** The current value. */
    async project(projectId: number): Promise<T> {
      const slot = slots.get(projectId) ?? { value: null, stale: "all", reading: null };
      slots.set(projectId, slot);
      // A read may miss a change that arrives meanwhile: repeat until none does.
      while (slot.stale === "all" || slot.stale.size > 0 || slot.reading || slot.value === null) {
        slot.reading ??= refresh(projectId, slot).finally(() => {
          slot.reading = null;
        });
        try {
          await slot.reading;
        } catch (error) {
          if (slot.value === null || !asDatabaseUnavailable(error)) throw error;
          return slot.value;
        }
      }
      return slot.value;
    },
    /** Marks records of a project as changed; `ids` null for all. To be called after the commit. */
    changed(projectId: number, ids: readonly number[] | null = null): void {
      const slot = slots.get(projectId);
      if (!slot || slot.stale === "all") return;
      if (ids === null) slot.stale = "all";
      else for (const id of ids) slot.stale.add(id);
    },
    /** Marks everything as changed: notifications may have been missed. */
    drop(): void {
      for (const slot of slots.values()) slot.stale = "all";
    },
    /** The values as last read, by project; for another process that starts without its database. */
    remembered: (): Map<number, T> =>
      new Map([...slots].flatMap(([id, { value }]) => (value === null ? [] : [[id, value] as const]))),
    /** Serves these values until the database can be asked. */
    recall(values: ReadonlyMap<number, T>): void {
      for (const [id, value] of values)
        if (!slots.has(id)) slots.set(id, { value, stale: "all", reading: null });
    },
  };
}

export type ProjectCache<T> = ReturnType<typeof createProjectCache<T>>;
