import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undecidableFlags } from "./dependencies.ts";

const refused = (asks: readonly (readonly number[])[]) =>
  [...undecidableFlags(asks.map((list) => new Set(list)))].sort((a, b) => a - b);

describe("flags that can never be decided", () => {
  it.each([
    [[], []],
    [[[]], []],
    [[[0]], [0]],
    [[[1], []], []],
    [
      [[1], [0]],
      [0, 1],
    ],
    // What leads into a circle sees its flags as off.
    [
      [[1], [2], [1]],
      [1, 2],
    ],
    [[[-1], [0]], []],
    [[[1, 2], [3], [3], []], []],
    // Two circles that share a flag.
    [
      [[1, 2], [0], [0]],
      [0, 1, 2],
    ],
  ])("of %j: %j", (asks, expected) => {
    expect(refused(asks)).toEqual(expected);
  });

  it("depend on a chain of more than 200 flags", () => {
    const chain = (length: number) => Array.from({ length }, (_, i) => (i === 0 ? [] : [i - 1]));
    expect(refused(chain(201))).toEqual([]);
    expect(refused(chain(202))).toEqual([201]);
    // It is seen as off, so that flags above it count from there.
    expect(refused(chain(450))).toEqual([201, 402]);
  });

  it("are all that can reach themselves and no others, where chains are short", () => {
    const flags = fc.array(fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 2 }), {
      minLength: 6,
      maxLength: 6,
    });
    fc.assert(
      fc.property(flags, (asks) => {
        const seen = refused(asks);
        const reach = (from: number) => {
          const found = new Set<number>();
          const open = [from];
          for (let next = open.pop(); next !== undefined; next = open.pop())
            for (const flag of asks[next] ?? [])
              if (flag !== -1 && !found.has(flag)) {
                found.add(flag);
                open.push(flag);
              }
          return found;
        };
        for (const flag of seen) expect(reach(flag).has(flag)).toBe(true);
        // Of every circle at least one flag is refused, so that none is left to go round in.
        const left = asks.map((list, i) =>
          seen.includes(i) ? [] : list.filter((next) => !seen.includes(next)),
        );
        expect(refused(left)).toEqual([]);
      }),
    );
  });
});
