import { bucketOf } from "#lib/engines/branching/branching.ts";
import type { PlacedCondition } from "#lib/surveys/results/count/conditions-store.ts";
import {
  type CodedQuestion,
  formerSlots,
  isChoice,
  NONE,
  OFF_SCALE,
  OTHER,
  rangeOfRating,
  slotsContaining,
  slotsFor,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import { COMPLETED, type ResponseColumns } from "./columns.ts";
import type { TextKind } from "./text-column.ts";

/** Texts that a condition looks for: some text of the answer equals, or contains, one of them. */
export type TextNeed = { kind: TextKind; texts: readonly string[] };

const trimmed = (condition: PlacedCondition) => condition.value.map((text) => text.trim());

/** The texts needed to evaluate a condition; null if codes are enough. */
export function textNeedOf(condition: PlacedCondition): TextNeed | null {
  const { operator, question, index } = condition;
  const type =
    question.type === "multiple_choice" ? "multiple" : question.type === "single_choice" ? "choice" : "open";
  const of = { index, id: typeof question.id === "string" ? question.id : null, type } as const;
  if (operator === "icontains" || operator === "not_icontains")
    return { kind: { ...of, form: type === "multiple" ? "parts" : "whole" }, texts: condition.value };
  if ((operator !== "exact" && operator !== "is_not") || rangeOfRating(question)) return null;
  const texts = isChoice(question) ? slotsFor(question, condition.value).own : trimmed(condition);
  return texts.length > 0 ? { kind: { ...of, form: "exact" }, texts } : null;
}

/** Tests a condition on a row of responses. */
export type RowTest = (row: number) => boolean;

const NO = 0;
const YES = 1;
/** Decided by the texts. */
const ASK = 2;

/** Tests the ratings of a scale. */
const ratingTest =
  (question: CodedQuestion, holds: (rating: number) => boolean) =>
  (code: string): boolean => {
    const range = rangeOfRating(question);
    if (!range || !/^-?\d+$/.test(code)) return false;
    const rating = Number(code);
    return rating >= range[0] && rating <= range[1] && holds(rating);
  };

/** What a code says about "is exactly"; see `isExactly` in conditions-store.ts. */
function exactOf(condition: PlacedCondition): (code: string) => number {
  const { question } = condition;
  if (rangeOfRating(question)) {
    const wanted = new Set(trimmed(condition).filter((text) => text !== OFF_SCALE && text !== ""));
    return (code) => (wanted.has(code) ? YES : NO);
  }
  if (!isChoice(question)) return (code) => (code === NONE ? NO : ASK);
  const { slots, own } = slotsFor(question, condition.value);
  const isPicked = slotTest(question, slots);
  return (code) => {
    if (isPicked(code)) return YES;
    return own.length > 0 && code.split(",").includes(OTHER) ? ASK : NO;
  };
}

/** Whether an answer picks one of some choices. */
function slotTest({ type }: CodedQuestion, slots: readonly string[]): (code: string) => boolean {
  if (type !== "multiple_choice") return (code) => slots.includes(code);
  return (code) => {
    const parts = code.split(",");
    return slots.some((slot) => parts.includes(slot));
  };
}

/** What a code says about "contains": the current text of a choice decides, else the recorded text. */
function containsOf({ question, value }: PlacedCondition): (code: string) => number {
  const isPicked = isChoice(question) ? slotTest(question, slotsContaining(question, value)) : () => false;
  return (code) => (code === NONE ? NO : isPicked(code) ? YES : ASK);
}

/** What a code says about a condition, and whether the condition is negated among those who answered. */
function verdictOf(condition: PlacedCondition): { verdict: (code: string) => number; contrary: boolean } {
  const { operator, question, value } = condition;
  const plain = (holds: (code: string) => boolean) => ({
    verdict: (code: string) => (holds(code) ? YES : NO),
    contrary: false,
  });
  switch (operator) {
    case "exact":
      return { verdict: exactOf(condition), contrary: false };
    case "is_not":
      return { verdict: exactOf(condition), contrary: true };
    case "icontains":
      return { verdict: containsOf(condition), contrary: false };
    case "not_icontains":
      return { verdict: containsOf(condition), contrary: true };
    case "gte":
      return plain(ratingTest(question, (rating) => rating >= Number(value[0])));
    case "lte":
      return plain(ratingTest(question, (rating) => rating <= Number(value[0])));
    case "bucket":
      return plain(ratingTest(question, (rating) => value.includes(bucketOf(question.scale, rating) ?? "")));
    case "is_set":
      return plain((code) => code !== NONE);
    case "is_not_set":
      return plain((code) => code === NONE);
    case "former":
      return plain(slotTest(question, formerSlots(question, value)));
    case "other":
      return plain((code) => code.split(",").includes(OTHER));
    default:
      return plain((code) => code === OFF_SCALE);
  }
}

/** Conditions on the path through the survey. */
function pathTest(responses: ResponseColumns, condition: PlacedCondition): RowTest {
  const { operator, index } = condition;
  const reaches = Uint8Array.from(responses.pathList, (path) => (path.includes(index) ? 1 : 0));
  const ends = Uint8Array.from(responses.pathList, (path) => (path.at(-1) === index ? 1 : 0));
  const paths = responses.path.data;
  const flags = responses.flags.data;
  const codes = responses.questions[index]?.column.data;
  const isFinished = (row: number) => ((flags[row] ?? 0) & COMPLETED) !== 0;
  if (operator === "reached") return (row) => reaches[paths[row] ?? 0] === 1;
  if (operator === "left") return (row) => ends[paths[row] ?? 0] === 1 && !isFinished(row);
  return (row) =>
    reaches[paths[row] ?? 0] === 1 &&
    (codes?.[row] ?? 0) === 0 &&
    (isFinished(row) || ends[paths[row] ?? 0] === 0);
}

/**
 * A compiled condition on answers: the same as `answersSql` for rows.
 *
 * @param marks of the condition's texts, by row; see `textNeedOf`
 */
export function rowTestOf(
  responses: ResponseColumns,
  condition: PlacedCondition,
  marks: Uint8Array | null,
): RowTest {
  const { operator, index } = condition;
  if (operator === "reached" || operator === "left" || operator === "skipped")
    return pathTest(responses, condition);
  const question = responses.questions[index];
  const { verdict, contrary } = verdictOf(condition);
  const table = Uint8Array.from(question?.codes.list ?? [NONE], verdict);
  const codes = question?.column.data;
  return (row) => {
    const code = codes?.[row] ?? 0;
    const says = table[code] ?? NO;
    const holds = says === YES || (says === ASK && marks?.[row] === 1);
    // 0 means no answer.
    return contrary ? code !== 0 && !holds : holds;
  };
}
