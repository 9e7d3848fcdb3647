import type { KeyRow, ProjectRow, UserRow } from "#lib/accounts/directory.ts";
import type { Db } from "#lib/db/connect.ts";
import type { Runtime } from "#lib/runtime.ts";

/** Who is calling. `key` null: a project's secret key, which belongs to nobody in particular. */
export type Caller = { user: UserRow; key: KeyRow } | { user: null; key: null };

/** What every verb is handed beside its parsed input. */
export type AccountContext = {
  /** The same as runtime.db; a verb that writes hands its transaction on instead. */
  db: Db;
  runtime: Runtime;
  user: UserRow;
  key: KeyRow;
  now: Date;
  /** Headers of the request, for conditional answers. */
  headers: Headers;
  /** The address that the client used, for links in answers. */
  url: URL;
};

/** The same for verbs inside a project. `user` is null only where the contract admits a secret key. */
export type ProjectContext = Omit<AccountContext, "user" | "key"> & Caller & { project: ProjectRow };

/** The project context of a verb that only a personal key reaches. */
export type MemberContext = ProjectContext & { user: UserRow; key: KeyRow };
