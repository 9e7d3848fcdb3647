import type { MemberContext } from "#lib/flags/context.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { usageContract } from "./usage-contract.ts";
import { selectFlagCalls, selectProjectCalls } from "./usage-store.ts";

type Of<Name extends keyof typeof usageContract> = Input<(typeof usageContract)[Name]>;

const DAY_MS = 86_400_000;

/** The last `count` days in UTC, the oldest first. */
export const daysUntil = (now: Date, count: number): string[] =>
  [...Array(count).keys()].map((back) =>
    new Date(now.getTime() - (count - 1 - back) * DAY_MS).toISOString().slice(0, 10),
  );

type Row = { key: string; day: string; calls: number };

/** Calls by day for each key that has any. */
function seriesOf(rows: readonly Row[], days: readonly string[]): Map<string, number[]> {
  const placeOf = new Map(days.map((day, place) => [day, place]));
  const series = new Map<string, number[]>();
  for (const { key, day, calls } of rows) {
    const place = placeOf.get(day);
    if (place === undefined) continue;
    const counts = series.get(key) ?? days.map(() => 0);
    counts[place] = (counts[place] ?? 0) + calls;
    series.set(key, counts);
  }
  return series;
}

const totalOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** Keys of those of these flags that exist. */
async function keysOf({ runtime, project }: MemberContext, ids: readonly number[]): Promise<string[]> {
  const { byId } = await runtime.flags.project(project.id);
  return ids.flatMap((id) => byId.get(id)?.key ?? []);
}

export async function all_usage(context: MemberContext, { query }: Of<"all_usage">) {
  const days = daysUntil(context.now, query.days);
  const keys = query.ids === undefined ? null : await keysOf(context, query.ids.split(",").map(Number));
  const rows = await selectProjectCalls(context.db, context.project.id, days[0] ?? "", keys);
  return { days, flags: Object.fromEntries(seriesOf(rows, days)) };
}

export async function usage(context: MemberContext, { params, query }: Of<"usage">) {
  const flag = await flagOf(context, params.id);
  const days = daysUntil(context.now, query.days);
  const rows = await selectFlagCalls(context.db, context.project.id, flag.key, days[0] ?? "");
  const responses = [...seriesOf(rows, days)]
    .map(([response, calls]) => ({ response, calls, total: totalOf(calls) }))
    .sort((a, b) => b.total - a.total || (a.response < b.response ? -1 : 1));
  return { days, responses, total: totalOf(responses.map((each) => each.total)) };
}
