import { LRUCache } from "lru-cache";
import { NO_SIBLINGS, type Siblings } from "#lib/platform/siblings.ts";

type Bucket = { tokens: number; at: number };

/** How often processes that share a listener tell each other what their callers have used up. */
const TELL_EVERY_MS = 100;

/** Units that callers have used up. */
type Used = [caller: string, units: number][];

/**
 * A token bucket per caller: `perMinute` units a minute, as many at once. It counts what siblings let through too, up to
 * a tenth of a second late.
 *
 * @param perMinute 0 switches the limit off
 * @param name distinguishes it from the other limits of these processes
 * @returns take(caller, now, units) → seconds to wait, 0 when the call may go ahead. A call of more units than the
 *   bucket holds goes ahead when it is full, and the next one waits the longer.
 */
export function rateLimit(perMinute: number, name = "calls", siblings: Siblings = NO_SIBLINGS) {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 });
  const perMs = perMinute / 60_000;
  const topic = `limit ${name}`;
  const untold = new Map<string, number>();

  const bucketOf = (caller: string, now: number): Bucket => {
    const bucket = buckets.get(caller) ?? { tokens: perMinute, at: now };
    // A clock that is set back takes nothing away.
    bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
    bucket.at = now;
    buckets.set(caller, bucket);
    return bucket;
  };
  const tell = () => {
    siblings.tell(topic, [...untold] satisfies Used);
    untold.clear();
  };
  siblings.onTold(topic, (used) => {
    for (const [caller, units] of used as Used) bucketOf(caller, Date.now()).tokens -= units;
  });

  return (caller: string, now: number, units = 1): number => {
    if (perMinute === 0) return 0;
    const bucket = bucketOf(caller, now);
    const needed = Math.min(units, perMinute);
    if (bucket.tokens < needed) return Math.max(1, Math.ceil((needed - bucket.tokens) / perMs / 1000));
    bucket.tokens -= units;
    if (siblings !== NO_SIBLINGS) {
      if (untold.size === 0) setTimeout(tell, TELL_EVERY_MS).unref();
      untold.set(caller, (untold.get(caller) ?? 0) + units);
    }
    return 0;
  };
}
