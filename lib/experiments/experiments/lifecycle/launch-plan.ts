import { sameJson } from "#lib/activity/changes.ts";
import type { Json } from "#lib/engines/json.ts";
import {
  type ExperimentRow,
  type LinkRow,
  lockLaunchedUsing,
  selectLinks,
  setLaunchPlan,
} from "#lib/experiments/experiments/store.ts";
import { withoutFingerprints } from "#lib/experiments/experiments/writing.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";

import { momentText, momentTextOrNull } from "#lib/platform/http/moment-schema.ts";

/** What was agreed on before anybody saw a result. */
export type Plan = {
  /** The hypothesis. */
  description: string;
  /** Primary metrics, saved ones included, as they are defined. */
  metrics: Json[];
  stats_config: Json | null;
};

const PLAN_FIELDS = ["description", "metrics", "stats_config"] as const;
export type PlanField = (typeof PLAN_FIELDS)[number];

/** The stored plan at launch. */
export type LaunchPlan = Plan & {
  /** The start that it belongs to: the same start again, as after an undone reset, is the same launch. */
  start_date: string | null;
  launched_at: string;
  launched_by_id: number | null;
  /** Last change of each field that differs from the plan. */
  changes: Partial<Record<PlanField, { at: string; by_id: number }>>;
};

/** An experiment with the saved metrics that it uses. */
export type Planned = { row: ExperimentRow; links: readonly LinkRow[] };

/** The current plan. */
export function planOf({ row, links }: Planned): Plan {
  const saved = links
    .filter(({ metadata }) => metadata.type !== "secondary")
    .map(({ query, name, saved_metric_id }) => ({ ...query, name, saved_metric_id }));
  return {
    description: row.description ?? "",
    metrics: withoutFingerprints([...row.metrics, ...saved]),
    stats_config: row.stats_config,
  };
}

export const storedPlan = ({ launch_plan }: Pick<ExperimentRow, "launch_plan">) =>
  launch_plan as LaunchPlan | null;

/** Fields of the plan that changed since launch. */
export const changedFields = (launched: Plan, now: Plan): PlanField[] =>
  PLAN_FIELDS.filter((field) => !sameJson(launched[field], now[field]));

type Author = Pick<MemberContext, "now"> & { user: { id: number } };

/** The plan to store with a new start: the present one, unless the start is that of the stored plan. */
function launched(after: Planned, by: Author): LaunchPlan {
  const stored = storedPlan(after.row);
  const start_date = momentTextOrNull(after.row.start_date);
  if (stored?.start_date === start_date) return stored;
  return {
    ...planOf(after),
    start_date,
    launched_at: momentText(by.now),
    launched_by_id: by.user.id,
    changes: {},
  };
}

/** Changes a saved metric; launched experiments that use it record who changed their plan, and when. */
export async function recordPlanChange<T>(
  tx: Db,
  by: Author,
  savedMetricId: number,
  change: () => Promise<T>,
): Promise<T> {
  const rows = await lockLaunchedUsing(tx, savedMetricId);
  const linksOf = async () => {
    const links = await selectLinks(
      tx,
      rows.map(({ id }) => id),
    );
    return Map.groupBy(links, (link) => link.experiment_id);
  };
  const before = await linksOf();
  const result = await change();
  const after = await linksOf();
  for (const row of rows) {
    const [was, is] = [before, after].map((links) => ({ row, links: links.get(row.id) ?? [] }));
    const plan = was && is && updateLaunchPlan(was, is, by);
    if (plan && !sameJson(plan, row.launch_plan)) await setLaunchPlan(tx, row.id, plan);
  }
  return result;
}

/**
 * The launch plan that belongs to an experiment after a change. A launch freezes it; later changes are recorded
 * beside it. A draft keeps the plan of its last run, which counts again if that run is restored.
 */
export function updateLaunchPlan(before: Planned, after: Planned, by: Author): LaunchPlan | null {
  const { start_date } = after.row;
  if (!start_date) return storedPlan(after.row);
  const stored = before.row.start_date ? storedPlan(after.row) : launched(after, by);
  if (!stored) return null;
  const [was, is] = [planOf(before), planOf(after)];
  const changes = changedFields(stored, is).map((field) => {
    const isNew = !sameJson(was[field], is[field]);
    return [field, isNew ? { at: momentText(by.now), by_id: by.user.id } : stored.changes[field]];
  });
  return { ...stored, start_date: momentText(start_date), changes: Object.fromEntries(changes) };
}
