import type { AskOrigin } from "#lib/flags/sdk/call.ts";
import { OPEN } from "#lib/platform/http/open.ts";
import { counter } from "#lib/platform/metrics.ts";
import type { Fetch } from "./follow.ts";
import type { Origin } from "./origin.ts";

/** An application waits no longer for values that depend on what the origin has stored. */
const PATIENCE_MS = 1_000;
/** After a failure, nobody waits for so long. */
const PAUSE_MS = 5_000;

/** Headers of the connection to the relay, and of the body as it was sent. */
const LEFT_OUT = [
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-host",
  "x-forwarded-proto",
];
const PASSED_BACK = ["content-type", "etag", "retry-after", "switchyard-stale-since"];

const askedCount = counter(
  "relay_calls_passed_on_total",
  "Calls that depend on what is stored of people, by whether the origin answered.",
  ["answer"],
);
const asked = { origin: askedCount("origin"), none: askedCount("none") };

/** Passes calls on that only the origin can answer in full. */
export function createAskOrigin(url: string, origin: Pick<Origin, "status">, fetch: Fetch): AskOrigin {
  let failedAt = Number.NEGATIVE_INFINITY;
  const ask = async (request: Request, body: unknown): Promise<Response | null> => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of LEFT_OUT) headers.delete(name);
    const hasBody = request.method !== "GET" && request.method !== "HEAD";
    if (hasBody) headers.set("content-type", "application/json");
    const response = await fetch(url + pathname + search, {
      method: request.method,
      headers,
      ...(hasBody && { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const bytes = await response.arrayBuffer();
    if (response.status >= 500 || response.status === 429) return null;
    const passed = PASSED_BACK.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const hasNoBody = response.status === 204 || response.status === 304;
    return new Response(hasNoBody ? null : bytes, {
      status: response.status,
      headers: { ...OPEN, ...Object.fromEntries(passed) },
    });
  };
  return async (request, body) => {
    if (!origin.status.reachable || performance.now() - failedAt < PAUSE_MS) return null;
    const answered = await ask(request, body).catch(() => null);
    if (answered === null) failedAt = performance.now();
    (answered === null ? asked.none : asked.origin).count += 1;
    return answered;
  };
}
