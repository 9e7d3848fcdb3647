import { LRUCache } from "lru-cache";

type Bucket = { tokens: number; at: number };

/**
 * A token bucket per caller: `perMinute` calls a minute, as many at once.
 *
 * @param perMinute 0 switches the limit off
 * @returns take(caller, now) → seconds to wait, 0 when the call may go ahead
 */
export function rateLimit(perMinute: number) {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 });
  const perMs = perMinute / 60_000;
  return (caller: string, now: number): number => {
    if (perMinute === 0) return 0;
    const bucket = buckets.get(caller) ?? { tokens: perMinute, at: now };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    buckets.set(caller, bucket);
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
    bucket.tokens -= 1;
    return 0;
  };
}
