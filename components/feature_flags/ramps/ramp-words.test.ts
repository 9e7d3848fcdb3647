import { expect, test } from "vitest";
import { whyNotCompared } from "./ramp-words.ts";

const step = (split: object) => ({
  ...split,
  hold: { hours: 1, people: null, approval: false },
});
const why = (before: object, ...splits: object[]) =>
  whyNotCompared({ before, step: splits.length - 1, steps: splits.map(step) } as Parameters<
    typeof whyNotCompared
  >[0]);

test.each([
  ["a share that is lowered", { shares: { 0: 50 } }, [{ shares: { 0: 10 } }], /nobody who did not have it/],
  ["the share of before", { shares: { 0: 50 } }, [{ shares: { 0: 50 } }], /nobody who did not have it/],
  [
    "a share that is raised back",
    { shares: { 0: 50 } },
    [{ shares: { 0: 10 } }, { shares: { 0: 40 } }],
    /nobody who did not have it/,
  ],
  ["everybody", { shares: { 0: 50 } }, [{ shares: { 0: 100 } }], /^Everybody/],
  [
    "everybody of one set, while another is lowered",
    { shares: { 0: 50, 1: 20 } },
    [{ shares: { 0: 100, 1: 10 } }],
    /^Everybody whom this step concerns/,
  ],
  ["one variant alone", { variants: { a: 50, b: 50 } }, [{ variants: { a: 0, b: 100 } }], /^Everybody/],
])("it says why nobody is compared: %s", (_, before, splits, expected) => {
  expect(why(before, ...splits)).toMatch(expected);
});
