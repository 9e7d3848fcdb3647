import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, it } from "vitest";
import { everyAnswer, generatedQuestions } from "#testing/survey-questions.ts";
import { nextStep, type Step } from "./branching.ts";
import { checkPaths } from "./paths.ts";
import type { Question } from "./question.ts";
import { questionsForSdks } from "./sdk-questions.ts";

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
      const sent = questionsForSdks(questions);
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

const byAnswer = (responseValues: object) => ({ type: "response_based", responseValues });

it.each<[string, Question[], Question[]]>([
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
  [
    "a target past the last question",
    [{ type: "open", branching: { type: "specific_question", index: 5 } }, { type: "open" }],
    [{ type: "open", branching: { type: "end" } }, { type: "open" }],
  ],
  [
    "no target that is called the end, but before the last question leads to the next one",
    [{ type: "open", branching: { type: "specific_question", index: "end" } }, { type: "open" }],
    [{ type: "open", branching: { type: "specific_question", index: "end" } }, { type: "open" }],
  ],
  [
    "a target that is called the end, on the last question",
    [{ type: "open", branching: { type: "specific_question", index: "end" } }],
    [{ type: "open", branching: { type: "end" } }],
  ],
  [
    "no question of a rule that ends it already, nor one without a rule",
    [{ branching: { type: "end", more: 1 } }, { branching: { type: "end", more: 1 } }],
    [{ branching: { type: "end", more: 1 } }, { branching: { type: "end", more: 1 } }],
  ],
  [
    "no next question before the last one",
    [{ branching: { type: "next_question" } }, { type: "open" }],
    [{ branching: { type: "next_question" } }, { type: "open" }],
  ],
  [
    "no last question that leads back",
    [{ type: "open" }, { branching: { type: "specific_question", index: 0 } }],
    [{ type: "open" }, { branching: { type: "specific_question", index: 0 } }],
  ],
  [
    "rules by answer of a text, on the last question",
    [{ type: "open", branching: { type: "response_based", responseValues: { 0: 0 } } }],
    [{ type: "open", branching: { type: "end" } }],
  ],
  [
    "rules by answer of a text before the last question in no way",
    [{ type: "open", branching: { type: "response_based", responseValues: {} } }, { type: "open" }],
    [{ type: "open", branching: { type: "response_based", responseValues: {} } }, { type: "open" }],
  ],
  [
    "rules that never end by no change",
    [{ type: "single_choice", choices: ["A", "B"], branching: byAnswer({ 0: 0 }) }, { type: "open" }],
    [{ type: "single_choice", choices: ["A", "B"], branching: byAnswer({ 0: 0 }) }, { type: "open" }],
  ],
  [
    "an optional choice that ends when skipped, as the choice before the first one",
    [{ type: "single_choice", choices: ["A", "B"], optional: true, branching: byAnswer({ 0: 0 }) }],
    [
      {
        type: "single_choice",
        choices: ["A", "B"],
        optional: true,
        branching: byAnswer({ 0: 0, 1: "end", "-1": "end" }),
      },
    ],
  ],
  [
    "an optional choice that goes on when skipped, without a word of that",
    [
      { type: "single_choice", choices: ["A", "B"], optional: true, branching: byAnswer({ 0: "end" }) },
      { type: "open" },
    ],
    [
      {
        type: "single_choice",
        choices: ["A", "B"],
        optional: true,
        branching: byAnswer({ 0: "end", 1: 1 }),
      },
      { type: "open" },
    ],
  ],
  [
    "an optional choice with an open one, which is what a skipped answer counts as",
    [
      {
        type: "single_choice",
        choices: ["A", "Other"],
        hasOpenChoice: true,
        optional: true,
        branching: byAnswer({ 0: 0 }),
      },
    ],
    [
      {
        type: "single_choice",
        choices: ["A", "Other"],
        hasOpenChoice: true,
        optional: true,
        branching: byAnswer({ 0: 0, 1: "end" }),
      },
    ],
  ],
  [
    "rules that lead some answers nowhere without these",
    [{ type: "rating", scale: 2, branching: byAnswer({ positive: -1, negative: "end" }) }, { type: "open" }],
    [{ type: "rating", scale: 2, branching: byAnswer({ negative: "end" }) }, { type: "open" }],
  ],
  [
    "an optional rating that can end, as one that must be answered",
    [{ type: "rating", scale: 2, optional: true, branching: byAnswer({ positive: 1 }) }],
    [
      {
        type: "rating",
        scale: 2,
        optional: false,
        branching: byAnswer({ positive: "end", negative: "end" }),
      },
    ],
  ],
])("settles %s", (_, questions, expected) => {
  expect(questionsForSdks(questions)).toEqual(expected);
});
