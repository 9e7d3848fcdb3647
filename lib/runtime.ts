import { createDirectory, type Directory } from "#lib/accounts/directory.ts";
import type { Db } from "#lib/db/connect.ts";
import { createFlagCache, type FlagCache } from "#lib/feature_flags/cache.ts";

/** Settings of the process that verbs need; read from the environment by lib/config.ts alone. */
export type Settings = {
  /** 32 bytes: the AES-GCM key of encrypted payloads. */
  encryption_key: Buffer;
};

/** What one process shares between all requests: the database and what is kept in memory of it. */
export type Runtime = {
  db: Db;
  settings: Settings;
  directory: Directory;
  flags: FlagCache;
};

export function createRuntime(db: Db, settings: Settings): Runtime {
  return { db, settings, directory: createDirectory(db), flags: createFlagCache(db, settings.encryption_key) };
}
