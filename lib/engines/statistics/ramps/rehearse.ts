import type { Random } from "#lib/engines/statistics/simulation/random.ts";
import type { Before, History, Plan, Rehearsal } from "./types.ts";

/** True changes for the worse, beyond each guardrail's margin, that a rehearsal looks for. */
export const REGRESSIONS: readonly number[] = [0.02, 0.05, 0.1];

/**
 * Runs a plan many times on what happened, with people dealt to the arms by chance.
 *
 * @param random deals; the same numbers give the same answer
 */
export declare function rehearse(
  plan: Plan,
  before: Before,
  history: History,
  random: Random,
  replays?: number,
): Rehearsal;
