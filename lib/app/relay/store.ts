import type { Db } from "#lib/platform/db/connect.ts";
import { personal_api_keys } from "#lib/platform/db/tables/accounts.ts";
import type { KeyRow } from "#lib/platform/http/directory.ts";

/** All personal API keys, always in the same order. */
export const selectKeys = (db: Db): Promise<KeyRow[]> =>
  db.select().from(personal_api_keys).orderBy(personal_api_keys.secure_value);
