import type { Contributor, InboxContext, InboxItem } from "#lib/notifications/inbox/item.ts";
import { waitsForApproval } from "#lib/ramps/service.ts";
import { type RampRow, type RunRow, selectRuns, selectUnfinishedOrRolledBack } from "#lib/ramps/store.ts";

const SHOWN_MS = 7 * 86_400_000;

function itemOf(ramp: RampRow, run: RunRow | undefined, key: string, now: Date): InboxItem | null {
  const common = {
    version: `${ramp.status}/${ramp.run}`,
    resource: { type: "feature_flag" as const, id: String(ramp.flag_id), name: key },
  };
  const path = `feature_flags/${ramp.flag_id}`;
  if (ramp.status === "paused")
    return {
      ...common,
      key: `ramp/${ramp.id}/paused`,
      urgency: "now",
      title: `The ramp of ${key} is paused`,
      why: ramp.reason?.detail ?? "The flag stays at this step until somebody decides.",
      since: ramp.updated_at,
      action: { label: "Resume or roll back", path },
    };
  if (ramp.status === "rolled_back")
    return {
      ...common,
      key: `ramp/${ramp.id}/rolled_back`,
      urgency: "now",
      title: `The ramp of ${key} was rolled back`,
      why: ramp.reason?.detail ?? "The flag serves what it did before the ramp.",
      since: ramp.ended_at ?? ramp.updated_at,
      action: { label: "See why", path },
    };
  if (!waitsForApproval(ramp, run, now)) return null;
  return {
    ...common,
    key: `ramp/${ramp.id}/waiting`,
    type: "ramp.waiting",
    urgency: "now",
    title: `The ramp of ${key} waits for approval`,
    why: `Step ${ramp.step + 1} of ${ramp.plan.steps.length} has held, and goes on only if somebody approves.`,
    since: run?.started_at ?? ramp.updated_at,
    action: { label: "Look and approve", path },
  };
}

async function find({ runtime, db, project, now, limit }: InboxContext): Promise<InboxItem[]> {
  const since = new Date(now.getTime() - SHOWN_MS);
  const ramps = await selectUnfinishedOrRolledBack(db, { project_id: project.id, since, limit });
  const running = ramps.filter(({ status }) => status === "running").map(({ id }) => id);
  const runs = Map.groupBy(await selectRuns(db, running), ({ ramp_id }) => ramp_id);
  const { byId } = await runtime.flags.project(project.id);
  return ramps.flatMap((ramp) => {
    const flag = byId.get(ramp.flag_id);
    return (flag && !flag.deleted && itemOf(ramp, runs.get(ramp.id)?.at(-1), flag.key, now)) || [];
  });
}

/** Ramps that wait for approval, are paused or were rolled back. */
export const ramps: Contributor = { scope: "feature_flag:read", find };
