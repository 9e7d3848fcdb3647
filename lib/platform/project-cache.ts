import { asDatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { log } from "#lib/platform/log.ts";
import { counter } from "#lib/platform/metrics.ts";

const uses = counter(
  "cache_uses_total",
  "Uses of what is held in memory, by whether it had to be read first.",
  ["cache", "result"],
);

/** Counts the uses of what is held in memory under a name. */
export const cacheUses = (name: string) => ({ hit: uses(name, "hit"), miss: uses(name, "miss") });

/** What changed since a project was last read. */
type CacheChange<T> = { previous: T; ids: readonly number[] };

type Slot<T> = {
  value: T | null;
  /** Ids to read again; "all" before the first read. */
  stale: Set<number> | "all";
  reading: Promise<void> | null;
  /** Whether the value may be older than the last change that was reported: the next reader waits for a new one. */
  doubtful: boolean;
};

/**
 * One value per project in use, held in memory; a change is read as soon as it is reported. While the database is away,
 * the last value goes on serving.
 *
 * @param name what it holds, for monitoring
 * @param read reads a project's value: all of it if `change` is null, otherwise at least what changed. The value it
 *   returns is never changed in place. Each call gets a larger `revision`.
 */
export function createProjectCache<T>(
  name: string,
  read: (projectId: number, revision: number, change: CacheChange<T> | null) => Promise<T>,
) {
  const slots = new Map<number, Slot<T>>();
  const watchers = new Set<(projectId: number) => void>();
  const { hit, miss } = cacheUses(name);
  let revision = 0;

  /** A function, since the slot changes while it is read. */
  const isAllStale = ({ stale }: Slot<T>) => stale === "all";

  const refresh = async (projectId: number, slot: Slot<T>): Promise<void> => {
    const { value: previous, stale } = slot;
    slot.stale = new Set();
    revision += 1;
    try {
      const change = stale === "all" || previous === null ? null : { previous, ids: [...stale] };
      slot.value = await read(projectId, revision, change);
      if (!isAllStale(slot)) slot.doubtful = false;
      for (const seen of watchers) seen(projectId);
    } catch (error) {
      slot.stale = "all";
      throw error;
    }
  };

  const isCurrent = ({ stale, reading }: Slot<T>) => stale !== "all" && stale.size === 0 && !reading;

  /** The value with every change that was reported before. */
  const project = async (projectId: number): Promise<T> => {
    const slot = slots.get(projectId) ?? { value: null, stale: "all", reading: null, doubtful: true };
    slots.set(projectId, slot);
    (slot.value !== null && isCurrent(slot) ? hit : miss).count += 1;
    // The read under way may have begun before the last change; the one after it has not. Later changes are not waited
    // for: where they never end, nobody would get an answer.
    for (let reads = 0; slot.value === null || (reads < 2 && !isCurrent(slot)); reads += 1) {
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
  };

  /** Changes that are reported together are read together. */
  const readSoon = (projectId: number): void => {
    Promise.resolve()
      .then(() => project(projectId))
      .catch((error: unknown) => {
        if (!asDatabaseUnavailable(error)) log().error({ error, cache: name }, "A change could not be read.");
      });
  };

  return {
    project,
    /**
     * The value as last read, without waiting for a change that is being read: for evaluation, which a slow database
     * must not delay. Writers wait instead, see `settled`.
     */
    async latest(projectId: number): Promise<T> {
      const slot = slots.get(projectId);
      if (!slot || slot.value === null || slot.doubtful) return project(projectId);
      // A read of what has changed may have failed.
      if (!isCurrent(slot) && !slot.reading) readSoon(projectId);
      hit.count += 1;
      return slot.value;
    },
    /** Resolves once what was reported as changed has been read: of one project, or of all (null). */
    async settled(only: number | null): Promise<void> {
      const pending = [...slots].filter(
        ([projectId, slot]) =>
          (only === null || only === projectId) && slot.value !== null && !slot.doubtful && !isCurrent(slot),
      );
      await Promise.allSettled(pending.map(([projectId]) => project(projectId)));
    },
    /** Marks records of a project as changed; `ids` null for all. To be called after the commit. */
    changed(projectId: number, ids: readonly number[] | null = null): void {
      const slot = slots.get(projectId);
      if (!slot || slot.stale === "all") return;
      if (ids === null) slot.stale = "all";
      else for (const id of ids) slot.stale.add(id);
      readSoon(projectId);
    },
    /** Marks everything as changed: notifications may have been missed. */
    drop(): void {
      for (const slot of slots.values()) {
        slot.stale = "all";
        slot.doubtful = true;
      }
    },
    /** Calls `seen` whenever a project has been read again: from then on, the new value is served. */
    watch: (seen: (projectId: number) => void): void => void watchers.add(seen),
    /** The values as last read, by project; for another process that starts without its database. */
    remembered: (): Map<number, T> =>
      new Map([...slots].flatMap(([id, { value }]) => (value === null ? [] : [[id, value] as const]))),
    /** Serves these values until the database can be asked. */
    recall(values: ReadonlyMap<number, T>): void {
      for (const [id, value] of values)
        if (!slots.has(id)) slots.set(id, { value, stale: "all", reading: null, doubtful: true });
    },
  };
}

export type ProjectCache<T> = ReturnType<typeof createProjectCache<T>>;
