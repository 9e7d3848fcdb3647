import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** A variant as a flag or an experiment's parameters hold it. */
export type Variant = { key: string; name?: string | null; rollout_percentage: number };

/** The variants of a flag; none for a flag that is only on or off. */
export function variantsOfFlag(filters: Record<string, unknown>): Variant[] {
  const multivariate = filters.multivariate as { variants?: Variant[] } | null | undefined;
  return multivariate?.variants ?? [];
}

/** The split of an experiment: of a launched one that of its own record, which outlives its flag's. */
export const splitOfExperiment = ({
  phases,
  feature_flag,
}: Pick<ExperimentRecord, "phases" | "feature_flag">): Variant[] =>
  phases.at(-1)?.variants ?? variantsOfFlag(feature_flag.filters);

/** Why an experiment cannot use a flag, in words; null if it can. */
export function findEligibilityProblem(filters: Record<string, unknown>): string | null {
  const keys = variantsOfFlag(filters).map(({ key }) => key);
  if (keys.length === 0) return "It has no variants: an experiment needs at least two to compare.";
  if (keys.length === 1) return "It has only one variant: there is nothing to compare.";
  if (!keys.includes("control")) return "None of its variants has the key control.";
  return keys[0] === "control" ? null : "Its first variant must be control.";
}

/** Makes a flag's key from a name: "Shorter form!" becomes "shorter-form". */
export const keyFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
