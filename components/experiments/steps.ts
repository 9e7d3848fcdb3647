import type { Draft } from "./draft.ts";
import { metricsIn } from "./saved_uses.ts";

export const STEPS = [
  { id: "hypothesis", label: "Hypothesis", help: "What you change, and what you expect of it." },
  { id: "variants", label: "Flag and variants", help: "What splits people, and into which parts." },
  { id: "exposure", label: "Exposure", help: "From which moment on somebody counts." },
  { id: "metrics", label: "Metrics", help: "Which numbers are to move, and which must not." },
  { id: "statistics", label: "Statistics", help: "How certain is certain enough." },
  { id: "plan", label: "Running time", help: "How many people it takes, and how many days." },
  { id: "launch", label: "Launch", help: "What is ready, and what is not." },
] as const;

export type StepId = (typeof STEPS)[number]["id"];

export const stepOf = (text: string): StepId => STEPS.find((step) => step.id === text)?.id ?? "hypothesis";

export const nextStep = (id: StepId): StepId => {
  const place = STEPS.findIndex((step) => step.id === id);
  return STEPS[Math.min(place + 1, STEPS.length - 1)]?.id ?? id;
};

/** Whether a step says what it is for; the launch is done when it has happened. */
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
