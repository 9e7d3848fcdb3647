import fc from "fast-check";
import { rangeOf } from "#lib/engines/branching/branching.ts";
import type { Question } from "#lib/engines/branching/question.ts";

const target = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 3, arbitrary: fc.constant("end") },
  fc.constantFrom(-1, 9, "1", 0.5, null),
);
const rule = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.record({ type: fc.constant("end") }),
  fc.record({ type: fc.constant("specific_question"), index: target }),
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("response_based"),
      responseValues: fc.dictionary(
        fc.constantFrom("0", "1", "2", "negative", "neutral", "positive", "detractors", "promoters"),
        target,
      ),
    }),
  },
);
/** Short surveys with rules of every kind, sensible and not. */
export const generatedQuestions: fc.Arbitrary<Question[]> = fc.array(
  fc.record({
    type: fc.constantFrom("open", "rating", "single_choice", "multiple_choice"),
    scale: fc.constantFrom(2, 3, 5, 7, 10, 4),
    choices: fc.constantFrom(["Yes", "No"], ["A", "B", "Other"], ["A", "A"], []),
    hasOpenChoice: fc.boolean(),
    optional: fc.boolean(),
    branching: rule,
  }),
  { minLength: 1, maxLength: 5 },
);

/** Every single answer that a respondent can give. */
export function everyAnswer(question: Question): unknown[] {
  const choices = question.choices as string[];
  const skipped = question.optional ? [null] : [];
  const range = rangeOf(question.scale) ?? { first: 0, last: 10 };
  if (question.type === "rating")
    return [...Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i), ...skipped];
  if (question.type === "single_choice") {
    const typed = question.hasOpenChoice || choices.length === 0 ? ["mine"] : [];
    const listed = question.hasOpenChoice ? choices.slice(0, -1) : choices;
    return [...listed, ...typed, ...skipped];
  }
  return question.type === "multiple_choice" ? [[], ["A"], ...skipped] : ["text", ...skipped];
}
