import { LRUCache } from "lru-cache";
import { createStreams } from "#lib/flags/streams/streams.ts";
import type { Directory, KeyRow, UserRow } from "#lib/platform/http/directory.ts";
import type { RelayBundles } from "./bundles.ts";

type Caller = { user: UserRow; key: KeyRow };

/** Changes that follow each other faster than this are one bundle: each is made whole. */
const COALESCE_MS = 250;
/** Streams of one key: each relay has one, and may come back before its last one is known to be closed. */
const LIMITS = { all: 1_000, project: 100 };

/** What names a bundle in its entity tag. */
export const contentOf = (etag: string): string => etag.replace(/^W\//, "").replaceAll('"', "");

/** Tells relays when there is another bundle for them. */
export function createAnnouncements(
  { bundleFor }: Pick<RelayBundles, "bundleFor">,
  { authenticate }: Pick<Directory, "authenticate">,
) {
  /** Whose bundle a stream is about, by the id of the key; with its value, since what the key opens may change. */
  const callers = new LRUCache<string, { value: string; caller: Caller }>({ max: LIMITS.all });
  const bundleOf = async (keyId: string): Promise<string> => {
    const known = callers.get(keyId);
    if (!known) throw new Error("Nobody with this key follows a bundle.");
    const caller = (await authenticate(known.value, new Date())) ?? known.caller;
    callers.set(keyId, { value: known.value, caller });
    return contentOf((await bundleFor(caller.user, caller.key)).etag);
  };
  const streams = createStreams<string>(
    { current: bundleOf, latest: bundleOf },
    { coalesceMs: COALESCE_MS, limits: LIMITS },
  );
  return {
    ...streams,
    /** Opens a stream about the bundle of a key; `check` throws once it gets none any more. */
    follow(value: string, caller: Caller, lastEventId: string | null, check: () => Promise<unknown>) {
      callers.set(caller.key.id, { value, caller });
      return streams.open({
        audience: "bundle",
        subject: caller.key.id,
        credential: caller.key.id,
        check,
        lastEventId,
      });
    },
  };
}

export type Announcements = ReturnType<typeof createAnnouncements>;
