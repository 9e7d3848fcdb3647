import type { ActivityEntry } from "#lib/activity/schema.ts";
import type * as approvals from "#lib/approvals/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import type { Mailer } from "./deliveries/mail.ts";
import type { Contributor } from "./inbox/item.ts";
import type { Change } from "./messages/payload-schema.ts";

export type Runtime = approvals.Runtime & {
  notifications: {
    /** The address that people open, without a trailing slash. */
    public_url: string;
    /** Private networks that destinations may be in. */
    networks: readonly string[];
    /** null: no server for e-mail is configured. */
    mailer: Mailer | null;
    /** What an entry of the activity log says: "changed the flag", and what changed. */
    wordEntry: (projectId: number, entry: ActivityEntry) => Promise<{ did: string; changes: Change[] }>;
    /** What the inbox is made of. */
    inbox: readonly Contributor[];
  };
};
export type MemberContext = http.MemberContext<Runtime>;
/** What work in the background and requests have in common. */
export type Work = { runtime: Runtime; db: Db };
