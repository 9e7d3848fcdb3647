import type { MemberContext } from "#lib/http/context.ts";
import { notFound } from "#lib/http/errors.ts";
import { metricsOf } from "./metrics.ts";
import { type ExperimentRow, selectExperiment, selectLinks } from "./store.ts";

type Place = Pick<MemberContext, "db" | "project">;

/** The experiment of a path; 404 for a deleted one and for another project's. */
export async function experimentOf(context: Place, id: number): Promise<ExperimentRow> {
  const row = await selectExperiment(context.db, context.project.id, id);
  if (!row || row.deleted) throw notFound();
  return row;
}

/** Its metrics, shared ones included, as figures are computed of them. */
export async function metricsOfExperiment(db: Place["db"], row: ExperimentRow) {
  return metricsOf(row, await selectLinks(db, [row.id]));
}
