import { unavailable } from "#lib/platform/http/errors.ts";

/** What all large bodies in progress may take together, packed and unpacked. */
const MOST_BYTES = 128 * 1024 * 1024;

/** So much of a body is not counted: ordinary calls get through while large ones wait. */
const UNCOUNTED_BYTES = 256 * 1024;

const held = new WeakMap<Request, number>();
let total = 0;

/**
 * Counts further bytes of a request's body until `releaseBody`.
 *
 * @throws ApiError 503 when the bodies of other requests leave no room for it
 */
export function reserveBodyMemory(request: Request, bytes: number): void {
  const before = held.get(request) ?? 0;
  const after = before + bytes;
  const more = Math.max(0, after - UNCOUNTED_BYTES) - Math.max(0, before - UNCOUNTED_BYTES);
  if (total + more > MOST_BYTES) throw unavailable("Too many large requests are in progress.");
  held.set(request, after);
  total += more;
}

/** To be called once the request is answered. */
export function releaseBody(request: Request): void {
  const bytes = held.get(request);
  if (bytes === undefined) return;
  held.delete(request);
  total -= Math.max(0, bytes - UNCOUNTED_BYTES);
}
