import type { ErasedRows } from "#lib/people/events/archive/archive.ts";
import { createHasher } from "./keys.ts";
import type { ErasureRow } from "./store.ts";

/** Finds archived events of people who were erased after these had been received. */
export function findErasedRows(erasures: readonly ErasureRow[], encryptionKey: Uint8Array): ErasedRows {
  const hash = createHasher(encryptionKey);
  return (projectId, since) => {
    const requested = new Map<string, number>();
    // Until it is finished, a day may be archived with some of the events.
    for (const { project_id, hashes, requested_at, finished_at } of erasures)
      if (project_id === projectId && (!finished_at || finished_at >= since))
        for (const each of hashes)
          requested.set(each, Math.max(requested_at.getTime(), requested.get(each) ?? 0));
    if (requested.size === 0) return null;
    return ({ distinct_id, created_at_us }) => {
      const at = requested.get(hash(projectId, distinct_id));
      // Without that time, it had left the database before the day was archived, so before these erasures.
      return at !== undefined && (created_at_us === null || Number(created_at_us) / 1_000 <= at);
    };
  };
}
