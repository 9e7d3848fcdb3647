import { eq } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { encryption_checks, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";

const ONLY = 1;

/** The stored key check; null before the first start. */
export async function selectKeyCheck(db: Db): Promise<string | null> {
  const [row] = await db.select().from(encryption_checks).where(eq(encryption_checks.id, ONLY));
  return row?.sealed ?? null;
}

export async function storeKeyCheck(db: Db, sealed: string): Promise<void> {
  await db
    .insert(encryption_checks)
    .values({ id: ONLY, sealed })
    .onConflictDoUpdate({ target: encryption_checks.id, set: { sealed } });
}

/** The flags of all projects whose payloads are encrypted. */
export async function selectEncryptedFlags(db: Db) {
  return db.select().from(feature_flags).where(eq(feature_flags.has_encrypted_payloads, true));
}
