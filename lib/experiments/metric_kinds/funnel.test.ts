import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hitAt } from "#testing/experiment-plans.ts";
import { countOrderedSteps, countUnorderedSteps } from "./funnel.ts";
import type { Span } from "./kind.ts";

/** Steps against trying out every choice of events. */

type Happened = { at: number; position: number; steps: number[] };

const happened = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 6 }),
      steps: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    }),
    { maxLength: 8 },
  )
  .map((list) => list.toSorted((a, b) => a.at - b.at).map((one, position) => ({ ...one, position })));

const input = fc.record({
  events: happened,
  count: fc.integer({ min: 1, max: 4 }),
  from: fc.integer({ min: 0, max: 4 }),
  length: fc.integer({ min: 0, max: 7 }),
});

const hitsOf = (events: Happened[], count: number) =>
  Array.from({ length: count }, (_, step) =>
    events.filter(({ steps }) => steps.includes(step)).map(({ at, position }) => hitAt(at, { position })),
  );

const inSpan = (events: Happened[], { from, to }: Span) => events.filter(({ at }) => at >= from && at < to);

function deepest(events: Happened[], count: number, step = 0): number {
  if (step === count) return 0;
  return Math.max(
    0,
    ...events.flatMap((event, i) =>
      event.steps.includes(step) ? [1 + deepest(events.slice(i + 1), count, step + 1)] : [],
    ),
  );
}

function matched(events: Happened[], count: number, step = 0): number {
  if (step === count) return 0;
  const choices = events.flatMap((event, i) =>
    event.steps.includes(step) ? [1 + matched(events.toSpliced(i, 1), count, step + 1)] : [],
  );
  return Math.max(matched(events, count, step + 1), ...choices);
}

describe("steps of a funnel", () => {
  it("are taken one after the other, each by a later event, as far as any choice of events gets", () => {
    fc.assert(
      fc.property(input, ({ events, count, from, length }) => {
        const span = { from, to: from + length };
        expect(countOrderedSteps(hitsOf(events, count), span)).toBe(deepest(inSpan(events, span), count));
      }),
      { numRuns: 500 },
    );
  });

  it("are taken in any order, each by an event of its own, as many as any choice of events reaches", () => {
    fc.assert(
      fc.property(input, ({ events, count, from, length }) => {
        const span = { from, to: from + length };
        expect(countUnorderedSteps(hitsOf(events, count), span)).toBe(matched(inSpan(events, span), count));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    { name: "an event where the span begins", steps: [[10]], taken: 1 },
    { name: "no event before it", steps: [[9]], taken: 0 },
    { name: "no event where it ends", steps: [[20]], taken: 0 },
    { name: "the last event before its end", steps: [[19]], taken: 1 },
    { name: "no step that comes before the one ahead of it", steps: [[12], [11]], taken: 1 },
    { name: "no step after one that is missing", steps: [[12], [], [13]], taken: 1 },
    { name: "all steps", steps: [[10], [11], [12]], taken: 3 },
  ])("in order count $name", ({ steps, taken }) => {
    const hits = steps.map((moments) => moments.map((at) => hitAt(at)));
    expect(countOrderedSteps(hits, { from: 10, to: 20 })).toBe(taken);
  });

  it("in any order leave an event to the step that has no other", () => {
    const [first, second] = [hitAt(10), hitAt(11)];
    expect(countUnorderedSteps([[first, second], [first]], { from: 10, to: 20 })).toBe(2);
    expect(countUnorderedSteps([[first], [first]], { from: 10, to: 20 })).toBe(1);
  });
});
