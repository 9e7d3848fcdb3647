import type { PathReport, Problem } from "#lib/engines/branching/paths-types.ts";
import { formatNumber } from "#lib/platform/format.ts";
import { answerKeys, answerLabel, type QuestionDraft, ruleOf, type Target } from "./draft.ts";

/** A question in a few words: its number and text. */
export function questionName(drafts: readonly QuestionDraft[], uid: string): string {
  const place = drafts.findIndex((question) => question.uid === uid);
  const text = String(drafts[place]?.raw.question ?? "")
    .replace(/<[^>]*>/g, " ")
    .trim();
  return `${place + 1}. ${text || "(no text yet)"}`;
}

/** Where a target leads: "the end", "the next question", "3. Why?". */
export function targetName(drafts: readonly QuestionDraft[], target: Target): string {
  if (target.to === "end") return "the end";
  if (target.to === "next") return "the next question";
  if (target.to === "question") return questionName(drafts, target.uid);
  return `${JSON.stringify(target.value) ?? "nothing"} (no question)`;
}

/** Jumps of a question, for a line under it: which answers leave the order of the list, and where to. */
export function jumpsOf(
  drafts: readonly QuestionDraft[],
  question: QuestionDraft,
): { answer: string; to: string }[] {
  const { type } = question.branching;
  const short = (target: Target) => {
    if (target.to !== "question") return target.to === "end" ? "end" : targetName(drafts, target);
    return String(drafts.findIndex((each) => each.uid === target.uid) + 1);
  };
  if (type === "end" || type === "specific_question")
    return [{ answer: "Always", to: short(ruleOf(question, null)) }];
  if (type !== "response_based") return [];
  return answerKeys(question).flatMap((key) => {
    const target = ruleOf(question, key);
    return target.to === "next" ? [] : [{ answer: answerLabel(question, key), to: short(target) }];
  });
}

/** Problems that involve a question, the most serious first. */
export const problemsAt = (report: PathReport, place: number): Problem[] =>
  report.problems.filter((problem) => problem.question === place || problem.questions.includes(place));

const questions = (count: number) => `${count} ${count === 1 ? "question" : "questions"}`;

/** The length of the survey, in a sentence. */
export function lengthWords({ lengths, every_path_ends }: PathReport): string {
  const { shortest, longest, expected } = lengths;
  if (shortest === null) return "No path through the survey ends.";
  if (!every_path_ends || longest === null)
    return `The shortest path has ${questions(shortest)}; others never end.`;
  if (shortest === longest) return `Everybody answers ${questions(shortest)}.`;
  const mean =
    expected === null
      ? ""
      : `, ${formatNumber(Math.round(expected * 10) / 10)} on average if all answers are equally likely`;
  return `Between ${shortest} and ${questions(longest)}${mean}.`;
}
