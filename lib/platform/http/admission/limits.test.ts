import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { joinedSiblings } from "#testing/siblings.ts";
import { rateLimit } from "./limits.ts";

const MINUTE = 60_000;

/** How many of `attempts` calls at one moment go ahead. */
function admitted(take: ReturnType<typeof rateLimit>, caller: string, now: number, attempts: number): number {
  let count = 0;
  for (let i = 0; i < attempts; i++) if (take(caller, now) === 0) count++;
  return count;
}

describe("a limit of calls per minute", () => {
  it("admits that many at once, then says how many seconds to wait", () => {
    const take = rateLimit(3);
    expect([take("ann", 0), take("ann", 0), take("ann", 0)]).toEqual([0, 0, 0]);
    expect(take("ann", 0)).toBe(20);
    expect(take("ann", 5_000)).toBe(15);
    expect(take("ann", 5_400)).toBe(15);
    expect(take("ann", 19_999)).toBe(1);
    expect(take("ann", 20_000)).toBe(0);
    expect(take("ann", 20_000)).toBe(20);
  });

  it("never asks for less than a second", () => {
    const take = rateLimit(600_000);
    expect(admitted(take, "ann", 0, 600_001)).toBe(600_000);
    expect(take("ann", 0)).toBe(1);
  });

  it("lets nobody save up calls: after any idle time, a minute's worth go ahead", () => {
    const take = rateLimit(5);
    for (const now of [0, 10 * MINUTE, 1_000 * MINUTE]) expect(admitted(take, "ann", now, 50)).toBe(5);
  });

  it("admits as many in a minute as before when the clock is set back", () => {
    const take = rateLimit(3);
    expect(admitted(take, "ann", 100 * MINUTE, 2)).toBe(2);
    expect(admitted(take, "ann", 40 * MINUTE, 2)).toBe(1);
    expect(admitted(take, "ann", 41 * MINUTE, 5)).toBe(3);
  });

  it("counts each caller alone", () => {
    const take = rateLimit(2);
    expect(admitted(take, "ann", 0, 5)).toBe(2);
    expect(admitted(take, "bob", 0, 5)).toBe(2);
  });

  it("counts as many units as a call says, and lets a larger one than the allowance through when that is full", () => {
    const take = rateLimit(60);
    expect([take("ann", 0, 50), take("ann", 0, 20), take("ann", 0, 10)]).toEqual([0, 10, 0]);
    expect(take("bob", 0, 100)).toBe(0);
    expect([take("bob", 0), take("bob", 40_000), take("bob", 41_000)]).toEqual([41, 1, 0]);
  });

  it("is off at 0", () => {
    expect(admitted(rateLimit(0), "ann", 0, 100_000)).toBe(100_000);
  });

  it("admits at most one allowance plus what the elapsed time earns", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), pauses, (perMinute, steps) => {
        const take = rateLimit(perMinute);
        let now = 0;
        let count = admitted(take, "ann", now, 30);
        for (const step of steps) {
          now += step;
          count += admitted(take, "ann", now, 30);
        }
        expect(count).toBeLessThanOrEqual(perMinute + (now / MINUTE) * perMinute + 1e-6);
      }),
    );
  });
});

describe("a limit of processes that share a listener", () => {
  it("is one allowance for all, as soon as they have told each other", () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const [one, other] = joinedSiblings().map((siblings) => rateLimit(10, "calls", siblings));
      if (!one || !other) throw new Error("There are two.");
      expect(admitted(one, "ann", 0, 6)).toBe(6);
      vi.advanceTimersByTime(100);
      expect(admitted(other, "ann", 100, 10)).toBe(4);
      vi.advanceTimersByTime(100);
      expect(admitted(one, "ann", 200, 10)).toBe(0);
      expect(admitted(other, "bob", 200, 10)).toBe(10);
    } finally {
      vi.useRealTimers();
    }
  });

  it("gets back what both let through before they knew of each other", () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const [one, other] = joinedSiblings().map((siblings) => rateLimit(60, "calls", siblings));
      if (!one || !other) throw new Error("There are two.");
      expect([admitted(one, "ann", 0, 100), admitted(other, "ann", 0, 100)]).toEqual([60, 60]);
      vi.advanceTimersByTime(100);
      // Twice the allowance: nobody goes ahead until a minute has made up for the second.
      expect(admitted(one, "ann", MINUTE, 1)).toBe(0);
      expect(admitted(other, "ann", MINUTE + 1_500, 1)).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
