import { LRUCache } from "lru-cache";
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

/** SDKs as they call themselves in User-Agent; browsers name the version of posthog-js in the query instead. */
const SDK =
  /^(posthog-(?:js|node|python|ruby|php|go|java|dotnet|rs|elixir|android|ios|flutter|react-native|unity))\/v?(\S{1,40})/i;
const IN_QUERY = /[?&]ver=([^&#]{1,40})/;
const VERSION = /^\d{1,4}(\.\d{1,5}){0,3}(-[a-z0-9.]{1,16})?$/i;
/** Whoever has a project's token can make up versions. */
const VERSIONS = 100;

type Sdk = { name: string; version: string };

const byAgent = new LRUCache<string, Sdk | "none">({ max: 1_000 });
const versions = new Set<string>();

function sdkIn(agent: string): Sdk | "none" {
  const [, name, version] = SDK.exec(agent) ?? [];
  return name !== undefined && version !== undefined ? { name: name.toLowerCase(), version } : "none";
}

function sdkOf(agent: string, url: string): Sdk | "none" {
  const known = byAgent.get(agent);
  const sdk = known ?? sdkIn(agent);
  if (!known) byAgent.set(agent, sdk);
  if (sdk !== "none") return sdk;
  const version = IN_QUERY.exec(url)?.[1];
  return version === undefined ? "none" : { name: "posthog-js", version };
}

/** Counts a request by the SDK that sent it, if it is a known one. */
export function countSdk(agent: string | null, url: string): void {
  const sdk = sdkOf(agent ?? "", url);
  if (sdk === "none") return;
  const { name, version } = sdk;
  const known = `${name}/${version}`;
  if (versions.size < VERSIONS && VERSION.test(version)) versions.add(known);
  sdkRequests(name, versions.has(known) ? version : "other").count += 1;
}
