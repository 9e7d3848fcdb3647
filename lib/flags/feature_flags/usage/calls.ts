import { LRUCache } from "lru-cache";
import { FLAGS_TOPIC, type FlagCache } from "#lib/flags/feature_flags/cache.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import type { Flushed, IngestStep } from "#lib/people/events/flush.ts";
import type { Rollup } from "#lib/people/events/rebuild.ts";
import { type Counted, sortedTallies } from "#lib/people/events/rollups.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import {
  addFlagCalls,
  countCallDifferences,
  FLAG_KEY_LIMIT,
  type FlagCalls,
  noteEarlierCalls,
  noteLastCalls,
  RESPONSE_LIMIT,
  rewriteCalls,
  subtractFlagCalls,
} from "./calls-store.ts";

/** Counts characters as the database does: a pair of surrogates is one. */
const isLonger = (text: string, limit: number) => text.length > limit && [...text].length > limit;

/** The response of a flag as text; "" for none, and for what no flag answers. */
function responseText(response: unknown): string {
  if (typeof response === "string")
    return isLonger(response, RESPONSE_LIMIT) ? [...response].slice(0, RESPONSE_LIMIT).join("") : response;
  if (typeof response === "boolean") return String(response);
  return Number.isSafeInteger(response) ? String(response) : "";
}

/** Calls of flags by day and response, sorted. */
function flagCallsOf(events: Iterable<Counted>): FlagCalls[] {
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
  return sortedTallies(tallies);
}

/** The latest call of each flag. */
function findLastCalls(calls: FlagCalls[]): FlagCalls[] {
  const latest = new Map<string, FlagCalls>();
  for (const call of calls) {
    const key = `${call.project_id}:${call.feature_flag_key}`;
    const found = latest.get(key);
    if (!found || call.at > found.at) latest.set(key, call);
  }
  return [...latest.values()];
}

/** Adds stored events to the daily figures of flags. */
export const ingestFlagCalls: IngestStep = (tx, fresh) => addFlagCalls(tx, flagCallsOf(fresh));

/** The daily figures of flags beside the events. */
export const flagCallRollup: Rollup = {
  compare: async (tx) => [
    { rollup: "feature_flag_calls_daily", differences: await countCallDifferences(tx) },
  ],
  rewrite: rewriteCalls,
};

/** Takes erased events out of the daily figures of flags. */
export const eraseFlagCalls: EraseStep = {
  events: async (tx, project_id, events) => {
    const calls = flagCallsOf(events.map((event) => ({ project_id, event })));
    if (calls.length === 0) return {};
    await subtractFlagCalls(tx, project_id, calls);
    const keys = [...new Set(calls.map(({ feature_flag_key }) => feature_flag_key))].sort();
    const ids = await noteEarlierCalls(tx, project_id, keys);
    if (ids.length > 0)
      await publish(tx, FLAGS_TOPIC, { project_id, ids: ids.length > NAMED_FLAGS ? null : ids });
    return {};
  },
};

const NOTE_EVERY_MS = 60_000;
/** Above it a notification says "all flags" rather than naming them. */
const NAMED_FLAGS = 200;

/** Groups values by project. */
function byProject(rows: { id: number; project_id: number }[]): Map<number, number[]> {
  const ids = new Map<number, number[]>();
  for (const { id, project_id } of rows) ids.set(project_id, [...(ids.get(project_id) ?? []), id]);
  return ids;
}

/** Records when flags were last called, once a minute at most: that need not be as durable as the events are. */
export function createCallNotes({ db, flags }: { db: Db; flags: FlagCache }) {
  const noted = new LRUCache<string, number>({ max: 50_000 });
  return async ({ fresh }: Pick<Flushed<Counted>, "fresh">): Promise<void> => {
    const due = findLastCalls(flagCallsOf(fresh)).filter(
      (call) =>
        call.at - (noted.get(`${call.project_id}:${call.feature_flag_key}`) ?? -Infinity) >= NOTE_EVERY_MS,
    );
    if (due.length === 0) return;
    const changed = await inTransaction(db, async (tx) => {
      const rows = (await noteLastCalls(tx, due)).filter((row) => row.matters);
      for (const [project_id, ids] of byProject(rows))
        await publish(tx, FLAGS_TOPIC, { project_id, ids: ids.length > NAMED_FLAGS ? null : ids });
      return byProject(rows);
    });
    for (const call of due) noted.set(`${call.project_id}:${call.feature_flag_key}`, call.at);
    for (const [projectId, ids] of changed) flags.changed(projectId, ids);
  };
}
