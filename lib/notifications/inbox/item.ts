import type { Runtime } from "#lib/approvals/context.ts";
import type { NotificationType, ResourceType } from "#lib/notifications/messages/types-schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import type { KeyRow, ProjectRow, UserRow } from "#lib/platform/http/directory.ts";
import type { URGENCIES } from "./schema.ts";

/** Something that needs somebody's attention. */
export type InboxItem = {
  /** Names it within the project: `ramp/3/paused`. */
  key: string;
  urgency: (typeof URGENCIES)[number];
  /** What it is, as a sentence without a full stop. */
  title: string;
  /** Why it matters, in one sentence. */
  why: string;
  since: Date;
  /** Another one: it has changed, and shows again where it was set aside. */
  version: string;
  /** The one thing to do next: a page of the project. */
  action: { label: string; path: string };
  /** What destinations get it as; absent: nobody is notified. */
  type?: NotificationType;
  resource?: { type: ResourceType; id: string; name: string };
};

export type InboxContext = {
  runtime: Runtime;
  db: Db;
  project: ProjectRow;
  now: Date;
  /** Whose inbox it is; null: only what concerns everybody. */
  user: UserRow | null;
  /** The key that reads it; null where `user` is. */
  key: KeyRow | null;
  /** What is read of each kind at most. */
  limit: number;
};

/** What finds things of one kind that need attention. It is asked whenever an inbox is opened: it must be cheap. */
export type Contributor = {
  /** The scope that a key needs to see them. */
  scope: Scope;
  /** Whether only administrators see them. */
  administrators?: true;
  find: (context: InboxContext) => Promise<InboxItem[]>;
};
