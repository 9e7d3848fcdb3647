import { LRUCache } from "lru-cache";
import type { Db } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { cacheUses } from "#lib/platform/project-cache.ts";
import type { Properties } from "./changes.ts";
import { keyOf, type PersonKey } from "./ingest-store.ts";

/** The notification topic of changed persons; its payload is `ChangedPersons`, or null when there are too many to name. */
export const PERSONS_TOPIC = "persons";

export type ChangedPersons = {
  /** Persons whose properties or distinct ids are others now, or who are gone. */
  ids: number[];
  /** Distinct ids that had no person before. */
  keys: PersonKey[];
};

/** Larger notifications could not be sent. */
const PUBLISHED_BYTES = 7_500;

/** Tells every process which persons have changed, if and when the transaction commits. */
export async function publishPersons(tx: Db, changed: ChangedPersons): Promise<void> {
  if (changed.ids.length + changed.keys.length === 0) return;
  const canBeNamed = Buffer.byteLength(JSON.stringify(changed)) <= PUBLISHED_BYTES;
  await publish(tx, PERSONS_TOPIC, canBeNamed ? changed : null);
}

/** A person as evaluation knows it. */
export type KnownPerson = { id: number; properties: Properties };

/** The person behind a distinct id; null for an unknown one. */
export type FindPerson = (projectId: number, distinctId: string) => Promise<KnownPerson | null>;

/** Distinct ids that are kept. */
const KEYS_MAX = 100_000;
/** Persons are kept until their properties take so many characters as JSON. */
const KEPT_CHARACTERS = 16_000_000;
/** Beyond this size, a person is read each time. */
const PERSON_CHARACTERS = 100_000;
/** Persons are read again after this time, so that what an operator changes in the database by hand is noticed. */
const KEPT_MS = 60_000;
/** Stands for the person of a distinct id that nobody has. */
const NOBODY = 0;

/**
 * The persons that were asked for last, kept in memory until they change.
 *
 * @param read finds a person in the database
 */
export function createPersonCache(read: FindPerson) {
  const ids = new LRUCache<string, number>({ max: KEYS_MAX, ttl: KEPT_MS });
  const persons = new LRUCache<number, KnownPerson>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: PERSON_CHARACTERS,
    sizeCalculation: ({ properties }) => JSON.stringify(properties).length,
    ttl: KEPT_MS,
  });
  const { hit, miss } = cacheUses("persons");
  let changes = 0;

  const find: FindPerson = async (project_id, distinct_id) => {
    const key = keyOf({ project_id, distinct_id });
    const id = ids.get(key);
    const known = id === undefined || id === NOBODY ? undefined : persons.get(id);
    if (known || id === NOBODY) {
      hit.count += 1;
      return known ?? null;
    }
    miss.count += 1;
    const before = changes;
    const found = await read(project_id, distinct_id);
    // What was read may be from before a change that was reported meanwhile.
    if (changes === before) {
      ids.set(key, found?.id ?? NOBODY);
      if (found) persons.set(found.id, found);
    }
    return found;
  };

  return {
    find,
    /** Reads these persons again when they are asked for; null: all. */
    changed(changed: ChangedPersons | null): void {
      changes += 1;
      if (changed === null) {
        ids.clear();
        persons.clear();
        return;
      }
      for (const id of changed.ids) persons.delete(id);
      for (const key of changed.keys) ids.delete(keyOf(key));
    },
  };
}

export type PersonCache = ReturnType<typeof createPersonCache>;
