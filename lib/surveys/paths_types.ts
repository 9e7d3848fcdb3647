import type { Step } from "./branching.ts";

/**
 * Answers to one question that every rule treats alike.
 *
 * `key` names the class within its question: a bucket ("negative" … "promoters"), "choice:<index>",
 * "skipped" (an optional question left out), or "answered" (any answer).
 */
export type AnswerClass = {
  key: string;
  kind: "answered" | "skipped" | "bucket" | "choice" | "open_choice";
  /** In words, as a person would say it: "3 or 4 (neutral)", "Too expensive", "skipped". */
  label: string;
  /** One answer of the class: what the step function takes and a preview can play. */
  response: unknown;
  /** Under which key of responseValues rules know it; null where no rule by answer can. */
  rule_key: string | null;
};

/** Where a class of answers leads. "stuck": the rule and the answer do not fit, so it leads nowhere. */
export type Destination = Step | "stuck";

/** One edge of the survey's graph. */
export type Outcome = {
  from: number;
  answer: AnswerClass;
  to: Destination;
  /** Whether a rule says so; false where the survey just goes on with the next question. */
  ruled: boolean;
};

type ProblemCode =
  /** No answer leads out of these questions. */
  | "endless_loop"
  /** Answers can lead round and round; others lead out. */
  | "loop"
  /** Every answer leads nowhere: the kind of question has no such rule. */
  | "dead_end"
  /** A target before the first or after the last question. */
  | "target_out_of_range"
  /** A rule for an answer that this kind of question cannot have. */
  | "impossible_key"
  /** Skipping an optional rating meets a rule by rating, on which the public SDKs stop. */
  | "stuck_when_skipped"
  /** No answers lead here. */
  | "unreachable"
  /** Rules by answer, but every answer leads to the same place. */
  | "no_effect"
  /** A target that is neither an index nor "end", or a kind of rule that nobody knows: the next question follows. */
  | "ignored_rule"
  /** Two choices of one text: the second one's rule is never used. */
  | "duplicate_choice"
  /** Questions are shuffled, but rules count places. */
  | "shuffled";

/** A question as it is answered on a way through the survey. */
export type PlayStep = { question: number; answer: AnswerClass; response: unknown };

export type Problem = {
  code: ProblemCode;
  /** Errors can only be mistakes: such a survey is not launched. Warnings are told. */
  severity: "error" | "warning";
  /** Index of the question to look at first. */
  question: number;
  /** Every question that has part in it, in the order of the survey. */
  questions: number[];
  /** The key in responseValues, or the class of answers, that it is about; null where it is about all. */
  answer_key: string | null;
  /** A sentence for people; questions are counted from 1 in it. */
  message: string;
  /** Answers from the first question to the problem, ready to play; null where no answers get there. */
  counterexample: PlayStep[] | null;
  /** Of a loop: from this place on the counterexample goes round again; null otherwise. */
  repeats_from: number | null;
};

/**
 * How often each class of answers was given, by question: traffic[index][class key]. Missing classes count 0;
 * questions without traffic are answered evenly.
 */
export type Traffic = readonly (Readonly<Record<string, number>> | undefined)[];

/** Lengths of ways through the survey, in questions seen. */
export type PathLengths = {
  /** Null where no way ends. */
  shortest: number | null;
  /** Null where a way never ends, or gets stuck before any end. */
  longest: number | null;
  /** The mean, with answers as frequent as the traffic says, else all classes alike; null with a loop. */
  expected: number | null;
};

export type PathReport = {
  /** Whether every way through the survey, whatever is answered, comes to its end. */
  every_path_ends: boolean;
  /** Whether it may be launched: no problem is an error. */
  launchable: boolean;
  /** Most serious first, then in the order of the questions; at most 100. */
  problems: Problem[];
  /** How many more problems there are than are listed. */
  problems_left_out: number;
  outcomes: Outcome[];
  /** Indexes of the questions that answers can lead to. */
  reachable: number[];
  lengths: PathLengths;
};
