import type { Availability, Db } from "#lib/platform/db/connect.ts";
import type { Replica } from "#lib/platform/db/replica.ts";
import type { Directory, KeyRow, ProjectRow, UserRow } from "./directory.ts";

/** Settings of the process that verbs need; read from the environment by lib/platform/config.ts alone. */
export type Settings = {
  /** 32 bytes: the AES-GCM key of encrypted payloads. */
  encryption_key: Buffer;
  audit?: AuditSettings;
};

/** How the audit log is signed, and where else its checkpoints go. */
export type AuditSettings = {
  /** Seeds of Ed25519 keys of 32 bytes, the newest first; without any, one follows from the encryption key. */
  signing_keys?: readonly Uint8Array[];
  /** A file to which checkpoints are appended. */
  checkpoints?: string | undefined;
  /** Another Switchyard that stores them: the address of its project's API, and a key for it. */
  witness?: { url: string; key: string } | undefined;
};

/**
 * What one process shares between all requests. A module that shares more says so in its own `context.ts`, and
 * lib/app/runtime.ts puts it together.
 */
export type Runtime = {
  db: Db;
  /** A copy of the database for large reads, where there is one. */
  replica: Replica | null;
  /** Whether the database answers; while it does not, what is in memory goes on serving. */
  availability: Availability;
  /** Whether events are copied to ClickHouse. */
  hasEventCopy: boolean;
  directory: Directory;
};

/** Who is calling. `key` null: a project's secret key, which belongs to nobody in particular. */
export type Caller = { user: UserRow; key: KeyRow } | { user: null; key: null };

/** What every verb is handed beside its parsed input. */
export type AccountContext<R extends Runtime = Runtime> = {
  /** The same as runtime.db; a verb that writes hands its transaction on instead. */
  db: Db;
  runtime: R;
  user: UserRow;
  key: KeyRow;
  now: Date;
  /** Headers of the request, for conditional answers. */
  headers: Headers;
  /** The address that the client used, for links in answers. */
  url: URL;
};

/** The same for verbs inside a project. `user` is null only where the contract admits a secret key. */
export type ProjectContext<R extends Runtime = Runtime> = Omit<AccountContext<R>, "user" | "key"> &
  Caller & { project: ProjectRow };

/** The project context of a verb that only a personal key reaches. */
export type MemberContext<R extends Runtime = Runtime> = ProjectContext<R> & { user: UserRow; key: KeyRow };
