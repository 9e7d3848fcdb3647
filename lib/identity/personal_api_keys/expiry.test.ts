import { expect, it } from "vitest";
import { expiryOf, expiryState } from "./expiry.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

it.each([
  [null, "never"],
  ["2026-03-01T12:00:00Z", "expired"],
  ["2026-02-01T00:00:00Z", "expired"],
  ["2026-03-15T12:00:00Z", "soon"],
  ["2026-03-15T12:00:01Z", "later"],
])("a key that ends at %s: %s", (at, state) => {
  expect(expiryState(at, NOW)).toBe(state);
});

it.each([
  ["keep", "", undefined],
  ["never", "", null],
  ["7", "", "2026-03-08T12:00:00.000Z"],
  ["date", "", undefined],
  ["date", "2026-13-40", undefined],
] as const)("%s %s means %s", (choice, date, moment) => {
  expect(expiryOf(choice, date, NOW)).toBe(moment);
});

it("takes a day to its end", () => {
  const end = new Date(String(expiryOf("date", "2026-03-31", NOW)));
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([31, 23, 59]);
});
