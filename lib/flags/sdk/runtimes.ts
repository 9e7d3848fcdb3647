/** Where flags are evaluated for: a server, or an application in people's hands. */
export type EvaluationRuntime = "server" | "client";

const CLIENTS =
  /^(posthog-(js|ios|android|flutter|react-native|unity)|okhttp|dart)|\b(Mozilla|CFNetwork|Dalvik)\//i;
const SERVERS =
  /^(posthog-|python|node|undici|axios|got |go-http-client|curl|wget|java|apache-httpclient|ruby|faraday|php|guzzle)/i;

/** The runtime from the caller's headers; null if unknown. */
export function guessRuntime(headers: Headers): EvaluationRuntime | null {
  const agent = headers.get("user-agent") ?? "";
  if (CLIENTS.test(agent)) return "client";
  if (headers.get("origin") !== null || headers.get("sec-fetch-mode") === "cors") return "client";
  return SERVERS.test(agent) ? "server" : null;
}
