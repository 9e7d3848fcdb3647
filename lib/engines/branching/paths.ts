import { isObject } from "#lib/engines/json.ts";
/**
 * Checks the branching of a survey exhaustively. Rules distinguish only classes of answers, so a graph with
 * an edge per class covers every answer. The cost is linear in the number of edges. Pure functions: the
 * builder, the API and the results run the same code.
 */
import { classesOf } from "./answers.ts";
import { BranchingError, nextStep, stepByKey } from "./branching.ts";
import { components, distancesToEnd, type Graph, graphOf, hasCycle, waysFrom } from "./paths-graph.ts";
import { type Finding, loopProblems, questionProblems } from "./paths-problems.ts";
import type {
  AnswerClass,
  Destination,
  Outcome,
  PathLengths,
  PathReport,
  Problem,
  Traffic,
} from "./paths-types.ts";
import { type Question, rulesOf } from "./question.ts";

export { classesOf, classOf } from "./answers.ts";
export type * from "./paths-types.ts";

const PROBLEMS_MAX = 100;

export type PathOptions = {
  /** Whether questions are shown in random order (appearance.shuffleQuestions). */
  shuffled?: boolean;
  /** How often each class of answers was given; evenly by default. */
  traffic?: Traffic;
};

function destinationOf(questions: readonly Question[], index: number, answer: AnswerClass): Destination {
  try {
    // A class with a key needs no lookup among the choices.
    if (answer.rule_key !== null) return stepByKey(questions, index, answer.rule_key);
    return nextStep(questions, index, answer.response);
  } catch (error) {
    if (error instanceof BranchingError) return "stuck";
    throw error;
  }
}

function isRuled(question: Question, { rule_key }: AnswerClass): boolean {
  const { type, responseValues: values } = rulesOf(question);
  if (type !== "response_based") return type === "end" || type === "specific_question";
  return rule_key !== null && isObject(values) && Object.hasOwn(values, rule_key);
}

/** Where each class of answers leads, by question. */
export const outcomesOf = (questions: readonly Question[]): Outcome[][] =>
  questions.map((question, from) =>
    classesOf(question).map((answer) => ({
      from,
      answer,
      to: destinationOf(questions, from, answer),
      ruled: isRuled(question, answer),
    })),
  );

/** Destinations of a question with their shares; those that lead nowhere are skipped. */
function shares(outcomes: readonly Outcome[], counts: Traffic[number]): [Destination, number][] {
  const open = outcomes.filter(({ to }) => to !== "stuck");
  const count = ({ answer }: Outcome) => Math.max(0, counts?.[answer.key] ?? 0);
  const total = open.reduce((sum, outcome) => sum + count(outcome), 0);
  return open.map((outcome) => [outcome.to, total > 0 ? count(outcome) / total : 1 / open.length]);
}

/** Longest and mean length of a survey without loops, from its last questions back to its first. */
function lengthsWithoutLoops(order: readonly number[][], outcomes: readonly Outcome[][], traffic: Traffic) {
  const longest = new Map<Destination, number>([["end", 0]]);
  const expected = new Map<Destination, number>([["end", 0]]);
  for (const [question = 0] of order) {
    const ways = shares(outcomes[question] ?? [], traffic[question]);
    const lengths = ways.map(([to]) => longest.get(to) ?? -Infinity);
    longest.set(question, 1 + lengths.reduce((a, b) => Math.max(a, b), -Infinity));
    const mean = ways.reduce(
      (sum, [to, share]) => (share > 0 ? sum + share * (expected.get(to) ?? NaN) : sum),
      0,
    );
    expected.set(question, ways.length > 0 ? 1 + mean : NaN);
  }
  const finite = (value = NaN) => (Number.isFinite(value) ? value : null);
  return { longest: finite(longest.get(0)), expected: finite(expected.get(0)) };
}

function lengthsOf(graph: Graph, outcomes: readonly Outcome[][], traffic: Traffic): PathLengths {
  if (graph.size === 0) return { shortest: 0, longest: 0, expected: 0 };
  const shortest = distancesToEnd(graph).get(0) ?? null;
  const order = components(graph, 0);
  if (order.some((component) => hasCycle(graph, component)))
    return { shortest, longest: null, expected: null };
  return { shortest, ...lengthsWithoutLoops(order, outcomes, traffic) };
}

const bySeverity = (a: Finding, b: Finding) =>
  Number(a.severity === "warning") - Number(b.severity === "warning") || a.question - b.question;

/**
 * Checks every path through a survey.
 *
 * A loop is an error even if some answer leads out of it: it allows a path that never ends. Rules of
 * unreachable questions are checked as well.
 *
 * @param questions stored or being edited; unvalidated
 */
export function checkPaths(questions: readonly Question[], options: PathOptions = {}): PathReport {
  const outcomes = outcomesOf(questions);
  const graph = graphOf(outcomes);
  const ways = waysFrom(graph, 0);
  const reachable = [...ways.arrivals.keys()].sort((a, b) => a - b);
  const loops = components(graph, 0).filter((component) => hasCycle(graph, component));
  const findings = [
    ...loopProblems(graph, loops, ways),
    ...questionProblems(questions, outcomes, ways, options.shuffled),
  ].sort(bySeverity);
  const stuck = reachable.some((question) => graph.ways[question]?.has("stuck"));
  return {
    every_path_ends: loops.length === 0 && !stuck,
    launchable: findings.every(({ severity }) => severity === "warning"),
    problems: findings
      .slice(0, PROBLEMS_MAX)
      .map(({ play, ...problem }): Problem => ({ ...problem, ...play() })),
    problems_left_out: Math.max(0, findings.length - PROBLEMS_MAX),
    outcomes: outcomes.flat(),
    reachable,
    lengths: lengthsOf(graph, outcomes, options.traffic ?? []),
  };
}
