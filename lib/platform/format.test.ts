import { describe, expect, it } from "vitest";
import { formatDuration } from "./format.ts";

describe("a duration", () => {
  it.each([
    [0, "0 s"],
    [0.1, "0.1 s"],
    [15, "15 s"],
    [16.7, "16.7 s"],
    [16.75, "16.8 s"],
    [59.9, "59.9 s"],
    [59.95, "1 min"],
    [60, "1 min"],
    [60.5, "1 min 1 s"],
    [86.4, "1 min 26 s"],
    [119.5, "2 min"],
    [3_599.4, "59 min 59 s"],
    [3_599.5, "1 h"],
    [7_500, "2 h 5 min"],
    [86_369, "23 h 59 min"],
    [86_370, "1 d"],
    [90_000, "1 d 1 h"],
    [86_400 * 1_500, "1,500 d"],
  ])("of %d seconds is %s", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
