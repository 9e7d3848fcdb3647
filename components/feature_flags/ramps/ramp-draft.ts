import { metricName } from "#components/metrics/metric-words.ts";
import type { Json } from "#lib/engines/json.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import type { RampCreate } from "#lib/ramps/schema.ts";

type Filters = FlagRecord["filters"];

/** A step as the form has it; numbers that may be absent are texts. */
export type StepDraft = {
  id: number;
  /** What its share is of: `set:` and an index, or `variant:` and a key. */
  what: string;
  share: number;
  hours: string;
  people: string;
  approval: boolean;
};

export type GuardrailDraft = {
  id: number;
  event: string | null;
  /** What is counted of the event; `metric`: another metric is watched. */
  counts: "people" | "events" | "metric";
  /** A metric of any kind, as experiments have them; null while there is none. */
  metric: Json | null;
  harm: "increase" | "decrease";
  /** In percent. */
  margin: number;
  action: "pause" | "roll_back";
};

export type RampDraft = { steps: StepDraft[]; guardrails: GuardrailDraft[] };

const SHARES = [1, 5, 25, 50, 100];
const HOURS = "24";
const MARGIN = 5;
const EVERYONE = 100;

/** What a step can change of a flag: its condition sets, and all variants but the first, which the others are compared with. */
export function partsOf(filters: Filters): { value: string; label: string; share: number }[] {
  const sets = filters.groups.map(({ rollout_percentage }, i) => ({
    value: `set:${i}`,
    label: `Condition set ${i + 1}`,
    share: rollout_percentage ?? EVERYONE,
  }));
  const variants = variantsOf(filters)
    .slice(1)
    .map(({ key, rollout_percentage }) => ({
      value: `variant:${key}`,
      label: `Variant ${key}`,
      share: rollout_percentage,
    }));
  return [...sets, ...variants];
}

/** The usual steps from where a flag is, and a guardrail on errors. */
export function draftOf(filters: Filters): RampDraft {
  const parts = partsOf(filters);
  const part = parts.find(({ share }) => share < EVERYONE) ?? parts[0];
  const ahead = SHARES.filter((share) => share > (part?.share ?? 0));
  const steps = (ahead.length > 0 ? ahead : SHARES).map((share, id) => ({
    id,
    what: part?.value ?? "set:0",
    share,
    hours: share === EVERYONE ? "" : HOURS,
    people: "",
    approval: false,
  }));
  return { steps, guardrails: [newGuardrail(0, "$exception")] };
}

export const newGuardrail = (id: number, event: string | null = null): GuardrailDraft => ({
  id,
  event,
  counts: "people",
  metric: null,
  harm: "increase",
  margin: MARGIN,
  action: "roll_back",
});

/** A step like the one before it. */
export const nextStep = (steps: readonly StepDraft[]): StepDraft => ({
  what: "set:0",
  share: EVERYONE,
  hours: HOURS,
  people: "",
  approval: false,
  ...steps.at(-1),
  id: 1 + Math.max(-1, ...steps.map(({ id }) => id)),
});

/** Percentages of all variants where one of them has this share; the others keep their proportions. */
function variantShares(filters: Filters, grown: string, share: number): Record<string, number> {
  const variants = variantsOf(filters);
  const others = variants.filter(({ key }) => key !== grown);
  const total = others.reduce((sum, { rollout_percentage }) => sum + rollout_percentage, 0);
  const shares: Record<string, number> = { [grown]: share };
  let left = EVERYONE - share;
  for (const { key, rollout_percentage } of others.slice(1)) {
    const part = total > 0 ? Math.round(((EVERYONE - share) * rollout_percentage * 100) / total) / 100 : 0;
    shares[key] = part;
    left -= part;
  }
  if (others[0]) shares[others[0].key] = Math.max(0, Math.round(left * 100) / 100);
  return shares;
}

const numberIn = (text: string): number | null => (text.trim() === "" ? null : Number(text));

/** The name and the metric of a guardrail, as the API takes them. */
function watchedBy({ event, counts, metric }: GuardrailDraft) {
  if (counts === "metric" && metric) return { name: metricName(metric), metric };
  const source = { kind: "EventsNode", event };
  const ofPeople = counts === "people";
  return {
    name: ofPeople ? `People with ${event}` : `${event} per person`,
    metric: {
      kind: "ExperimentMetric",
      ...(ofPeople ? { metric_type: "funnel", series: [source] } : { metric_type: "mean", source }),
    },
  };
}

/** The plan as the API takes it; a text where something is missing. */
export function planOf(flag: Pick<FlagRecord, "id" | "filters">, draft: RampDraft): RampCreate | string {
  const wrong = draft.steps.findIndex(({ hours, people }) =>
    [hours, people].some((text) => !(Number(text) >= 0)),
  );
  if (wrong >= 0) return `Step ${wrong + 1}: hours and people are numbers.`;
  if (draft.guardrails.some(({ counts, event, metric }) => (counts === "metric" ? !metric : !event)))
    return "Choose an event or a metric for every guardrail.";
  return {
    feature_flag: flag.id,
    steps: draft.steps.map(({ what, share, hours, people, approval }) => ({
      ...(what.startsWith("set:")
        ? { shares: { [what.slice("set:".length)]: share } }
        : { variants: variantShares(flag.filters, what.slice("variant:".length), share) }),
      hold: { hours: numberIn(hours), people: numberIn(people), approval },
    })),
    guardrails: draft.guardrails.map((guardrail) => {
      const { harm, margin, action } = guardrail;
      return { ...watchedBy(guardrail), harm, margin: margin / 100, action };
    }),
  };
}
