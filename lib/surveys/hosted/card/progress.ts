import { type Question, rulesOf } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";

/** Every place that some answer leads to. */
function targetsOf(questions: readonly Question[], index: number): Set<number> {
  const rules = rulesOf(questions[index] ?? {});
  const past = index + 1;
  if (rules.type === "end") return new Set([questions.length]);
  const named =
    rules.type === "specific_question"
      ? [rules.index]
      : Object.values(isObject(rules.responseValues) ? rules.responseValues : {});
  const targets = named.map((target) => (target === "end" ? questions.length : target));
  const isWhole = (target: unknown): target is number => Number.isInteger(target);
  const falls = rules.type !== "specific_question" || !isWhole(rules.index);
  return new Set([...targets.filter(isWhole).filter((target) => target >= 0), ...(falls ? [past] : [])]);
}

/** The maximum number of remaining questions, including this one; a loop counts once. */
export function remaining(questions: readonly Question[], index: number): number {
  const known = new Map<number, number>();
  const longest = (at: number): number => {
    if (at >= questions.length) return 0;
    const found = known.get(at);
    if (found !== undefined) return found;
    known.set(at, 0);
    const length = 1 + Math.max(...[...targetsOf(questions, at)].map(longest), 0);
    known.set(at, length);
    return length;
  };
  return longest(index);
}

/** Whether every person gets every question. */
export const isStraight = (questions: readonly Question[]): boolean =>
  questions.every(({ branching }) => branching === null || branching === undefined);
