import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import type { Draft } from "./draft.ts";
import { metricProblem } from "./metric_draft.ts";
import { eventsOf } from "./metric_words.ts";
import { metricsIn } from "./saved_uses.ts";
import type { StepId } from "./steps.ts";
import { eligibilityProblem } from "./variants.ts";

/** How a point of the checklist stands: "stop" keeps the experiment from being launched. */
export type Check = {
  id: string;
  state: "ok" | "warn" | "stop";
  title: string;
  detail: string;
  step: StepId | null;
};

export type Facts = {
  /** Names of events that were seen; null while that is not known. */
  seen: ReadonlySet<string> | null;
  /** Whether the flag is asked for by events already; null while that is not known. */
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
  const problem = eligibilityProblem(flag.filters);
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
        ? "Its flag was deleted"
        : problem
          ? "Its flag cannot carry it"
          : "Its flag splits people",
      detail: flag.deleted
        ? "Restore the flag first."
        : (problem ?? `${flag.key}: control and what is compared with it.`),
      step: "variants",
    },
    {
      id: "reach",
      state: nobody ? "stop" : "ok",
      title: nobody ? "Its flag reaches nobody" : part ? "Some people take part" : "Everybody takes part",
      detail: nobody
        ? "Every set of its release conditions stands at 0 %."
        : part
          ? "The flag's release conditions say who; results are about them."
          : "The flag's release conditions take everybody.",
      step: null,
    },
  ];
}

function metricChecks(draft: Draft, seen: Facts["seen"]): Check[] {
  const [primary, secondary] = [metricsIn(draft, "metrics"), metricsIn(draft, "metrics_secondary")];
  const broken = primary.map(metricProblem).find((problem) => problem !== null);
  const events = [...new Set([...primary, ...secondary].flatMap(eventsOf))];
  const unseen = seen ? events.filter((event) => !seen.has(event)) : [];
  return [
    {
      id: "metric",
      state: primary.length === 0 || broken ? "stop" : "ok",
      title: primary.length === 0 ? "No primary metric" : "A primary metric decides",
      detail:
        broken ??
        (primary.length === 0
          ? "Without one there is nothing to conclude from."
          : `${primary.length} primary, ${secondary.length} secondary.`),
      step: "metrics",
    },
    ...(events.length > 0
      ? [
          {
            id: "events",
            state: unseen.length > 0 ? ("warn" as const) : ("ok" as const),
            title: unseen.length > 0 ? "Some events were never seen" : "Its events arrive",
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

/** What is ready for the launch, and what is not, in the order in which it matters. */
export function checksOf(experiment: ExperimentRecord, draft: Draft, facts: Facts): Check[] {
  const hypothesis = draft.description.trim() !== "";
  const planned = draft.effect !== null && draft.sample !== null;
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
    ...metricChecks(draft, facts.seen),
    {
      id: "hypothesis",
      state: hypothesis ? "ok" : "warn",
      title: hypothesis ? "The hypothesis is written down" : "No hypothesis",
      detail: hypothesis
        ? "What was expected can be compared with what came."
        : "What is not written down before can be bent afterwards.",
      step: "hypothesis",
    },
    {
      id: "plan",
      state: planned ? "ok" : "warn",
      title: planned ? "Its length is planned" : "No planned length",
      detail: planned
        ? `${draft.sample?.toLocaleString("en")} people for an effect of ${draft.effect} %.`
        : "Without a planned number of people, every look may mislead.",
      step: "plan",
    },
    ...(facts.implemented === null
      ? []
      : [
          {
            id: "code",
            state: facts.implemented ? ("ok" as const) : ("warn" as const),
            title: facts.implemented ? "Code asks for flags" : "No event carries a flag's value yet",
            detail: facts.implemented
              ? "Events of the last seven days carry values of flags."
              : `Ask for ${experiment.feature_flag_key} where the change is; SDKs then report it by themselves.`,
            step: null,
          },
        ]),
  ];
}
