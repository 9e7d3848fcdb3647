import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomFrom } from "./random.ts";

const WORD = 1n << 32n;

/** sfc32 as published, in whole numbers of any size. */
function sfc32(seed: number): () => number {
  let [a, b, c, counter] = [BigInt.asUintN(32, BigInt(seed)), 0x9e3779b9n, 0x243f6a88n, 1n];
  const next = () => {
    const result = (a + b + counter) % WORD;
    counter = (counter + 1n) % WORD;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) % WORD;
    c = ((((c << 21n) | (c >> 11n)) % WORD) + result) % WORD;
    return Number(result) / Number(WORD);
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

const times = <T>(n: number, of: () => T): T[] => Array.from({ length: n }, of);

describe("uniform numbers", () => {
  it("are those of sfc32 after fifteen rounds", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(times(40, randomFrom(seed).uniform)).toEqual(times(40, sfc32(seed)));
      }),
    );
  });

  it("fill the unit interval evenly, 1 excluded", () => {
    const { uniform } = randomFrom(11);
    const bins = new Array<number>(10).fill(0);
    for (const value of times(50_000, uniform)) {
      expect(value >= 0 && value < 1).toBe(true);
      bins[Math.floor(value * 10)] = (bins[Math.floor(value * 10)] ?? 0) + 1;
    }
    const chiSquare = bins.reduce((sum, count) => sum + (count - 5000) ** 2 / 5000, 0);
    // 27.9 is exceeded once in a thousand with nine degrees of freedom.
    expect(chiSquare).toBeLessThan(27.9);
  });
});

describe("normal numbers", () => {
  it("come in pairs from a point of the unit disc (Marsaglia)", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [{ normal }, { uniform }] = [randomFrom(seed), randomFrom(seed)];
        for (let pair = 0; pair < 5; pair++) {
          let [x, y, square] = [1, 1, 2];
          while (square >= 1) {
            [x, y] = [2 * uniform() - 1, 2 * uniform() - 1];
            square = x * x + y * y;
          }
          const scale = Math.sqrt((-2 * Math.log(square)) / square);
          expect([normal(), normal()]).toEqual([x * scale, y * scale]);
        }
      }),
    );
  });

  it("have a normal's share within one, two and three", () => {
    const draws = times(40_000, randomFrom(9).normal);
    for (const [limit, share] of [
      [1, 0.6827],
      [2, 0.9545],
      [3, 0.9973],
    ] as const) {
      const got = draws.filter((z) => Math.abs(z) < limit).length / draws.length;
      expect(Math.abs(got - share)).toBeLessThan(0.01);
    }
  });
});
