import { z } from "zod";
import { sentQuestions } from "./questions-schema.ts";

const index = z.number().int().min(0);

const answerClass = z
  .object({
    key: z
      .string()
      .meta({ description: "Unique within the question: a bucket, choice:<index>, skipped or answered." }),
    kind: z.enum(["answered", "skipped", "bucket", "choice", "open_choice"]),
    label: z.string().meta({ description: "A description." }),
    response: z.unknown().meta({ description: "A sample answer of the class." }),
    rule_key: z
      .string()
      .nullable()
      .meta({ description: "Its key in responseValues; null if no rule can name it." }),
  })
  .meta({ id: "SurveyAnswerClass", description: "Answers to one question that all rules treat alike." });

const outcome = z
  .object({
    from: index.meta({ description: "Index of the question." }),
    answer: answerClass,
    to: z
      .union([index, z.enum(["end", "stuck"])])
      .meta({ description: "Index of the next question, end, or stuck if no rule fits the answer." }),
    ruled: z
      .boolean()
      .meta({ description: "Whether a rule says so; otherwise the next question follows by default." }),
  })
  .meta({ id: "SurveyOutcome", description: "Where a class of answers leads." });

const problem = z
  .object({
    code: z.enum([
      "endless_loop",
      "loop",
      "dead_end",
      "target_out_of_range",
      "impossible_key",
      "stuck_when_skipped",
      "unreachable",
      "no_effect",
      "ignored_rule",
      "duplicate_choice",
      "shuffled",
    ]),
    severity: z.enum(["error", "warning"]).meta({ description: "A survey with errors cannot be launched." }),
    question: index.meta({ description: "Index of the question to look at first." }),
    questions: z.array(index).meta({ description: "Every question involved." }),
    answer_key: z.string().nullable().meta({ description: "The key or answer class concerned." }),
    message: z.string(),
    counterexample: z
      .array(z.object({ question: index, answer: answerClass, response: z.unknown() }))
      .nullable()
      .meta({ description: "Answers from the first question to the problem; null if none lead there." }),
    repeats_from: index.nullable().meta({ description: "Where the answers of a loop start to repeat." }),
  })
  .meta({ id: "SurveyProblem" });

const length = z.number().nullable();

/** See lib/engines/branching/paths-types.ts for the types of the engine. */
export const pathReport = z
  .object({
    every_path_ends: z.boolean().meta({ description: "Whether every path ends." }),
    launchable: z.boolean().meta({ description: "Whether no problem is an error." }),
    problems: z.array(problem).meta({ description: "Errors first; at most 100." }),
    problems_left_out: z.number().int(),
    outcomes: z.array(outcome),
    reachable: z.array(index).meta({ description: "Indexes of questions that answers can lead to." }),
    lengths: z.object({ shortest: length, longest: length, expected: length }).meta({
      description: "In questions seen; expected: all answer classes equally likely; null with a loop.",
    }),
  })
  .meta({ id: "SurveyCheck", description: "What the branching of a survey does for all possible answers." });

export const questionsToCheck = z
  .object({
    questions: sentQuestions.nullable(),
    appearance: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .meta({ description: "Read for shuffleQuestions." }),
  })
  .meta({ id: "SurveyCheckRequest", description: "Questions, stored or not." });

export const questionsToPreview = z
  .object({ questions: sentQuestions.nullable() })
  .meta({ id: "SurveyEditPreview", description: "Questions as a PATCH would send them." });
