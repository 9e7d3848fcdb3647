import { type BranchingQuestion, rulesOf } from "./branching.ts";
import { answersTo, distancesToEnd, type Graph, roundTrip, type Ways } from "./paths_graph.ts";
import type { AnswerClass, Outcome, PlayStep, Problem } from "./paths_types.ts";

type Json = Record<string, unknown>;
type Play = Pick<Problem, "counterexample" | "repeats_from">;

/** A problem whose counterexample is worked out when it is wanted. */
export type Finding = Omit<Problem, keyof Play> & { play: () => Play };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NAMED_MAX = 8;

/** Questions as people count them: "question 2", "questions 2, 4 and 5". */
function named(questions: readonly number[]): string {
  const numbers = questions.slice(0, NAMED_MAX).map((index) => String(index + 1));
  const rest = questions.length - numbers.length;
  const last = rest > 0 ? `${rest} more` : (numbers.pop() ?? "");
  return numbers.length === 0 ? `question ${last}` : `questions ${numbers.join(", ")} and ${last}`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Loops that answers can get into; worse where no answer leads out again. */
export function loopProblems(graph: Graph, loops: readonly number[][], ways: Ways): Finding[] {
  const distances = distancesToEnd(graph);
  const nearest = [...ways.arrivals.keys()];
  return loops.map((questions) => {
    const members = new Set(questions);
    const entry = nearest.find((question) => members.has(question)) ?? questions[0] ?? 0;
    const endless = !distances.has(entry);
    const play = (): Play => {
      const before = answersTo(ways, entry) ?? [];
      return {
        counterexample: [...before, ...roundTrip(graph, entry, questions)],
        repeats_from: before.length,
      };
    };
    return {
      code: endless ? "endless_loop" : "loop",
      severity: "error",
      question: entry,
      questions,
      answer_key: null,
      message: endless
        ? `${sentence(named(questions))} never ${questions.length > 1 ? "come" : "comes"} to an end, whatever is answered.`
        : `Answers can lead around ${named(questions)} for ever.`,
      play,
    };
  });
}

/** One question with what is known of it. */
type Place = {
  question: BranchingQuestion;
  index: number;
  size: number;
  outcomes: readonly Outcome[];
  ways: Ways;
};

type Told = Pick<Problem, "code" | "severity" | "message"> & {
  answer?: AnswerClass | undefined;
  key?: string;
};

function finding({ index, ways }: Place, told: Told): Finding {
  const { code, severity, message, answer } = told;
  const play = (): Play => {
    const before = answersTo(ways, index);
    const step: PlayStep[] = answer ? [{ question: index, answer, response: answer.response }] : [];
    return { counterexample: before && [...before, ...step], repeats_from: null };
  };
  const answer_key = told.key ?? answer?.key ?? null;
  return { code, severity, question: index, questions: [index], answer_key, message, play };
}

const KINDS = new Set<unknown>([
  "next_question",
  "end",
  "specific_question",
  "response_based",
  undefined,
  null,
  "",
]);

/** A target that is not one, in words; null for a good one. */
function targetProblem(place: Place, target: unknown): Pick<Told, "code" | "severity" | "message"> | null {
  const here = `Question ${place.index + 1}`;
  if (typeof target === "number" && Number.isInteger(target)) {
    if (target >= 0 && target < place.size) return null;
    const message = `${here} leads to question ${target + 1}, and there are ${place.size}.`;
    return { code: "target_out_of_range", severity: "error", message };
  }
  const message = `${here} has a target that is no question and not the end: the next question follows.`;
  return { code: "ignored_rule", severity: "warning", message };
}

const isTarget = (target: unknown) =>
  target !== "end" && target !== "next_question" && target !== null && target !== undefined;

/** The keys that a question's rules may have, in words; empty where that says nothing or too much. */
function possibleKeys({ outcomes }: Place): string {
  const keys = outcomes.map(({ answer }) => answer.rule_key).filter((key) => key !== null);
  return keys.length > 0 && keys.length <= NAMED_MAX ? ` It has: ${keys.join(", ")}.` : "";
}

/** A key that names no answer of the question. */
function keyProblem(place: Place, key: string): Told {
  const { question, index } = place;
  const choices =
    question.type === "single_choice" && Array.isArray(question.choices) ? question.choices : [];
  if (/^(0|[1-9]\d*)$/.test(key) && Number(key) < choices.length)
    return {
      code: "duplicate_choice",
      severity: "warning",
      key,
      message: `Question ${index + 1} has the choice ${JSON.stringify(choices[Number(key)])} twice: the rule of the second one is never used.`,
    };
  return {
    code: "impossible_key",
    severity: "error",
    key,
    message: `Question ${index + 1} has a rule for ${JSON.stringify(key.slice(0, 100))}, which is none of its answers.${possibleKeys(place)}`,
  };
}

function responseProblems(place: Place): Finding[] {
  const { question, index, outcomes } = place;
  const values = rulesOf(question).responseValues;
  const found: Finding[] = [];
  const known = new Map(outcomes.map((outcome) => [outcome.answer.rule_key, outcome.answer]));
  for (const [key, target] of Object.entries(isObject(values) ? values : {})) {
    if (!known.has(key)) found.push(finding(place, keyProblem(place, key)));
    else if (isTarget(target)) {
      const told = targetProblem(place, target);
      if (told) found.push(finding(place, { ...told, answer: known.get(key), key }));
    }
  }
  const [first] = outcomes;
  const leads = new Set(outcomes.map(({ to }) => to));
  if (leads.size === 1 && first?.to !== "stuck")
    found.push(
      finding(place, {
        code: "no_effect",
        severity: "warning",
        message: `Question ${index + 1} has rules by answer, but every answer leads ${first?.to === "end" ? "to the end" : `to question ${Number(first?.to) + 1}`}.`,
      }),
    );
  return found;
}

/** Answers that no rule can place. A target before the first question is told as such. */
function stuckProblems(place: Place): Finding[] {
  const { question, index, outcomes } = place;
  const { type } = rulesOf(question);
  const skipped = outcomes.find(({ answer, to }) => answer.kind === "skipped" && to === "stuck");
  const answered = outcomes.filter(({ answer }) => answer.kind !== "skipped");
  if (
    type === "response_based" &&
    answered.every(({ answer, to }) => to === "stuck" && answer.rule_key === null)
  ) {
    const lacks = question.type === "rating" ? "a scale that rules know" : "choices";
    const message = `Question ${index + 1} has rules by answer, but not ${lacks}: it leads nowhere.`;
    return [finding(place, { code: "dead_end", severity: "error", message, answer: answered[0]?.answer })];
  }
  if (!skipped) return [];
  const message = `Question ${index + 1} may be skipped, but its rules know no skipped answer: public SDKs get it as one that must be answered.`;
  return [
    finding(place, { code: "stuck_when_skipped", severity: "warning", message, answer: skipped.answer }),
  ];
}

function problemsOf(place: Place): Finding[] {
  const { question, index, outcomes, ways } = place;
  const { type, index: target } = rulesOf(question);
  const found = stuckProblems(place);
  if (!ways.arrivals.has(index)) {
    const message = `No answers lead to question ${index + 1}.`;
    found.push(finding(place, { code: "unreachable", severity: "warning", message }));
  }
  if (type === "response_based") return [...found, ...responseProblems(place)];
  const { branching } = question;
  const unknown = branching !== undefined && branching !== null && (!isObject(branching) || !KINDS.has(type));
  if (unknown) {
    const message = `Question ${index + 1} has a rule of a kind that nobody knows: the next question follows.`;
    found.push(finding(place, { code: "ignored_rule", severity: "warning", message }));
  }
  const told = type === "specific_question" ? targetProblem(place, target) : null;
  return told ? [...found, finding(place, { ...told, answer: outcomes[0]?.answer })] : found;
}

/** What is wrong with each question's rules, and which questions are never asked. */
export function questionProblems(
  questions: readonly BranchingQuestion[],
  outcomes: readonly Outcome[],
  ways: Ways,
  shuffled: boolean,
): Finding[] {
  const byQuestion = Array.from({ length: questions.length }, () => [] as Outcome[]);
  for (const outcome of outcomes) byQuestion[outcome.from]?.push(outcome);
  const places = questions.map((question, index) => ({
    question,
    index,
    size: questions.length,
    outcomes: byQuestion[index] ?? [],
    ways,
  }));
  const found = places.flatMap(problemsOf);
  const ruled = places.find(
    ({ question }) => (rulesOf(question).type ?? "next_question") !== "next_question",
  );
  if (shuffled && ruled) {
    const message = "Questions are shuffled, but the rules count their places: turn one of the two off.";
    found.push(finding(ruled, { code: "shuffled", severity: "warning", message }));
  }
  return found;
}
