import { expect, it } from "vitest";
import { ATTEMPTS_MAX, LIFETIME_MS, nextAttempt, outcomeOf, RETRY_DELAYS_MS } from "./retries.ts";

it("waits longer after each failed attempt, and as long as documented", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99].map(
    (failures) => (nextAttempt(failures, now).getTime() - now.getTime()) / 1_000,
  );
  expect(waits).toEqual([5, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800, 28_800]);
  expect(ATTEMPTS_MAX).toBe(RETRY_DELAYS_MS.length + 1);
  expect(LIFETIME_MS / 1_000).toBe(56_555);
});

it.each([
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [301, "away"],
  [400, "refused"],
  [401, "refused"],
  [404, "refused"],
  [408, "away"],
  [410, "gone"],
  [422, "refused"],
  [425, "away"],
  [429, "away"],
  [500, "away"],
  [503, "away"],
])("an answer %i means %s", (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});
