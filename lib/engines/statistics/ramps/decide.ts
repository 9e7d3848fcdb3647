import { judge } from "./judge.ts";
import { comparisonAt } from "./split.ts";
import type { Before, Decision, Observations, Plan, RampState, Step, Unmet, Verdict } from "./types.ts";

const HOUR_MS = 3_600_000;

/**
 * The part of alpha of one guardrail in one step. Steps in which nobody can be compared need none of it; with the rest,
 * the chances add up to alpha at most, however the tests depend on each other (Bonferroni).
 */
export function levelOf(plan: Plan, before: Before): number {
  const compared = plan.steps.filter((_, i) => comparisonAt(before, plan, i)).length;
  return plan.alpha / Math.max(1, compared * plan.guardrails.length);
}

/** What the guardrails of the current step say, by id; nothing where nobody can be compared. */
export function verdictsOf(
  plan: Plan,
  before: Before,
  step: number,
  { guardrails }: Observations,
): Record<string, Verdict> {
  if (!comparisonAt(before, plan, step)) return {};
  const level = levelOf(plan, before);
  const observed = plan.guardrails.flatMap((guardrail) => {
    const observation = guardrails[guardrail.id];
    return observation ? [[guardrail.id, judge(guardrail, observation, level)] as const] : [];
  });
  return Object.fromEntries(observed);
}

/** What a step still waits for. */
function unmetOf({ hold }: Step, state: RampState, { people }: Observations, now: number): Unmet[] {
  const until = state.step_started_at + (hold.hours ?? 0) * HOUR_MS;
  const missing = (hold.people ?? 0) - people.control - people.treatment;
  return [
    ...(now < until ? [{ hold: "hours", until } as const] : []),
    ...(missing > 0 ? [{ hold: "people", missing } as const] : []),
    ...(hold.approval && !state.approved ? [{ hold: "approval" } as const] : []),
  ];
}

/** The breach that is acted upon: rolling back goes before a pause. */
function breachOf(plan: Plan, verdicts: Readonly<Record<string, Verdict>>): Decision | null {
  const breached = plan.guardrails.filter(({ id }) => verdicts[id]?.status === "breached");
  const worst = breached.find(({ action }) => action === "roll_back") ?? breached[0];
  const verdict = worst && verdicts[worst.id];
  return verdict ? { action: worst.action, guardrail: worst.id, verdict } : null;
}

/**
 * What happens to a ramp now. Guardrails go before holds: a step whose time is over still stops where it does harm.
 * A ramp that does not run stays as it is, so only people resume it.
 *
 * @param before what the flag had when the ramp began
 * @param observations of the current step
 * @param now milliseconds since 1970
 */
export function decide(
  plan: Plan,
  before: Before,
  state: RampState,
  observations: Observations,
  now: number,
): Decision {
  const step = plan.steps[state.step];
  if (state.status !== "running" || !step) return { action: "hold", waits_for: [] };
  const breach = breachOf(plan, verdictsOf(plan, before, state.step, observations));
  if (breach) return breach;
  const waits_for = unmetOf(step, state, observations, now);
  if (waits_for.length > 0) return { action: "hold", waits_for };
  const next = state.step + 1;
  return next < plan.steps.length ? { action: "advance", step: next } : { action: "complete" };
}
