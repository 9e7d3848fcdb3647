import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { latestResponses } from "#lib/surveys/results/count/statistics.ts";
import { bucketOf, nextStep, rangeOf, walk } from "./branching.ts";
import type { Question } from "./question.ts";
import { summarizeRatings } from "./ratings.ts";

const anything = fc.oneof(
  fc.integer({ min: -2, max: 12 }),
  fc.constantFrom("end", "next_question", "2", null, "Yes", "Other", 1.5),
);
const rules = fc.record({
  type: fc.constantFrom("next_question", "end", "response_based", "specific_question", "strange"),
  index: anything,
  responseValues: fc.dictionary(fc.constantFrom("0", "1", "negative", "positive", "detractors"), anything),
});
const question = fc.record({
  type: fc.constantFrom("open", "link", "rating", "single_choice", "multiple_choice"),
  scale: fc.constantFrom(2, 3, 5, 7, 10, 4),
  choices: fc.constantFrom(["Yes", "No"], ["Yes", "No", "Other"]),
  hasOpenChoice: fc.boolean(),
  branching: fc.option(rules),
});

describe("branching", () => {
  it("never leaves the list of questions", () => {
    fc.assert(
      fc.property(
        fc.array(question, { minLength: 1, maxLength: 6 }),
        fc.array(anything),
        (questions, answers) => {
          const { path } = walk(questions, answers, 50);
          expect(path.every((i) => Number.isInteger(i) && i >= 0 && i < questions.length)).toBe(true);
          expect(path[0]).toBe(0);
        },
      ),
    );
  });

  it("gives up a loop at the limit", () => {
    const loop: Question[] = [{ type: "open", branching: { type: "specific_question", index: 0 } }];
    expect(walk(loop, [], 7)).toEqual({ path: [0, 0, 0, 0, 0, 0, 0], end: "limit" });
  });

  it("ends a survey without questions at once", () => {
    expect(walk([], [])).toEqual({ path: [], end: "end" });
  });

  it("follows only rules of its own, none that every object has", () => {
    const questions: Question[] = [
      {
        type: "rating",
        scale: 5,
        branching: { type: "response_based", responseValues: { positive: "end" } },
      },
      { type: "open" },
    ];
    expect(nextStep(questions, 0, 5)).toBe("end");
    expect(nextStep(questions, 0, 3)).toBe(1);
  });
});

describe("ratings", () => {
  it("puts every answer of a scale into one bucket, and no other", () => {
    for (const scale of [2, 3, 5, 7, 10]) {
      const range = rangeOf(scale);
      for (let answer = -2; answer <= 12; answer++)
        expect(bucketOf(scale, answer) !== null).toBe(
          range !== null && answer >= range.first && answer <= range.last,
        );
    }
  });

  it("counts everything that it is given, once", () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 3, 5, 7, 10), fc.array(anything), (scale, answers) => {
        const got = summarizeRatings(scale, answers);
        expect(got.total + got.ignored).toBe(answers.length);
        expect(got.histogram.reduce((a, b) => a + b, 0)).toBe(got.total);
        expect(Object.values(got.buckets).reduce((a, b) => a + b, 0)).toBe(got.total);
      }),
    );
  });

  it("rejects an undefined scale", () => {
    expect(() => summarizeRatings(4, [1])).toThrow(RangeError);
  });
});

it("a response is its latest state, of two at once the one with the greater uuid", () => {
  const at = (uuid: string, timestamp: string) => ({
    uuid,
    event: "survey sent",
    person: "p",
    timestamp,
    submission_id: "s",
  });
  const [early, late, tie] = [
    at("c", "2026-02-01T00:00:00Z"),
    at("a", "2026-02-01T00:01:00Z"),
    at("b", "2026-02-01T00:01:00Z"),
  ];
  expect(latestResponses([tie, late, early])).toEqual([tie]);
  expect(latestResponses([early, late, tie])).toEqual([tie]);
});
