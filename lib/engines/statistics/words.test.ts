import { describe, expect, it } from "vitest";
import { cupedWords } from "./cuped-words.ts";
import { differenceText, plainNumber, pValueText } from "./numbers.ts";
import type { Settings } from "./types.ts";
import {
  chanceText,
  columnText,
  cupedGainText,
  describePeeking,
  describeResult,
  evidenceText,
  methodWords,
} from "./words.ts";

const bayesian: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const fixed: Settings = { method: "frequentist", difference_type: "relative", alpha: 0.05 };
const sequential: Settings = { ...fixed, sequential: { tuning_parameter: 5000 } };

/** Percentages read alike with and without a space before the sign. */
const tight = (text: string) => text.replaceAll(/%/g, "%");

describe("numbers", () => {
  it.each([
    [0, "0"],
    [0.00012345, "0.0001"],
    [0.00005, "5.00e-5"],
    [-0.00005, "-5.00e-5"],
    [0.123456, "0.1235"],
    [1.23456, "1.23"],
    [99.999, "100"],
    [123.456, "123.5"],
    [999.96, "1,000"],
    [1234.5, "1,235"],
    [-1234.5, "-1,235"],
    [Number.NaN, "–"],
    [Number.POSITIVE_INFINITY, "–"],
  ])("%d alone reads %s", (value, text) => {
    expect(plainNumber(value)).toBe(text);
  });

  it.each([
    [2, [1, 2, 3], "2"],
    [1234, [1, 1234], "1,234"],
    [2, [0.5, 2], "2.000"],
    [-2, [0.5, -2], "−2.000"],
    [12.345, [12.345, 40.5], "12.3"],
    [123.4, [123.4, 500.5], "123"],
    [0.0123, [0.0123, 1], "0.0123"],
    [0.00123, [0.00123, 1], "0.0012"],
    [0.5, [0.00001, 0.5], "0.5"],
    [0, [0, 0.25], "0.000"],
  ])("%d in the column %j reads %s", (value, column, text) => {
    expect(columnText(value, column)).toBe(text);
  });

  it.each([
    [0.5, "50.0%"],
    [0, "0.0%"],
    [1, "100.0%"],
    [0.9991, "> 99.9%"],
    [0.999, "99.9%"],
    [0.0009, "< 0.1%"],
    [0.001, "0.1%"],
  ])("a chance of %d reads %s", (chance, text) => {
    expect(tight(chanceText(chance))).toBe(text);
  });

  it.each([
    [0, "< 0.0001"],
    [0.00009, "< 0.0001"],
    [0.0001, "0.0001"],
    [0.0999, "0.0999"],
    [0.1, "0.100"],
    [1, "1.000"],
  ])("a p value of %d reads %s", (p, text) => {
    expect(pValueText(p)).toBe(text);
  });

  it.each([
    [0.041, "relative", "number", "+4.1%"],
    [-0.041, "relative", { currency: "EUR" }, "−4.1%"],
    [0, "relative", "share", "0.0%"],
    [0.041, "absolute", "share", "+4.1 points"],
    [-1.234, "absolute", "number", "−1.23"],
    [1234, "absolute", "number", "+1,234"],
    [-1.234, "absolute", { currency: "EUR" }, "−€1.23"],
    [0.0123, "absolute", { currency: "USD" }, "+$0.0123"],
    [1234.5, "absolute", { currency: "JPY" }, "+¥1,235"],
  ] as const)("a difference of %d, %s, in %j reads %s", (value, type, unit, text) => {
    expect(tight(differenceText(value, type, 1, unit))).toBe(text);
    expect(tight(differenceText(0.12345, "relative", 2))).toBe("+12.35%");
  });

  it("says how much an interval narrowed", () => {
    expect(cupedGainText(0.75)).toBe("50.0% narrower");
    expect(cupedGainText(0)).toBe("0.0% narrower");
    expect(cupedGainText(-3)).toBe("100.0% wider");
  });
});

describe("what a method is called", () => {
  it("differs by method", () => {
    const names = [bayesian, fixed, sequential].map((settings) => {
      const { method, evidence, interval } = methodWords(settings);
      return [method, evidence, tight(interval)];
    });
    expect(names).toEqual([
      ["Bayesian", "Chance to be better", "95% credible interval"],
      ["Frequentist", "p-value", "95% confidence interval"],
      ["Frequentist, sequential", "p-value", "95% confidence sequence"],
    ]);
  });

  it("names the levels that were chosen", () => {
    const tenth = { ...fixed, alpha: 0.1 } as Settings;
    expect(tight(methodWords(tenth).interval)).toBe("90% confidence interval");
    expect(methodWords(tenth).significant).toContain("0.1");
    expect(tight(methodWords({ ...bayesian, ci_level: 0.9 } as Settings).significant)).toContain(
      "90% credible interval excludes zero",
    );
    expect(tight(methodWords({ ...sequential, alpha: 0.01 } as Settings).interval_means)).toContain("99%");
    expect(cupedWords("public_service").name).not.toBe(cupedWords("adjusted_means").name);
  });
});

