import type { ProjectEvent } from "#lib/people/events/ingest-store.ts";
import { personChangeOf } from "#lib/people/persons/changes.ts";
import type { Tx } from "#lib/platform/db/connect.ts";
import { createHasher } from "./keys.ts";
import { keepErasuresOut, selectHashesSince } from "./store.ts";

/**
 * Leaves out events of people who were erased after these events had been accepted: they have waited on disk meanwhile,
 * and would bring the person back.
 */
export function createReplayFilter(encryptionKey: Uint8Array) {
  const hash = createHasher(encryptionKey);
  return async <E extends ProjectEvent>(tx: Tx, events: E[], acceptedAt: Date): Promise<E[]> => {
    await keepErasuresOut(tx);
    const projects = [...new Set(events.map(({ project_id }) => project_id))];
    const erased = await selectHashesSince(tx, projects, acceptedAt);
    if (erased.size === 0) return events;
    return events.filter(({ project_id, event }) => {
      const other = personChangeOf(event)?.merge?.other;
      const ids = other === undefined ? [event.distinct_id] : [event.distinct_id, other];
      return !ids.some((id) => erased.has(hash(project_id, id)));
    });
  };
}
