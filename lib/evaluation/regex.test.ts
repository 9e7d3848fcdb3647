import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRegex, LONGEST_PATTERN, LONGEST_TEXT } from "./regex.ts";
import { compileBacktracking } from "./regex_backtrack.ts";

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
    ["^(?!.*@test\\.com$)", "ann@test.com", false],
    ["(?<=@)example", "ann@example.com", true],
    ["(?<!@)example", "ann@example.com", false],
    ["(\\w)\\1", "hello", true],
    ["(?P<x>\\w)-\\k<x>", "a-b", false],
    ["a{1500}", "a".repeat(1_500), true],
  ])("%.40s searched in %.40s: %s", (pattern, text, matches) => {
    expect(compileRegex(pattern).test?.(text)).toBe(matches);
  });

  it.each([
    ["[", "The pattern is not valid"],
    ["a**", "The pattern is not valid"],
    ["(?=a", "The pattern is not valid: missing closing parenthesis"],
    ["a(?=b))", "The pattern is not valid: unmatched parenthesis"],
    ["(a)\\2", "The pattern is not valid: there is no group 2"],
    ["(?=a)(?i)b", "The pattern is not valid: unknown kind of group"],
    ["(?=a){3,2}", "The pattern is not valid: numbers out of order"],
    ["(?=[z-a])", "The pattern is not valid: range out of order"],
    [`a{1,${"9".repeat(LONGEST_PATTERN)}}`, "longer than"],
  ])("refuses %.20s: %s", (pattern, message) => {
    const regex = compileRegex(pattern);
    expect(regex.error).toContain(message);
    expect(regex.test).toBeNull();
  });

  it.each(["^(a+)+$", "^(?=(a+)+$)", "(a*)*\\1c", "(?:a|a)*(?!a)c", "((a{100}){100}){9}b"])(
    "never holds anyone up: %s",
    (pattern) => {
      const { test } = compileRegex(pattern);
      const started = performance.now();
      expect(test?.(`${"a".repeat(5_000)}b`)).not.toBe(true);
      expect(performance.now() - started).toBeLessThan(1_000);
    },
  );

  it("does not search texts beyond the limit", () => {
    expect(compileRegex("a").test?.("a".repeat(LONGEST_TEXT))).toBe(true);
    expect(compileRegex("a").test?.("a".repeat(LONGEST_TEXT + 1))).toBeNull();
  });
});

describe("searching by trying", () => {
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
    piece: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        "a",
        "b",
        ".",
        "\\d",
        "\\w",
        "\\W",
        "[ab]",
        "[^a-c]",
        "^",
        "$",
        "\\b",
        "\\B",
        "\\s",
        "-",
        "[\\d-]",
      ),
      fc
        .tuple(
          tie("pattern"),
          fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,2}?"),
        )
        .map(([inner, sign]) => `(?:${inner})${sign}`),
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
      tie("pattern").map((inner) => `(${inner})`),
      fc
        .tuple(fc.constantFrom("?=", "?!", "?<!", "?<="), tie("pattern"))
        .map(([look, inner]) => `(${look}${inner})`),
    ),
  }));

  it("agrees with the platform's engine", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom("a", "b", "c", "1", "-", " "), maxLength: 8 }),
        (source, text) => {
          const ours = compileBacktracking(source)(text);
          if (ours !== null) expect(ours, `/${source}/ in "${text}"`).toBe(new RegExp(source).test(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("agrees on references to groups before them", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.constantFrom("(a|b)\\1", "^(a+)(b*)\\1\\2$", "(?:(a)|b)*\\1b", "(a*?)b\\1$", "(?=(a+))\\1b"),
        text,
        (source, t) => {
          expect(compileBacktracking(source)(t), `/${source}/ in "${t}"`).toBe(new RegExp(source).test(t));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
