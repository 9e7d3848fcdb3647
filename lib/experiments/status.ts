import type { ExperimentStatus } from "./schema.ts";

/** Where an experiment stands; paused is one that runs while its flag is off. */
export function statusOf(
  experiment: { start_date: Date | null; end_date: Date | null },
  flag: { active: boolean } | undefined,
): ExperimentStatus {
  if (!experiment.start_date) return "draft";
  if (experiment.end_date) return "stopped";
  return flag?.active === false ? "paused" : "running";
}
