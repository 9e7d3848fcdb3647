/**
 * The words of ramps: a flag's change in steps, each compared with the people whom it has not reached yet. Names are
 * those of the API; shares are percentages in [0, 100], rates and margins fractions, moments milliseconds since 1970.
 */
import type { Interval, Sample, SampleType } from "#lib/engines/statistics/types.ts";

/** What keeps a ramp at a step. All that are set must be fulfilled; a step without any is over at once. */
interface Hold {
  /** Hours since the step began. */
  readonly hours?: number | null;
  /** People compared in the step, both arms together. */
  readonly people?: number | null;
  /** Until somebody approves. */
  readonly approval?: boolean | null;
}

/** What a flag's split is; of a step only what it changes. */
export interface Split {
  /** Rollout percentages by the index of the condition set. */
  readonly shares?: Readonly<Record<string, number>> | null;
  /** Percentages by variant key. */
  readonly variants?: Readonly<Record<string, number>> | null;
}

/** The split of before the ramp. */
export interface Before extends Split {
  /** Key of the flag's first variant, the control of a variant split; null without variants. */
  readonly baseline?: string | null;
}

export interface Step extends Split {
  readonly hold: Hold;
}

/** What is watched of one metric. */
export interface Guardrail {
  /** Names it within its plan. */
  readonly id: string;
  /** The direction that is harm. */
  readonly harm: "increase" | "decrease";
  /** Relative change in that direction that is accepted, at least 0: 0.02 accepts 2%. */
  readonly margin: number;
  readonly action: "pause" | "roll_back";
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly guardrails: readonly Guardrail[];
  /** Chance, at most, that the whole ramp is stopped although nothing is worse than its margin; in (0, 1). */
  readonly alpha: number;
}

type RampStatus = "running" | "paused" | "completed" | "rolled_back" | "cancelled";

/** Where a ramp is. */
export interface RampState {
  readonly status: RampStatus;
  /** Index of the step. */
  readonly step: number;
  readonly step_started_at: number;
  /** Whether somebody approved the end of this step. */
  readonly approved: boolean;
}

/** Who is compared in a step; null where nobody is left to compare with. */
export type Comparison =
  /** People of these condition sets, by whether the share lets them in. */
  | { readonly kind: "shares"; readonly sets: readonly number[] }
  /** People who get one of these two variants. */
  | { readonly kind: "variants"; readonly control: string; readonly treatment: string }
  | null;

/**
 * Sums over people of both arms that are alike but for the split: those of one condition set, since sets may have
 * different shares. A comparison of variants has one stratum.
 */
export interface Stratum {
  readonly control: Sample;
  readonly treatment: Sample;
}

/** A guardrail's sums in a step. */
export interface GuardrailObservation {
  readonly type: SampleType;
  readonly strata: readonly Stratum[];
}

/** What was seen in a step so far. */
export interface Observations {
  /** People in both arms: exposed within the step, and comparable. */
  readonly people: { readonly control: number; readonly treatment: number };
  /** By the guardrail's id; one that is absent has not been measured yet. */
  readonly guardrails: Readonly<Record<string, GuardrailObservation>>;
}

/** What a guardrail's numbers say. */
export interface Verdict {
  /** `waiting`: not enough people or values yet. `breached`: worse than the margin, whenever it was looked at. */
  readonly status: "waiting" | "holding" | "breached";
  /** Relative change of the treatment, (treatment - control) / control; null where control has none. */
  readonly change: number | null;
  /** Always-valid interval of the change; an end that nothing bounds yet is null. */
  readonly interval: readonly [number | null, number | null];
  /** Values of both arms, in the metric's unit; null without people. */
  readonly control: number | null;
  readonly treatment: number | null;
}

/** What a step still waits for. */
export type Unmet =
  | { readonly hold: "hours"; readonly until: number }
  | { readonly hold: "people"; readonly missing: number }
  | { readonly hold: "approval" };

/** What happens to a ramp now. */
export type Decision =
  | { readonly action: "hold"; readonly waits_for: readonly Unmet[] }
  /** Apply the step with this index. */
  | { readonly action: "advance"; readonly step: number }
  | { readonly action: "pause" | "roll_back"; readonly guardrail: string; readonly verdict: Verdict }
  | { readonly action: "complete" };

/** One hour's change of a person's value: hours since the history began, what it adds, and to a denominator. */
export type Increment = readonly [hour: number, value: number, denominator?: number];

/** What somebody did in the history, for a rehearsal. */
export interface PersonHistory {
  /** Hours, whole and ascending, in which the flag was (or would have been) asked for them. */
  readonly hours: readonly number[];
  /** By guardrail id, ascending by hour; of shares of people, what makes somebody count is 1. */
  readonly values: Readonly<Record<string, readonly Increment[]>>;
}

/** A project's last weeks. */
export interface History {
  /** Its length. */
  readonly hours: number;
  /** Some people or all of them, chosen by chance. */
  readonly people: readonly PersonHistory[];
  /** All people of the history, those that were not chosen included. */
  readonly people_total: number;
  readonly types: Readonly<Record<string, SampleType>>;
}

/** How soon a regression of one guardrail is caught. */
export interface Caught {
  readonly guardrail: string;
  /** True relative change for the worse beyond the guardrail's margin. */
  readonly size: number;
  /** Share of replays that stopped, and where the true one lies with 95%. */
  readonly share: number;
  readonly share_interval: Interval;
  /** Medians over all replays, null where fewer than half of them stopped: hours of the ramp, treated people. */
  readonly hours: number | null;
  readonly people: number | null;
}

export interface Rehearsal {
  readonly replays: number;
  /** Replays without any regression that were stopped. */
  readonly false_stops: number;
  readonly false_stop_interval: Interval;
  /** Hours that the plan takes with the history's people, approvals given at once; null where it was too short. */
  readonly hours: number | null;
  /** Index of the step in which the history ended; null where it was long enough. */
  readonly ended_in_step: number | null;
  /** People in the replays, and whether they are all of the history's. */
  readonly people: number;
  readonly is_sample: boolean;
  readonly caught: readonly Caught[];
}

/** What a guardrail's change has cost, or saved where it is below 0. */
export interface Cost {
  /** People who were treated in the steps that could be compared. */
  readonly people: number;
  /** Estimated change of the metric's total among them, in its unit (events, people, money), for the worse above 0. */
  readonly total: number;
  /** Where the true one lies with 95%, read once after the end. */
  readonly interval: Interval;
}
