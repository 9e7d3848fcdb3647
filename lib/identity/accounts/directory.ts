import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { asDatabaseUnavailable, type Db } from "#lib/platform/db/connect.ts";
import { type Accounts, type Directory, type KeyRow, keyAdmits } from "#lib/platform/http/directory.ts";
import { log } from "#lib/platform/log.ts";
import { selectAccounts, selectKeyByDigest, touchKey } from "./store.ts";

/** The notification topic of every change to organizations, projects, people, memberships and keys. */
export const ACCOUNTS_TOPIC = "accounts";

const TOUCH_EVERY_MS = 60_000;
const digests = new LRUCache<string, string>({ max: 5_000 });

/** What is stored of a key: unsalted, since the key itself is 35 random bytes. */
export const secureValueOf = (key: string) => {
  const known = digests.get(key);
  if (known) return known;
  const value = `sha256$${createHash("sha256").update(key).digest("hex")}`;
  digests.set(key, value);
  return value;
};

/**
 * Who exists and who may what, held in memory: every request asks. Dropped whole when an account changes
 * anywhere (`drop`, called for the topic above), read again at the next question. While the database is away, what was
 * known last goes on serving.
 */
export function createDirectory(db: Db): Directory {
  let accounts: Promise<Accounts> | null = null;
  let keys = new LRUCache<string, { row: KeyRow }>({ max: 10_000 });
  // What goes on serving while the database is away.
  let last: Accounts | null = null;
  const lastKeys = new LRUCache<string, { row: KeyRow }>({ max: 10_000 });
  const watchers = new Set<() => void>();
  const touched = new LRUCache<string, number>({ max: 10_000 });

  const load = async (): Promise<Accounts> => {
    const rows = await selectAccounts(db);
    return {
      organizations: new Map(rows.organizations.map((o) => [o.id, o])),
      projects: new Map(rows.projects.map((p) => [p.id, p])),
      users: new Map(rows.users.map((u) => [u.id, u])),
      levels: new Map(rows.memberships.map((m) => [`${m.organization_id}/${m.user_id}`, m.level])),
      byToken: new Map(rows.projects.map((p) => [p.api_token, p])),
      bySecret: new Map(rows.projects.map((p) => [p.secret_api_token, p])),
    };
  };
  const current = () => {
    accounts ??= load().then(
      (loaded) => {
        last = loaded;
        return loaded;
      },
      (error: unknown) => {
        accounts = null;
        if (last === null || !asDatabaseUnavailable(error)) throw error;
        return last;
      },
    );
    return accounts;
  };

  const keyOf = async (value: string, now: Date): Promise<KeyRow | null> => {
    const digest = secureValueOf(value);
    let entry = keys.get(digest);
    if (!entry) {
      const caches = [keys, lastKeys];
      const row = await selectKeyByDigest(db, digest).catch((error: unknown) => {
        const known = lastKeys.get(digest);
        if (known === undefined || !asDatabaseUnavailable(error)) throw error;
        return known.row;
      });
      if (!row) return null;
      entry = { row };
      for (const cache of caches) cache.set(digest, entry);
    }
    const { row } = entry;
    return row.expires_at && row.expires_at <= now ? null : row;
  };

  return {
    current,
    drop(keyId) {
      accounts = null;
      keys = new LRUCache({ max: 10_000 });
      for (const [digest, { row }] of lastKeys.entries()) if (row.id === keyId) lastKeys.delete(digest);
      // Should the database go away next, the change is in memory all the same.
      current().catch(() => undefined);
      for (const seen of watchers) seen();
    },
    doubt() {
      accounts = null;
      keys = new LRUCache({ max: 10_000 });
      for (const seen of watchers) seen();
    },
    watch: (seen) => void watchers.add(seen),
    remembered: () => ({
      accounts: last,
      keys: new Map([...lastKeys.entries()].map(([digest, { row }]) => [digest, row])),
    }),
    recall(remembered) {
      last ??= remembered.accounts;
      for (const [digest, row] of remembered.keys) if (!lastKeys.has(digest)) lastKeys.set(digest, { row });
    },
    async authenticate(value, now) {
      const key = await keyOf(value, now);
      if (!key) return null;
      const user = (await current()).users.get(key.user_id);
      if (!user?.is_active) return null;
      // Also when the clock was set back since.
      if (Math.abs(now.getTime() - (touched.get(key.id) ?? 0)) > TOUCH_EVERY_MS) {
        touched.set(key.id, now.getTime());
        // Nobody waits for it: the key may be that of an SDK, which is served from memory.
        touchKey(db, key.id, now).catch((error: unknown) => {
          if (!asDatabaseUnavailable(error)) log().error({ error }, "The use of a key could not be noted.");
        });
      }
      return { user, key };
    },
    async level(organizationId, userId) {
      return (await current()).levels.get(`${organizationId}/${userId}`) ?? 0;
    },
    async projectsOf(user, key) {
      const { projects, levels } = await current();
      return [...projects.values()].filter(
        (p) => levels.has(`${p.organization_id}/${user.id}`) && keyAdmits(key, p),
      );
    },
  };
}
