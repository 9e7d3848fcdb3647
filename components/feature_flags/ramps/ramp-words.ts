import { splitAt } from "#lib/engines/statistics/ramps/split.ts";
import { formatDuration, formatShortPercent, plural } from "#lib/platform/format.ts";
import type { Ramp, RampCreate } from "#lib/ramps/schema.ts";

const HOUR_SECONDS = 3_600;

export const hoursWords = (hours: number): string => formatDuration(hours * HOUR_SECONDS);

/** A relative change with its sign. */
export const changeWords = (change: number): string =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${formatShortPercent(Math.abs(change), 1)}`;

/** An interval of changes; an end that is not known yet is left open. */
export function intervalWords([low, high]: readonly [number | null, number | null]): string {
  if (low === null && high === null) return "not known yet";
  if (low === null) return `at most ${changeWords(high ?? 0)}`;
  return high === null ? `at least ${changeWords(low)}` : `${changeWords(low)} to ${changeWords(high)}`;
}

type Step = RampCreate["steps"][number];

/** What a step sets: "25% of condition set 1". */
export function stepWords({ shares, variants }: Step): string {
  const sets = Object.entries(shares ?? {}).map(
    ([set, share]) => `${formatShortPercent(share / 100)} of condition set ${Number(set) + 1}`,
  );
  const split = Object.entries(variants ?? {}).map(
    ([key, share]) => `${key} ${formatShortPercent(share / 100)}`,
  );
  return [...sets, ...split].join(", ");
}

/** For what a step is held. */
export function holdWords({ hold: { hours, people, approval } }: Step): string {
  const holds = [
    hours ? `for ${hoursWords(hours)}` : null,
    people ? `until ${plural(people, "person", "people")} are compared` : null,
    approval ? "until somebody approves" : null,
  ].filter(Boolean);
  return holds.length > 0 ? holds.join(", and ") : "completes the ramp";
}

/** What a guardrail does, and when: "rolls back if it rises by more than 5%". */
export function guardrailWords({
  harm,
  margin,
  action,
}: Pick<Ramp["guardrails"][number], "harm" | "margin" | "action">): string {
  const verb = harm === "increase" ? "rises" : "falls";
  const by = margin > 0 ? ` by more than ${formatShortPercent(margin, 1)}` : "";
  return `${action === "roll_back" ? "rolls back" : "pauses"} if it ${verb}${by}`;
}

export const isOver = ({ status }: Pick<Ramp, "status">): boolean =>
  status !== "running" && status !== "paused";

const EVERYBODY = 100;

/** Why the step that runs compares nobody. */
export function whyNotCompared(ramp: Pick<Ramp, "before" | "steps" | "step">): string {
  const { shares, variants } = splitAt(ramp.before, ramp, ramp.step);
  const changed = [
    ...Object.entries(shares ?? {}).map(([set, share]) => [share, ramp.before.shares?.[set] ?? 0] as const),
    ...Object.entries(variants ?? {}).map(
      ([key, share]) => [share, ramp.before.variants?.[key] ?? 0] as const,
    ),
  ];
  const raised = changed.filter(([now, before]) => now > before);
  if (raised.length === 0) return "This step gives the change to nobody who did not have it before the ramp";
  return raised.every(([now]) => now === EVERYBODY)
    ? "Everybody whom this step concerns has the change, so nobody is left to compare with"
    : "Nobody is left to compare with";
}
