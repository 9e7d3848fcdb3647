import fc from "fast-check";
import { expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

it("gives each caller a turn, and each caller's items in their order", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.push(item.charAt(0), item);
  const taken = Array.from({ length: 7 }, () => queue.take());
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", undefined]);
});

it("passes over those who may not have a turn, who keep their place", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "b1", "b2"]) queue.push(item.charAt(0), item);
  const notA = (caller: unknown) => caller !== "a";
  expect([queue.take(notA), queue.take(), queue.take(notA), queue.take()]).toEqual([
    "b1",
    "a1",
    "b2",
    undefined,
  ]);
});

it("loses nothing, and nobody waits for more than one turn of each other caller", () => {
  const arrivals = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(arrivals, (callers) => {
      const queue = createFairQueue<number>();
      for (const [i, caller] of callers.entries()) queue.push(caller, i);
      expect(queue.length).toBe(callers.length);
      const turns: number[] = [];
      for (let taken = queue.take(); taken !== undefined; taken = queue.take())
        turns.push(callers[taken] as number);
      expect(turns.toSorted()).toEqual(callers.toSorted());
      for (const caller of new Set(turns)) {
        const own = turns.flatMap((turn, i) => (turn === caller ? i : []));
        for (const [i, at] of own.entries()) expect(at - (own[i - 1] ?? -1)).toBeLessThanOrEqual(5);
      }
    }),
  );
});
