import { LRUCache } from "lru-cache";

type Bucket = { tokens: number; at: number };

/**
 * A token bucket per caller: `perMinute` units a minute, as many at once.
 *
 * @param perMinute 0 switches the limit off
 * @returns take(caller, now, units) → seconds to wait, 0 when the call may go ahead. A call of more units than the
 *   bucket holds goes ahead when it is full, and the next one waits the longer.
 */
export function rateLimit(perMinute: number) {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 });
  const perMs = perMinute / 60_000;
  return (caller: string, now: number, units = 1): number => {
    if (perMinute === 0) return 0;
    const bucket = buckets.get(caller) ?? { tokens: perMinute, at: now };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    buckets.set(caller, bucket);
    const needed = Math.min(units, perMinute);
    if (bucket.tokens < needed) return Math.max(1, Math.ceil((needed - bucket.tokens) / perMs / 1000));
    bucket.tokens -= units;
    return 0;
  };
}
