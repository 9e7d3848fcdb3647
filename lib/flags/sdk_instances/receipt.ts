import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { receiptContract } from "./contract.ts";
import { listRelays } from "./relays.ts";
import type { Receipt, State } from "./schema.ts";
import { countInstances, selectOlderCalls, type Target } from "./store.ts";

const DAY_MS = 86_400_000;

/** What instances have to have once the latest change of a flag has arrived. */
export const targetOf = ({ project, now }: Pick<MemberContext, "project" | "now">, flag: Flag): Target => ({
  project_id: project.id,
  now,
  flag_id: flag.id,
  version: flag.version,
  deleted: flag.deleted,
  changed_at: flag.updated_at,
});

export async function receipt(
  context: MemberContext,
  { params }: Input<(typeof receiptContract)["receipt"]>,
): Promise<Receipt> {
  const { db, project, runtime } = context;
  const flag = await flagOf(context, params.id);
  await runtime.instances.storeEverywhere(project.id);
  const now = new Date();
  const from = new Date(Math.max(flag.updated_at.getTime(), now.getTime() - DAY_MS));
  const target = targetOf({ project, now }, flag);
  const [totals, relays, older] = await Promise.all([
    countInstances(db, target),
    listRelays(db, target),
    selectOlderCalls(db, { project_id: project.id, key: flag.key, version: flag.version, from }),
  ]);
  const of = (...states: State[]) => totals.filter(({ state }) => states.includes(state));
  const count = (...states: State[]) => of(...states).reduce((sum, { instances }) => sum + instances, 0);
  const latest = (moments: readonly (number | null)[]) =>
    moments.reduce<number | null>((max, at) => (at === null ? max : Math.max(max ?? at, at)), null);
  const served = of("confirmed", "sent");
  const servedAt = served.every(({ contents }) => contents <= 1)
    ? latest(served.map((s) => s.served_at))
    : null;
  const dueAt = latest(of("waiting").map(({ last_due_at }) => last_due_at));
  return {
    flag_id: flag.id,
    version: flag.version,
    changed_at: instant(flag.updated_at),
    as_of: instant(now),
    complete:
      count("undelivered", "waiting", "behind", "unknown") === 0 &&
      relays.every(({ state }) => state !== "behind") &&
      of("sent").every((s) => s.tagged === 0),
    total: count("confirmed", "sent", "undelivered", "waiting", "behind", "unknown"),
    served: count("confirmed", "sent"),
    confirmed: count("confirmed"),
    sent: count("sent"),
    undelivered: count("undelivered"),
    waiting: count("waiting"),
    behind: count("behind"),
    unknown: count("unknown"),
    silent: count("silent"),
    served_after_ms: servedAt === null ? null : Math.max(0, Math.round(servedAt - flag.updated_at.getTime())),
    due_within_ms: dueAt === null ? null : Math.max(0, Math.round(dueAt - now.getTime())),
    behind_versions: of("behind").map(({ flag_version, instances }) => ({ flag_version, instances })),
    relays,
    older_calls: older.map(({ lib, version, calls, last }) => ({
      lib,
      version,
      calls,
      last_called_at: instant(new Date(last)),
    })),
  };
}
