/** Calls of one flag with one response on one UTC day; `at` is the latest of them, in milliseconds. */
export type FlagCalls = {
  project_id: number;
  feature_flag_key: string;
  day: string;
  response: string;
  calls: number;
  at: number;
};

/** Events of one name; `at` is the latest of them. */
export type NameCount = { project_id: number; name: string; count: number; at: number };

/** What rollups are made from. */
export type Counted = {
  project_id: number;
  event: { event: string; at: number; properties: Record<string, unknown> };
};

export const FLAG_KEY_LIMIT = 400;
export const RESPONSE_LIMIT = 200;

/** Counts characters as the database does: a pair of surrogates is one. */
const isLonger = (text: string, limit: number) => text.length > limit && [...text].length > limit;

/** The response of a flag as text; "" for none, and for what no flag answers. */
function responseText(response: unknown): string {
  if (typeof response === "string")
    return isLonger(response, RESPONSE_LIMIT) ? [...response].slice(0, RESPONSE_LIMIT).join("") : response;
  if (typeof response === "boolean") return String(response);
  return Number.isSafeInteger(response) ? String(response) : "";
}

const sorted = <T>(tallies: Map<string, T>): T[] =>
  [...tallies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, tally]) => tally);

/** Calls of flags by day and response, sorted. */
export function flagCallsOf(events: Iterable<Counted>): FlagCalls[] {
  const tallies = new Map<string, FlagCalls>();
  for (const { project_id, event } of events) {
    if (event.event !== "$feature_flag_called") continue;
    const flag = event.properties.$feature_flag;
    if (typeof flag !== "string" || flag === "" || isLonger(flag, FLAG_KEY_LIMIT)) continue;
    const response = responseText(event.properties.$feature_flag_response);
    const day = new Date(event.at).toISOString().slice(0, 10);
    const key = [project_id, flag, day, response].join("\u0000");
    const found = tallies.get(key);
    if (!found)
      tallies.set(key, { project_id, feature_flag_key: flag, day, response, calls: 1, at: event.at });
    else {
      found.calls += 1;
      found.at = Math.max(found.at, event.at);
    }
  }
  return sorted(tallies);
}

/** Events by name, sorted. */
export function namesOf(events: Iterable<Counted>): NameCount[] {
  const tallies = new Map<string, NameCount>();
  for (const { project_id, event } of events) {
    const key = `${project_id}\u0000${event.event}`;
    const found = tallies.get(key);
    if (!found) tallies.set(key, { project_id, name: event.event, count: 1, at: event.at });
    else {
      found.count += 1;
      found.at = Math.max(found.at, event.at);
    }
  }
  return sorted(tallies);
}

/** The latest call of each flag. */
export function lastCallsOf(calls: FlagCalls[]): FlagCalls[] {
  const latest = new Map<string, FlagCalls>();
  for (const call of calls) {
    const key = `${call.project_id}:${call.feature_flag_key}`;
    const found = latest.get(key);
    if (!found || call.at > found.at) latest.set(key, call);
  }
  return [...latest.values()];
}
