import type { Step } from "./question.ts";

/**
 * Answers to one question that all rules treat alike.
 *
 * `key` names the class within its question: a bucket ("negative" … "promoters"), "choice:<index>",
 * "skipped" (an optional question left out), or "answered" (any answer).
 */
export type AnswerClass = {
  key: string;
  kind: "answered" | "skipped" | "bucket" | "choice" | "open_choice";
  /** In words: "3 or 4 (neutral)", "Too expensive", "skipped". */
  label: string;
  /** A sample answer of the class, for `nextStep` and the preview. */
  response: unknown;
  /** Its key in responseValues; null if no rule can name it. */
  rule_key: string | null;
};

/** Where a class of answers leads. "stuck": the rule does not fit the answer. */
export type Destination = Step | "stuck";

/** One edge of the survey's graph. */
export type Outcome = {
  from: number;
  answer: AnswerClass;
  to: Destination;
  /** Whether a rule says so; false if the next question follows by default. */
  ruled: boolean;
};

type ProblemCode =
  /** A loop without exit. */
  | "endless_loop"
  /** A loop with exits. */
  | "loop"
  /** Every answer leads nowhere: the question type does not support the rule. */
  | "dead_end"
  /** A target before the first or after the last question. */
  | "target_out_of_range"
  /** A rule for an answer that the question cannot have. */
  | "impossible_key"
  /** Skipping an optional rating meets a rule by rating, on which the public SDKs stop. */
  | "stuck_when_skipped"
  /** No answers lead here. */
  | "unreachable"
  /** Rules by answer that all lead to the same place. */
  | "no_effect"
  /** An invalid target or an unknown rule type: the next question follows. */
  | "ignored_rule"
  /** Two choices with the same text: the second one's rule is never used. */
  | "duplicate_choice"
  /** Questions are shuffled, but rules depend on their order. */
  | "shuffled";

/** A question as it is answered on a path through the survey. */
export type PlayStep = { question: number; answer: AnswerClass; response: unknown };

export type Problem = {
  code: ProblemCode;
  /** Errors prevent a launch; warnings are only reported. */
  severity: "error" | "warning";
  /** Index of the question to look at first. */
  question: number;
  /** All questions involved, in order. */
  questions: number[];
  /** The key in responseValues, or the answer class, concerned; null if all are. */
  answer_key: string | null;
  /** A message; questions are counted from 1. */
  message: string;
  /** Answers from the first question to the problem, ready to play; null if no answers get there. */
  counterexample: PlayStep[] | null;
  /** For a loop: the place from which the counterexample repeats; null otherwise. */
  repeats_from: number | null;
};

/**
 * How often each class of answers was given, by question: traffic[index][class key]. Missing classes count 0;
 * questions without traffic are answered evenly.
 */
export type Traffic = readonly (Readonly<Record<string, number>> | undefined)[];

/** Lengths of paths, in questions. */
export type PathLengths = {
  /** Null if no path ends. */
  shortest: number | null;
  /** Null if some path never ends or gets stuck. */
  longest: number | null;
  /** The mean, weighted by traffic if given, else all classes equally; null with a loop. */
  expected: number | null;
};

export type PathReport = {
  /** Whether every path ends. */
  every_path_ends: boolean;
  /** Whether it can be launched: there are no errors. */
  launchable: boolean;
  /** Most serious first, then in the order of the questions; at most 100. */
  problems: Problem[];
  /** Number of problems that are not listed. */
  problems_left_out: number;
  outcomes: Outcome[];
  /** Indexes of the questions that answers can lead to. */
  reachable: number[];
  lengths: PathLengths;
};
