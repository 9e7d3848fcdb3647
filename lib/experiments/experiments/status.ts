import type { ExperimentStatus } from "./schema.ts";

/** The status of an experiment by its dates; paused means that it runs while its flag is off. */
export function stateOf(
  experiment: { started: boolean; ended: boolean },
  flag: { active: boolean } | undefined,
): ExperimentStatus {
  if (!experiment.started) return "draft";
  if (experiment.ended) return "stopped";
  return flag?.active === false ? "paused" : "running";
}

/** The same by its dates. */
export const statusOf = (
  { start_date, end_date }: { start_date: Date | null; end_date: Date | null },
  flag: { active: boolean } | undefined,
): ExperimentStatus => stateOf({ started: start_date !== null, ended: end_date !== null }, flag);
