import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type BranchingQuestion, nextStep, type Step } from "./branching.ts";
import { checkPaths } from "./paths.ts";
import { everyAnswer, generatedQuestions } from "./questions.testing.ts";
import { settledQuestions } from "./settled.ts";

type GetNextSurveyStep = (
  survey: { questions: unknown[] },
  index: number,
  response: unknown,
) => number | "end";

/** posthog-js's own function; it is not part of its public types. */
const { getNextSurveyStep } = createRequire(import.meta.url)(
  "posthog-js/lib/src/utils/survey-branching.js",
) as { getNextSurveyStep: GetNextSurveyStep };

it("posthog-js goes the way that the survey means, for every answer", () => {
  let compared = 0;
  fc.assert(
    fc.property(generatedQuestions, (questions) => {
      const dead = checkPaths(questions).problems.some(({ code }) => code === "dead_end");
      const sent = settledQuestions(questions);
      expect(sent.map(({ type, choices }) => [type, choices])).toEqual(
        questions.map(({ type, choices }) => [type, choices]),
      );
      const received = JSON.parse(JSON.stringify(sent));
      sent.forEach((question, index) => {
        for (const answer of everyAnswer(question)) {
          let meant: Step;
          try {
            meant = nextStep(questions, index, answer);
          } catch {
            // A target before the first question, or rules on a scale that has no buckets: never launched.
            continue;
          }
          if (dead) continue;
          compared += 1;
          expect(getNextSurveyStep({ questions: received }, index, answer)).toBe(meant);
        }
      });
    }),
    { numRuns: 2_000 },
  );
  expect(compared).toBeGreaterThan(5_000);
});

it.each<[string, BranchingQuestion[], BranchingQuestion[]]>([
  [
    "a next question after the last one",
    [{ type: "open", branching: { type: "next_question" } }],
    [{ type: "open", branching: { type: "end" } }],
  ],
  [
    "answers without a rule on the last one",
    [{ type: "rating", scale: 3, branching: { type: "response_based", responseValues: { negative: 0 } } }],
    [
      {
        type: "rating",
        scale: 3,
        branching: {
          type: "response_based",
          responseValues: { negative: 0, neutral: "end", positive: "end" },
        },
      },
    ],
  ],
  [
    "an optional rating with rules",
    [
      {
        type: "rating",
        scale: 3,
        optional: true,
        branching: { type: "response_based", responseValues: { negative: 1 } },
      },
      { type: "open" },
    ],
    [
      {
        type: "rating",
        scale: 3,
        optional: false,
        branching: { type: "response_based", responseValues: { negative: 1 } },
      },
      { type: "open" },
    ],
  ],
  ["what needs no change", [{ type: "open" }, { type: "open" }], [{ type: "open" }, { type: "open" }]],
])("settles %s", (_, questions, expected) => {
  expect(settledQuestions(questions)).toEqual(expected);
});
