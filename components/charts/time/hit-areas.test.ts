import fc from "fast-check";
import { expect, test } from "vitest";
import { hitAreas } from "./hit-areas.ts";

test("a point alone takes everything within reach", () => {
  expect([...hitAreas([50], 12)]).toEqual([[50, { top: 38, bottom: 62 }]]);
});

test("close points share what lies between them", () => {
  expect([...hitAreas([56, 50, 100], 12)]).toEqual([
    [50, { top: 38, bottom: 53 }],
    [56, { top: 53, bottom: 68 }],
    [100, { top: 88, bottom: 112 }],
  ]);
});

test("the pointer on a point is in the area of no other height", () => {
  const heights = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(heights, (all) => {
      const areas = [...hitAreas(all, 12)];
      for (const y of all)
        expect(areas.filter(([, { top, bottom }]) => y > top && y < bottom).map(([of]) => of)).toEqual([y]);
    }),
  );
});
