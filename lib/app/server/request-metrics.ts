import { sdkOf } from "#lib/flags/sdk/agent.ts";
import { counter, histogram, SECONDS } from "#lib/platform/metrics.ts";

const requests = counter("http_requests_total", "Requests that were answered.", [
  "method",
  "route",
  "status",
]);
const durations = histogram("http_request_duration_seconds", "Time until an answer was ready.", {
  labelNames: ["route"] as const,
  buckets: SECONDS,
});
const sdkRequests = counter("sdk_requests_total", "Requests of known SDKs, by their version.", [
  "sdk",
  "version",
]);

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const timers = new Map<string, (seconds: number) => void>();

function timerOf(route: string): (seconds: number) => void {
  const observe = timers.get(route) ?? durations.labels(route).observe;
  timers.set(route, observe);
  return observe;
}

/**
 * Counts a request that was answered.
 *
 * @param route the pattern of its path; there are as many series as patterns, methods and statuses
 */
export function countRequest(method: string, route: string, status: number, milliseconds: number): void {
  requests(METHODS.has(method) ? method : "other", route, String(status)).count += 1;
  timerOf(route)(milliseconds / 1_000);
}

const VERSION = /^\d{1,4}(\.\d{1,5}){0,3}(-[a-z0-9.]{1,16})?$/i;
/** Whoever has a project's token can make up versions. */
const VERSIONS = 100;

const versions = new Set<string>();

/** Counts a request by the SDK that sent it, if it is a known one. */
export function countSdk(agent: string | null, url: string): void {
  const sdk = sdkOf(agent, url);
  if (!sdk) return;
  const { name, version } = sdk;
  const known = `${name}/${version}`;
  if (versions.size < VERSIONS && VERSION.test(version)) versions.add(known);
  sdkRequests(name, versions.has(known) ? version : "other").count += 1;
}
