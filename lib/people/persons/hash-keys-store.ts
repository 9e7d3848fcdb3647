import { and, eq, inArray } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { feature_flag_hash_key_overrides } from "#lib/platform/db/tables/feature_flags.ts";
import { publishPersons } from "./cache.ts";

/** The hash keys stored for persons. */
export async function selectHashKeys(db: Db, projectId: number, personIds: number[]) {
  return db
    .select({
      person_id: feature_flag_hash_key_overrides.person_id,
      flag_key: feature_flag_hash_key_overrides.feature_flag_key,
      hash_key: feature_flag_hash_key_overrides.hash_key,
    })
    .from(feature_flag_hash_key_overrides)
    .where(
      and(
        eq(feature_flag_hash_key_overrides.project_id, projectId),
        inArray(feature_flag_hash_key_overrides.person_id, personIds),
      ),
    );
}

/** Stores hash keys; one that is there already stays. */
export async function insertHashKeys(
  db: Db,
  rows: (typeof feature_flag_hash_key_overrides.$inferInsert)[],
): Promise<void> {
  if (rows.length > 0) await db.insert(feature_flag_hash_key_overrides).values(rows).onConflictDoNothing();
}

/** Creates a person for unknown ids; an id that another writer took meanwhile stays with theirs. */
export async function insertPerson(
  tx: Db,
  projectId: number,
  distinctIds: string[],
  now: Date,
): Promise<void> {
  const [made] = await tx
    .insert(persons)
    .values({ project_id: projectId, created_at: now })
    .returning({ id: persons.id });
  if (!made) throw new Error("The person was not written.");
  const taken = await tx
    .insert(person_distinct_ids)
    .values(distinctIds.map((distinct_id) => ({ project_id: projectId, distinct_id, person_id: made.id })))
    .onConflictDoNothing()
    .returning({ distinct_id: person_distinct_ids.distinct_id });
  if (taken.length === 0) await tx.delete(persons).where(eq(persons.id, made.id));
  await publishPersons(tx, { ids: [], keys: taken.map((each) => ({ project_id: projectId, ...each })) });
}