describe("a result in a sentence", () => {
  const told = { effect: 0.1, interval: [0.02, 0.18], significant: true, chance_to_win: 0.97, p_value: null };
  const tests = { effect: -0.1, interval: [-0.18, 0.02], significant: false, p_value: 0.034 };

  it("says who is where, how far and how sure", () => {
    expect(tight(describeResult("test", "control", told, "increase", bayesian))).toBe(
      "test is 10.0% above control (95% credible interval +2.0% to +18.0%, chance to be better 97.0%), which is better.",
    );
    expect(tight(describeResult("test", "control", told, "decrease", bayesian))).toContain(
      "chance to be better 3.0%), which is worse.",
    );
    expect(tight(describeResult("test", "control", tests, "increase", fixed))).toBe(
      "test is 10.0% below control (95% confidence interval −18.0% to +2.0%, p 0.0340), which chance alone may explain.",
    );
    const level = { ...tests, effect: 0 };
    expect(describeResult("test", "control", level, "increase", fixed)).toMatch(
      /^test is level with control \(/,
    );
    const points = describeResult(
      "test",
      "control",
      told,
      "increase",
      { ...bayesian, difference_type: "absolute" },
      "share",
    );
    expect(points).toContain("test is 10.0 points above control");
  });

  it("shows the chance where there is one, else the p value", () => {
    expect(tight(evidenceText({ ...told, chance_to_win: 0 }, "increase"))).toBe("0.0%");
    expect(tight(evidenceText({ ...told, chance_to_win: 0 }, "decrease"))).toBe("100.0%");
    expect(evidenceText(tests, "increase")).toBe("0.0340");
    expect(evidenceText({ ...tests, p_value: null }, "increase")).toBe("–");
    expect(evidenceText({ ...tests, p_value: 0 }, "increase")).toBe("< 0.0001");
  });
});

describe("what looking did to the error rate", () => {
  it("holds the stated rate without looks and with one", () => {
    expect(describePeeking([], fixed)).toMatchObject({ distinct_looks: 0, stated: 0.05, actual: 0 });
    expect(describePeeking([], fixed).sentence).toContain("No earlier look");
    const once = describePeeking([1000, 1005], fixed);
    expect(once).toMatchObject({ distinct_looks: 1, stated: 0.05 });
    expect(once.actual).toBeCloseTo(0.05, 4);
    expect(tight(once.sentence)).toMatch(/^Read once: .* 5%\.$/);
  });

  it("grows with looks, and says what to do", () => {
    const often = describePeeking([1000, 2000, 3000], fixed);
    expect(often.distinct_looks).toBe(3);
    expect(tight(often.sentence)).toMatch(
      /^Read at 3 different amounts of data: .*10\.7%, compared with 5% .*sequential testing\.$/,
    );
    const bayes = describePeeking([1000, 2000], bayesian);
    expect(bayes.stated).toBeCloseTo(0.05, 12);
    expect(bayes.sentence).toMatch(/The chance to be better stays valid/);
    expect(describePeeking([1000], { ...bayesian, ci_level: 0.1 }).stated).toBeCloseTo(0.9, 12);
    const safe = describePeeking([1000, 2000], sequential);
    expect(tight(safe.sentence)).toMatch(/^Read at 2 .*at most 5% of experiments/);
  });
});

describe("at the edges between two ways of writing", () => {
  it.each([
    [1e-4, "0.0001"],
    [-1e-4, "-0.0001"],
    [9.9e-5, "9.90e-5"],
    [1000, "1,000"],
    [100, "100"],
    [1, "1"],
  ])("%d alone reads %s", (value, text) => expect(plainNumber(value)).toBe(text));

  it("a column's smallest number of a ten-thousandth still gives all four decimals", () => {
    expect(columnText(0.5, [1e-4, 0.5])).toBe("0.5000");
    expect(columnText(0.5, [9.9e-5, 0.5])).toBe("0.5");
    expect(columnText(0.5, [Number.NaN])).toBe("0.50");
    expect(columnText(12, [12, 3.5], { currency: "EUR" })).toBe("€12.00");
    expect(columnText(-1250.4, [-1250.4, 9000], { currency: "EUR" })).toBe("−€1,250");
    expect(columnText(0.5, [0.5, 0.004], { currency: "EUR" })).toBe("€0.5000");
    expect(columnText(Number.NaN, [1], { currency: "EUR" })).toBe("–");
  });

  it("a difference is not one of shares unless it is said", () => {
    expect(differenceText(0.041, "absolute")).toBe("+0.041");
    expect(differenceText(0.041, "absolute", 1, "share")).toBe("+4.1 points");
    const told = { effect: 0.1, interval: [0.02, 0.18], significant: true, chance_to_win: 0.97 };
    const settings: Settings = { ...bayesian, difference_type: "absolute" };
    expect(tight(describeResult("test", "control", told, "increase", settings))).toBe(
      "test is 0.1 above control (95% credible interval +0.02 to +0.18, chance to be better 97.0%), which is better.",
    );
  });

  it("CUPED's two estimators have names and say which error rate holds", () => {
    expect(cupedWords("public_service").name).toBe("PostHog's formula");
    expect(cupedWords("public_service").means).toContain("too often");
    expect(cupedWords("adjusted_means").name).toBe("Adjusted means");
    expect(cupedWords("adjusted_means").means).toContain("error rate holds");
  });
});
