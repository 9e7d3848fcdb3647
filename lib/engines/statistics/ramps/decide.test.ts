import { describe, expect, it } from "vitest";
import { costOf } from "./cost.ts";
import { decide, levelOf } from "./decide.ts";
import { comparisonAt } from "./split.ts";
import type { Before, Decision, GuardrailObservation, Observations, Plan, RampState, Step } from "./types.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_000 * HOUR_MS;
const before: Before = { shares: { "0": 0 } };
const step = (share: number, hold: Step["hold"]): Step => ({ shares: { "0": share }, hold });
const plan: Plan = {
  steps: [step(10, { hours: 2, people: 500, approval: true }), step(100, { hours: 1 })],
  guardrails: [
    { id: "slower", harm: "increase", margin: 0.1, action: "pause" },
    { id: "broken", harm: "increase", margin: 0, action: "roll_back" },
  ],
  alpha: 0.05,
};
const state: RampState = { status: "running", step: 0, step_started_at: NOW - 2 * HOUR_MS, approved: true };

/** Shares of people of both arms, 2,000 each. */
const shares = (control: number, treatment: number): GuardrailObservation => {
  const sample = (share: number) => ({ n: 2_000, sum: 2_000 * share, sum_squares: 2_000 * share });
  return { type: "funnel", strata: [{ control: sample(control), treatment: sample(treatment) }] };
};
const seen = (guardrails: Observations["guardrails"] = {}, people = 500): Observations => ({
  people: { control: people - 50, treatment: 50 },
  guardrails,
});
const outcome = (decision: Decision) =>
  decision.action === "hold"
    ? decision.waits_for.map(({ hold }) => hold).join("+") || "nothing"
    : decision.action;

describe("a ramp", () => {
  it.each<[string, Partial<RampState>, Observations, string]>([
    ["goes on once all holds are fulfilled", {}, seen(), "advance"],
    ["waits for its hours", { step_started_at: NOW - 2 * HOUR_MS + 1 }, seen(), "hours"],
    ["waits for its people, of both arms together", {}, seen({}, 499), "people"],
    ["waits for its approval", { approved: false }, seen(), "approval"],
    [
      "waits for all of them",
      { approved: false, step_started_at: NOW },
      seen({}, 50),
      "hours+people+approval",
    ],
    ["is completed after its last step", { step: 1 }, seen(), "complete"],
    ["is paused by a guardrail that pauses", {}, seen({ slower: shares(0.2, 0.5) }), "pause"],
    ["stops although it still waits", { step_started_at: NOW }, seen({ slower: shares(0.2, 0.5) }), "pause"],
    [
      "is rolled back where guardrails of both kinds are breached",
      {},
      seen({ slower: shares(0.2, 0.5), broken: shares(0.2, 0.5) }),
      "roll_back",
    ],
    ["goes on with a change within the margin", {}, seen({ slower: shares(0.3, 0.31) }), "advance"],
    ["goes on with a change for the better", {}, seen({ broken: shares(0.5, 0.2) }), "advance"],
    [
      "heeds no guardrail where nobody is left to compare with",
      { step: 1 },
      seen({ broken: shares(0.2, 0.5) }),
      "complete",
    ],
    ["stays paused", { status: "paused" }, seen({ broken: shares(0.2, 0.5) }), "nothing"],
    ["stays rolled back", { status: "rolled_back" }, seen(), "nothing"],
  ])("%s", (_, changed, observed, expected) => {
    expect(outcome(decide(plan, before, { ...state, ...changed }, observed, NOW))).toBe(expected);
  });

  it("says which guardrail stopped it, and by what", () => {
    const decision = decide(plan, before, state, seen({ broken: shares(0.2, 0.5) }), NOW);
    expect(decision).toMatchObject({
      guardrail: "broken",
      verdict: { status: "breached", control: 0.2, treatment: 0.5 },
    });
  });

  it("shares its error rate among guardrails and the steps that can be compared", () => {
    expect(levelOf(plan, before)).toBeCloseTo(0.05 / 2);
    const longer = { ...plan, steps: [step(1, {}), step(5, {}), ...plan.steps] };
    expect(levelOf(longer, before)).toBeCloseTo(0.05 / 6);
  });
});

describe("people compared in a step", () => {
  const variants = (control: number, test: number, other: number) => ({
    variants: { other, control, test },
    hold: {},
  });
  it.each<[string, Before, Step[], unknown]>([
    ["are those of a set whose share has grown", before, [step(10, {})], { kind: "shares", sets: [0] }],
    ["are none where everybody is let in", before, [step(10, {}), step(100, {})], null],
    ["are none where the share stays", { shares: { "0": 10 } }, [step(10, {})], null],
    [
      "are those of all sets that are on their way",
      { shares: { "0": 0, "1": 0, "2": 30 } },
      [step(100, {}), { shares: { "1": 20 }, hold: {} }],
      { kind: "shares", sets: [1] },
    ],
    [
      "get the first variant or the one that grew most",
      { variants: { control: 40, test: 0, other: 60 }, baseline: "control" },
      [variants(40, 10, 50)],
      { kind: "variants", control: "control", treatment: "test" },
    ],
    [
      "are compared with the largest variant where the first is used up",
      { variants: { control: 40, test: 0, other: 60 }, baseline: "control" },
      [variants(0, 60, 40)],
      { kind: "variants", control: "other", treatment: "test" },
    ],
    [
      "are none where one variant is left",
      { variants: { control: 100, test: 0 }, baseline: "control" },
      [{ variants: { control: 0, test: 100 }, hold: {} }],
      null,
    ],
  ])("%s", (_, from, steps, expected) => {
    expect(comparisonAt(from, { steps }, steps.length - 1)).toEqual(expected);
  });
});

describe("what a ramp has cost", () => {
  it("is the difference of both arms times the treated people, above 0 for the worse", () => {
    const cost = costOf({ harm: "increase" }, [shares(0.2, 0.3), shares(0.2, 0.25)]);
    expect(cost.people).toBe(4_000);
    expect(cost.total).toBeCloseTo(300);
    expect(cost.interval[0]).toBeLessThan(300);
    expect(cost.interval[1]).toBeGreaterThan(300);
    expect(costOf({ harm: "decrease" }, [shares(0.2, 0.3)]).total).toBeCloseTo(-200);
  });

  it("is nothing where nobody was compared", () => {
    expect(costOf({ harm: "increase" }, [])).toEqual({ people: 0, total: 0, interval: [0, 0] });
  });
});
