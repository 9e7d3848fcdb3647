import type { ExperimentForm } from "#components/experiments/editor/form-values.ts";
import { metricsIn } from "#components/experiments/saved-uses.ts";
import { findEligibilityProblem } from "#components/experiments/variants.ts";
import { findMetricProblem } from "#components/metrics/metric-draft.ts";
import { listEvents } from "#components/metrics/metric-words.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { plural } from "#lib/platform/format.ts";
import type { StepId } from "./steps.ts";

/** The state of a checklist item: "stop" prevents the launch. */
export type Check = {
  id: string;
  state: "ok" | "warn" | "stop";
  title: string;
  detail: string;
  step: StepId | null;
};

export type Facts = {
  /** Names of received events; null while unknown. */
  seen: ReadonlySet<string> | null;
  /** Whether events carry flag values already; null while unknown. */
  implemented: boolean | null;
  /** Whether everything is saved. */
  saved: boolean;
};

type Group = { properties?: unknown[]; rollout_percentage?: number | null };

const groupsOf = (experiment: ExperimentRecord): Group[] => {
  const { groups } = experiment.feature_flag.filters;
  return Array.isArray(groups) ? groups : [];
};

function flagChecks(experiment: ExperimentRecord): Check[] {
  const { feature_flag: flag } = experiment;
  const problem = findEligibilityProblem(flag.filters);
  const groups = groupsOf(experiment);
  const nobody = groups.every((group) => group.rollout_percentage === 0);
  const part = groups.some(
    (group) => (group.rollout_percentage ?? 100) < 100 || (group.properties ?? []).length > 0,
  );
  return [
    {
      id: "flag",
      state: flag.deleted || problem ? "stop" : "ok",
      title: flag.deleted
        ? "The flag was deleted"
        : problem
          ? "The flag cannot be used"
          : "The flag splits people",
      detail: flag.deleted
        ? "Restore the flag first."
        : (problem ?? `${flag.key} has control and variants to compare.`),
      step: "variants",
    },
    {
      id: "reach",
      state: nobody ? "stop" : "ok",
      title: nobody ? "The flag reaches nobody" : part ? "Some people take part" : "Everybody takes part",
      detail: nobody
        ? "All its release conditions are at 0%."
        : part
          ? "The flag's release conditions decide who takes part."
          : "The flag's release conditions include everybody.",
      step: null,
    },
  ];
}

function metricChecks(values: ExperimentForm, seen: Facts["seen"]): Check[] {
  const [primary, secondary] = [metricsIn(values, "metrics"), metricsIn(values, "metrics_secondary")];
  const broken = primary.map(findMetricProblem).find((problem) => problem !== null);
  const events = [...new Set([...primary, ...secondary].flatMap(listEvents))];
  const unseen = seen ? events.filter((event) => !seen.has(event)) : [];
  return [
    {
      id: "metric",
      state: primary.length === 0 || broken ? "stop" : "ok",
      title: primary.length === 0 ? "No primary metric" : "A primary metric is set",
      detail:
        broken ??
        (primary.length === 0
          ? "Add one to measure the outcome."
          : `${primary.length} primary, ${secondary.length} secondary.`),
      step: "metrics",
    },
    ...(events.length > 0
      ? [
          {
            id: "events",
            state: unseen.length > 0 ? ("warn" as const) : ("ok" as const),
            title: unseen.length > 0 ? "Some events were never received" : "Its events are arriving",
            detail:
              unseen.length > 0
                ? `${unseen.join(", ")}: check the spelling, or send them before the launch.`
                : events.join(", "),
            step: "metrics" as const,
          },
        ]
      : []),
  ];
}

/** The launch checklist, in order of importance. */
export function runChecks(experiment: ExperimentRecord, values: ExperimentForm, facts: Facts): Check[] {
  const hypothesis = values.description.trim() !== "";
  const planned = values.effect !== null && values.sample !== null;
  return [
    ...(facts.saved
      ? []
      : [
          {
            id: "saved",
            state: "stop" as const,
            title: "Some changes are not saved",
            detail: "Save them in their step first.",
            step: null,
          },
        ]),
    ...flagChecks(experiment),
    ...metricChecks(values, facts.seen),
    {
      id: "hypothesis",
      state: hypothesis ? "ok" : "warn",
      title: hypothesis ? "The hypothesis is recorded" : "No hypothesis",
      detail: hypothesis
        ? "You can compare the outcome with what you expected."
        : "Write it down now, so it cannot be bent to fit the results.",
      step: "hypothesis",
    },
    {
      id: "plan",
      state: planned ? "ok" : "warn",
      title: planned ? "The running time is planned" : "No planned running time",
      detail: planned
        ? `${plural(values.sample ?? 0, "person", "people")} for an effect of ${values.effect}%.`
        : "Without a planned sample size, any early look can mislead.",
      step: "plan",
    },
    ...(facts.implemented === null
      ? []
      : [
          {
            id: "code",
            state: facts.implemented ? ("ok" as const) : ("warn" as const),
            title: facts.implemented ? "Your code evaluates flags" : "No event carries a flag's value yet",
            detail: facts.implemented
              ? "Events of the last seven days carry flag values."
              : `Evaluate ${experiment.feature_flag_key} where the change is. SDKs report it automatically.`,
            step: null,
          },
        ]),
  ];
}
