import { LRUCache } from "lru-cache";

/** SDKs as they call themselves in User-Agent; browsers name the version of posthog-js in the query instead. */
const SDK =
  /^(posthog-(?:js|node|python|ruby|php|go|java|dotnet|rs|elixir|android|ios|flutter|react-native|unity))\/v?(\S{1,40})/i;
const IN_QUERY = /[?&]ver=([^&#]{1,40})/;

/** An SDK as it was named in a request. */
export type Sdk = { name: string; version: string };

const byAgent = new LRUCache<string, Sdk | "none">({ max: 1_000 });

function sdkIn(agent: string): Sdk | "none" {
  const [, name, version] = SDK.exec(agent) ?? [];
  return name !== undefined && version !== undefined ? { name: name.toLowerCase(), version } : "none";
}

/** The SDK that sent a request; null if it is not a known one. */
export function sdkOf(agent: string | null, url: string): Sdk | null {
  const text = agent ?? "";
  const known = byAgent.get(text);
  const sdk = known ?? sdkIn(text);
  if (!known) byAgent.set(text, sdk);
  if (sdk !== "none") return sdk;
  const version = IN_QUERY.exec(url)?.[1];
  return version === undefined ? null : { name: "posthog-js", version };
}

/** Any program's own name and version, the first that User-Agent gives. */
const PRODUCT = /^([\w.-]{1,40})(?:\/v?([\w.+-]{1,40}))?/;

/** The program that sent a request, whether or not it is a known SDK; empty where it does not say. */
export function programOf(agent: string | null, url: string): Sdk {
  const sdk = sdkOf(agent, url);
  if (sdk) return { name: sdk.name, version: sdk.version.slice(0, 40) };
  const [, name = "", version = ""] = PRODUCT.exec(agent ?? "") ?? [];
  return { name: name.toLowerCase(), version };
}
