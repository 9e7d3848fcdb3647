import { expect, it } from "vitest";
import { stateOf, statusOf } from "./status.ts";

const on = { active: true };
const off = { active: false };

it.each([
  [false, false, on, "draft"],
  [false, true, off, "draft"],
  [true, false, on, "running"],
  [true, false, off, "paused"],
  [true, false, undefined, "running"],
  [true, true, on, "stopped"],
  [true, true, off, "stopped"],
] as const)("started: %s, ended: %s, flag: %j is %s", (started, ended, flag, status) => {
  expect(stateOf({ started, ended }, flag)).toBe(status);
  const date = (is: boolean) => (is ? new Date("2026-01-05T00:00:00Z") : null);
  expect(statusOf({ start_date: date(started), end_date: date(ended) }, flag)).toBe(status);
});
