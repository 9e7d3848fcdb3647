import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { note } from "#lib/audit/notes.ts";
import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { SESSION_SECONDS } from "./lifetime.ts";
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  type SessionRow,
  selectKeyOwner,
  selectSession,
  selectSessionsBeside,
  touchSession,
} from "./store.ts";

/** The notification topic of sessions that have ended. */
export const SESSIONS_TOPIC = "dashboard_sessions";

const TOUCH_EVERY_MS = 60_000;
const HELD_MAX = 10_000;
const USER_AGENT_MAX = 500;

/** A session as its owner sees it: the digest names it, and opens nothing. */
export type OpenSession = Pick<SessionRow, "digest" | "user_agent" | "created_at" | "last_used_at"> & {
  /** Whether it is the one that asks. */
  is_current: boolean;
};

/** For the audit log; a session is named by the beginning of its digest, which opens nothing. */
async function noteSession(
  tx: Db,
  { digest, key_digest }: Pick<SessionRow, "digest" | "key_digest">,
  activity: "signed_in" | "signed_out",
): Promise<void> {
  const user_id = await selectKeyOwner(tx, key_digest);
  const item_id = digest.replace("sha256$", "").slice(0, 16);
  await note(tx, { project_id: null, user_id, scope: "Session", item_id, activity });
}

/**
 * Who is signed in to the dashboard. A browser holds a random id and its key in a sealed cookie; only digests of
 * both are stored. Sessions in use are held in memory, and forgotten by every process when one of them ends.
 */
export function createSessions(db: Db) {
  let held = new LRUCache<string, SessionRow>({ max: HELD_MAX });
  const touched = new LRUCache<string, number>({ max: HELD_MAX });

  const drop = () => {
    held = new LRUCache({ max: HELD_MAX });
  };

  const rowOf = async (digest: string): Promise<SessionRow | null> => {
    const known = held.get(digest);
    if (known) return known;
    const cache = held;
    const row = await selectSession(db, digest);
    // What ended during the reading was dropped together with this cache.
    if (row) cache.set(digest, row);
    return row;
  };

  const endByDigest = async (digest: string): Promise<void> => {
    await inTransaction(db, async (tx) => {
      const row = await selectSession(tx, digest);
      if (row) await noteSession(tx, row, "signed_out");
      await deleteSession(tx, digest);
      await publish(tx, SESSIONS_TOPIC, null);
    });
    drop();
  };

  return {
    /** Forgets everything: sessions may have ended. */
    drop,

    /**
     * Starts a session of a key; sessions that are over are cleared away.
     *
     * @param userAgent what the browser calls itself
     * @returns its id, which is stored nowhere
     */
    async start(apiKey: string, now: Date, userAgent = ""): Promise<string> {
      const id = randomBytes(32).toString("base64url");
      await deleteExpiredSessions(db, now);
      const row = {
        digest: secureValueOf(id),
        key_digest: secureValueOf(apiKey),
        user_agent: userAgent.slice(0, USER_AGENT_MAX),
        created_at: now,
        last_used_at: now,
        expires_at: new Date(now.getTime() + SESSION_SECONDS * 1000),
      };
      await inTransaction(db, async (tx) => {
        await insertSession(tx, row);
        await noteSession(tx, row, "signed_in");
      });
      return id;
    },

    /** Whether the session of that id still goes on, with that key. Notes its use, once a minute at most. */
    async isOpen(id: string, apiKey: string, now: Date): Promise<boolean> {
      const digest = secureValueOf(id);
      const row = await rowOf(digest);
      if (!row || row.key_digest !== secureValueOf(apiKey) || row.expires_at <= now) return false;
      // Also when the clock was set back since.
      const last = touched.get(digest) ?? row.last_used_at.getTime();
      if (Math.abs(now.getTime() - last) > TOUCH_EVERY_MS) {
        touched.set(digest, now.getTime());
        await touchSession(db, digest, now);
      }
      return true;
    },

    /** Ends a session for every process: a copy of its cookie opens nothing any more. */
    end: (id: string): Promise<void> => endByDigest(secureValueOf(id)),

    /** The open sessions of whoever has this key, with any of their keys; the last used one first. */
    async list(id: string, apiKey: string, now: Date): Promise<OpenSession[]> {
      const own = secureValueOf(id);
      const rows = await selectSessionsBeside(db, secureValueOf(apiKey), now);
      return rows.map(({ digest, user_agent, created_at, last_used_at }) => ({
        digest,
        user_agent,
        created_at,
        last_used_at,
        is_current: digest === own,
      }));
    },

    /**
     * Ends a session of whoever has this key.
     *
     * @returns whether there was one of that digest
     */
    async endOwn(digest: string, apiKey: string, now: Date): Promise<boolean> {
      const rows = await selectSessionsBeside(db, secureValueOf(apiKey), now);
      const isOwn = rows.some((row) => row.digest === digest);
      if (isOwn) await endByDigest(digest);
      return isOwn;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
