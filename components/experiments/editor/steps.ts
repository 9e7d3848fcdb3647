import type { Draft } from "#components/experiments/draft.ts";
import { metricsIn } from "#components/experiments/saved-uses.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** Props of every step. */
export type StepProps = {
  projectId: string;
  experiment: ExperimentRecord | null;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
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

export const stepOf = (text: string): StepId => STEPS.find((step) => step.id === text)?.id ?? "hypothesis";

export const nextStep = (id: StepId): StepId => {
  const index = STEPS.findIndex((step) => step.id === id);
  return STEPS[Math.min(index + 1, STEPS.length - 1)]?.id ?? id;
};

/** Whether a step is complete; the launch never is before it happens. */
export function isDone(id: StepId, draft: Draft): boolean {
  switch (id) {
    case "hypothesis":
      return draft.name.trim() !== "" && draft.description.trim() !== "";
    case "variants":
      return draft.key.trim() !== "" && draft.variants.length > 1;
    case "exposure":
      return draft.exposure.kind === "flag" || draft.exposure.event !== "";
    case "metrics":
      return metricsIn(draft, "metrics").length > 0;
    case "statistics":
      return true;
    case "plan":
      return draft.effect !== null && draft.sample !== null;
    case "launch":
      return false;
  }
}
