import { isObject } from "#lib/engines/json.ts";
import { answerRulesOf } from "./answers.ts";
import { answersTo, distancesToEnd, type Graph, roundTrip, type Ways } from "./paths-graph.ts";
import type { AnswerClass, Outcome, PlayStep, Problem } from "./paths-types.ts";
import { type Question, rulesOf } from "./question.ts";

type Play = Pick<Problem, "counterexample" | "repeats_from">;

/** A problem whose counterexample is computed on demand. */
export type Finding = Omit<Problem, keyof Play> & { play: () => Play };

const NAMED_MAX = 8;

/** Questions counted from 1: "question 2", "questions 2, 4 and 5". */
function named(questions: readonly number[]): string {
  const numbers = questions.slice(0, NAMED_MAX).map((index) => String(index + 1));
  const rest = questions.length - numbers.length;
  const last = rest > 0 ? `${rest} more` : (numbers.pop() ?? "");
  return numbers.length === 0 ? `question ${last}` : `questions ${numbers.join(", ")} and ${last}`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Loops; worse if no answer leads out. */
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
        ? `${sentence(named(questions))} never ${questions.length > 1 ? "end" : "ends"}, whatever the answers.`
        : `Answers can loop through ${named(questions)} forever.`,
      play,
    };
  });
}

/** One question with its outcomes. */
type Place = {
  question: Question;
  index: number;
  size: number;
  outcomes: readonly Outcome[];
  ways: Ways;
};

type Report = Pick<Problem, "code" | "severity" | "message"> & {
  answer?: AnswerClass | undefined;
  key?: string;
};

function finding({ index, ways }: Place, report: Report): Finding {
  const { code, severity, message, answer } = report;
  const play = (): Play => {
    const before = answersTo(ways, index);
    const step: PlayStep[] = answer ? [{ question: index, answer, response: answer.response }] : [];
    return { counterexample: before && [...before, ...step], repeats_from: null };
  };
  const answer_key = report.key ?? answer?.key ?? null;
  return { code, severity, question: index, questions: [index], answer_key, message, play };
}

/** Rule types that do not depend on the answer. */
const KINDS = new Set<unknown>(["next_question", "end", "specific_question", undefined, null, ""]);

/** The problem of a target; null if it is valid. */
function targetProblem(place: Place, target: unknown): Pick<Report, "code" | "severity" | "message"> | null {
  const here = `Question ${place.index + 1}`;
  if (typeof target === "number" && Number.isInteger(target)) {
    if (target >= 0 && target < place.size) return null;
    const message = `${here} leads to question ${target + 1}, but there are only ${place.size}.`;
    return { code: "target_out_of_range", severity: "error", message };
  }
  const message = `${here} has a target that is neither a question nor the end: the next question follows.`;
  return { code: "ignored_rule", severity: "warning", message };
}

const isTarget = (target: unknown) =>
  target !== "end" && target !== "next_question" && target !== null && target !== undefined;

/** The keys that a question's rules can have, in words; empty if there are none or too many. */
function possibleKeys({ outcomes }: Place): string {
  const keys = outcomes.map(({ answer }) => answer.rule_key).filter((key) => key !== null);
  return keys.length > 0 && keys.length <= NAMED_MAX ? ` It has: ${keys.join(", ")}.` : "";
}

/** The problem of a key that matches no answer. */
function keyProblem(place: Place, key: string): Report {
  const { question, index } = place;
  const choices = answerRulesOf(question)?.texts(question) ?? [];
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
    message: `Question ${index + 1} has a rule for ${JSON.stringify(key.slice(0, 100))}, which is not one of its answers.${possibleKeys(place)}`,
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
      const report = targetProblem(place, target);
      if (report) found.push(finding(place, { ...report, answer: known.get(key), key }));
    }
  }
  const leads = new Set(outcomes.map(({ to }) => to));
  const [lead] = leads;
  if (leads.size === 1 && lead !== "stuck")
    found.push(
      finding(place, {
        code: "no_effect",
        severity: "warning",
        message: `Question ${index + 1} has rules by answer, but every answer leads ${lead === "end" ? "to the end" : `to question ${Number(lead) + 1}`}.`,
      }),
    );
  return found;
}

/** Answers that no rule fits. A target before the first question is reported as such. */
function stuckProblems(place: Place): Finding[] {
  const { question, index, outcomes } = place;
  const skipped = outcomes.find(({ answer, to }) => answer.kind === "skipped" && to === "stuck");
  const answered = outcomes.find(({ answer }) => answer.kind === "answered");
  const rules = answerRulesOf(question);
  if (rules && answered?.to === "stuck") {
    const message = `Question ${index + 1} has rules by answer, but no ${rules.needs}: it leads nowhere.`;
    return [finding(place, { code: "dead_end", severity: "error", message, answer: answered.answer })];
  }
  if (!skipped) return [];
  const message = `Question ${index + 1} is optional, but its rules do not cover a skipped answer: public SDKs treat it as required.`;
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
    const message = `Question ${index + 1} has a rule of an unknown kind: the next question follows.`;
    found.push(finding(place, { code: "ignored_rule", severity: "warning", message }));
  }
  const report = type === "specific_question" ? targetProblem(place, target) : null;
  return report ? [...found, finding(place, { ...report, answer: outcomes[0]?.answer })] : found;
}

/** Problems of each question's rules, and unreachable questions. */
export function questionProblems(
  questions: readonly Question[],
  outcomes: readonly Outcome[][],
  ways: Ways,
  shuffled: boolean | undefined,
): Finding[] {
  const places = questions.map((question, index) => ({
    question,
    index,
    size: questions.length,
    outcomes: outcomes[index] ?? [],
    ways,
  }));
  const found = places.flatMap(problemsOf);
  const ruled = places.find(
    ({ question }) => (rulesOf(question).type ?? "next_question") !== "next_question",
  );
  if (shuffled && ruled) {
    const message = "Questions are shuffled, but the rules depend on their order: turn off one of the two.";
    found.push(finding(ruled, { code: "shuffled", severity: "warning", message }));
  }
  return found;
}
