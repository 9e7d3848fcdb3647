import { listMetrics } from "#lib/experiments/experiments/metrics/metrics.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import { notFound } from "#lib/platform/http/errors.ts";
import { type ExperimentRow, selectExperiment, selectLinks } from "./store.ts";

type Place = Pick<MemberContext, "db" | "project">;

/** The experiment of a path; 404 for a deleted one and for another project's. */
export async function loadExperiment(context: Place, id: number): Promise<ExperimentRow> {
  const row = await selectExperiment(context.db, context.project.id, id);
  if (!row || row.deleted) throw notFound();
  return row;
}

/** Its metrics, saved ones included, as they are computed. */
export async function loadMetrics(db: Place["db"], row: ExperimentRow) {
  return listMetrics(row, await selectLinks(db, [row.id]));
}
