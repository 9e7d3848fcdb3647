import type { ExperimentForm } from "#components/experiments/editor/form-values.ts";
import { metricsIn } from "#components/experiments/saved-uses.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** Props of every step. */
export type StepProps = {
  projectId: string;
  experiment: ExperimentRecord | null;
  values: ExperimentForm;
  change: (part: Partial<ExperimentForm>) => void;
  /** What is wrong with a field, if anything. */
  problemOf: (field: keyof ExperimentForm) => string | undefined;
};

export const STEPS = [
  { id: "hypothesis", label: "Hypothesis", help: "What you change and what you expect." },
  { id: "variants", label: "Flag and variants", help: "Which flag splits people, and into which variants." },
  { id: "exposure", label: "Exposure", help: "When people start to count." },
  { id: "metrics", label: "Metrics", help: "What should improve, and what must not get worse." },
  { id: "statistics", label: "Statistics", help: "How results are computed, and how certain they must be." },
  { id: "plan", label: "Running time", help: "How many people and days you need." },
  { id: "launch", label: "Launch", help: "Check that everything is ready." },
] as const;

export type StepId = (typeof STEPS)[number]["id"];

/** The page of each field; the plan's are on the page of the running time. */
const PAGES: Readonly<Partial<Record<keyof ExperimentForm, StepId>>> = {
  name: "hypothesis",
  description: "hypothesis",
  flag: "variants",
  key: "variants",
  variants: "variants",
  group: "variants",
  holdout_id: "variants",
  exposure: "exposure",
  metrics: "metrics",
  metrics_secondary: "metrics",
  saved: "metrics",
  stats: "statistics",
};

/** The page that shows a field. */
export const pageOf = (field: keyof ExperimentForm): StepId => PAGES[field] ?? "plan";

export const stepOf = (text: string): StepId => STEPS.find((step) => step.id === text)?.id ?? "hypothesis";

export const nextStep = (id: StepId): StepId => {
  const index = STEPS.findIndex((step) => step.id === id);
  return STEPS[Math.min(index + 1, STEPS.length - 1)]?.id ?? id;
};

/** Whether a step is complete; the launch never is before it happens. */
export function isDone(id: StepId, values: ExperimentForm): boolean {
  switch (id) {
    case "hypothesis":
      return values.name.trim() !== "" && values.description.trim() !== "";
    case "variants":
      return values.key.trim() !== "" && values.variants.length > 1;
    case "exposure":
      return values.exposure.kind === "flag" || values.exposure.event !== "";
    case "metrics":
      return metricsIn(values, "metrics").length > 0;
    case "statistics":
      return true;
    case "plan":
      return values.effect !== null && values.sample !== null;
    case "launch":
      return false;
  }
}
