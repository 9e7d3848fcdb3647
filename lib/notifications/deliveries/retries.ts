const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How long to wait after each failed attempt, in milliseconds; see docs/notifications.md. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
];

export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

/** A message that has waited longer than all delays together is given up when it fails. */
export const LIFETIME_MS = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);

/** When to try again after a number of failed attempts. */
export function nextAttempt(failures: number, now: Date): Date {
  const last = RETRY_DELAYS_MS.length - 1;
  const delay = RETRY_DELAYS_MS[Math.min(Math.max(failures, 1) - 1, last)] ?? 0;
  return new Date(now.getTime() + delay);
}

/**
 * What an answer means: it arrived; this message was refused while others may be taken; nobody takes messages now; or
 * the receiver wants none any more.
 */
export type Outcome = "delivered" | "refused" | "away" | "gone";

const GONE = 410;
/** Answers of the 400s that say nothing about the message. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return "delivered";
  if (status === GONE) return "gone";
  return status >= 400 && status < 500 && !LATER.has(status) ? "refused" : "away";
}
