import { describe, expect, it } from "vitest";
import { compileRegex, LONGEST_PATTERN, LONGEST_TEXT } from "./regex.ts";

describe("patterns", () => {
  it.each([
    ["^a.+z$", "a-z", true],
    ["caf\\u00e9", "café", true],
    ["(?i)ABC", "xabcx", true],
    ["(?<year>\\d{4})", "in 2026", true],
    ["(?P<year>\\d{4})", "in 20", false],
    ["a/b", "a/b", true],
    ["[(?=]", "=", true],
    ["\\(?=", "(=", true],
    ["", "anything", true],
  ])("%.40s searched in %.40s: %s", (pattern, text, matches) => {
    expect(compileRegex(pattern).test?.(text)).toBe(matches);
  });

  it.each([
    ["[", "The pattern is not valid"],
    ["a**", "The pattern is not valid"],
    ["(?=a)b", "Look-ahead"],
    ["^(?!.*@test\\.com$)", "Look-ahead"],
    ["(?<=@)example", "Look-behind"],
    ["(?<!@)example", "Look-behind"],
    ["(\\w)\\1", "A backreference"],
    ["(?P<x>\\w)-\\k<x>", "A backreference"],
    ["a{2000}", "The pattern is not valid"],
    [`a{1,${"9".repeat(LONGEST_PATTERN)}}`, "longer than"],
    ["a".repeat(LONGEST_PATTERN + 1), "longer than 1000 characters"],
  ])("refuses %.20s: %s", (pattern, message) => {
    const regex = compileRegex(pattern);
    expect(regex.error).toContain(message);
    expect(regex.test).toBeNull();
  });

  it.each(["^(a+)+$", "(a*)*c", "(?:a|a)*c$", "(x+x+)+y"])("never holds anyone up: %s", (pattern) => {
    const { test } = compileRegex(pattern);
    const started = performance.now();
    expect(test?.(`${"a".repeat(5_000)}b`)).not.toBe(true);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("takes patterns up to the limit, and those that expand to a few thousand steps", () => {
    const longest = "a".repeat(LONGEST_PATTERN);
    expect(compileRegex(longest).test?.(longest)).toBe(true);
    expect(compileRegex(longest).test?.(longest.slice(1))).toBe(false);
    // Each of them expands to 900 steps and a few more.
    const repeated = "(a{30}){30}";
    expect(compileRegex(repeated.repeat(5)).test?.("a".repeat(4500))).toBe(true);
    expect(compileRegex(repeated.repeat(6)).error).toContain("too many steps");
  });

  it("does not search texts beyond the limit", () => {
    expect(compileRegex("a").test?.("a".repeat(LONGEST_TEXT))).toBe(true);
    expect(compileRegex("a").test?.("a".repeat(LONGEST_TEXT + 1))).toBeNull();
  });
});
