import { bucketsOf } from "#lib/engines/branching/branching.ts";
import { asQuestion, rulesOf } from "#lib/engines/branching/question.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { kindName } from "./question_kinds/kinds.ts";

const LABELS: Record<string, string> = {
  question: "text",
  descriptionContentType: "description is",
  buttonText: "button",
  hasOpenChoice: "free-text choice",
  shuffleOptions: "choices shuffled",
  skipSubmitButton: "continues at once",
  lowerBoundLabel: "label of the lowest",
  upperBoundLabel: "label of the highest",
  branching: "where answers lead",
};

const isEmpty = (value: unknown) => value === null || value === undefined || value === "" || value === false;

/** A stored value in words; null for none. */
function worded(value: unknown): string | null {
  if (isEmpty(value)) return null;
  if (value === true) return "yes";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join("; ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const target = (value: unknown): string =>
  value === "end" ? "the end" : typeof value === "number" ? `question ${value + 1}` : "the next question";

/** Where the answers to a question lead, in words; null: to the next question. */
function branchingInWords(question: Json): string | null {
  const { type, index, responseValues } = rulesOf(asQuestion(question));
  if (type === "end") return "to the end";
  if (type === "specific_question") return `to ${target(index)}`;
  if (type !== "response_based" || !isObject(responseValues)) return null;
  const texts = Array.isArray(question.choices) ? question.choices : [];
  const isBucket = (key: string) => bucketsOf(question.scale).some((bucket) => bucket === key);
  const ways = Object.entries(responseValues).map(
    ([key, to]) => `${isBucket(key) ? key : (texts[Number(key)] ?? key)} to ${target(to)}`,
  );
  return ways.join("; ") || null;
}

const memberInWords = (json: Json, name: string): string | null => {
  if (name === "branching") return branchingInWords(json);
  return name === "type" ? kindName(json.type) : worded(json[name]);
};

/** Members of a record that differ, each by its name in the API unless there is a word for it. */
export function memberDifferences(title: string, before: Json | null, after: Json | null): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .filter((name) => canonical(before?.[name]) !== canonical(after?.[name]))
    .map((name) => ({
      what: `${title}: ${LABELS[name] ?? name}`,
      before: worded(before?.[name]),
      after: worded(after?.[name]),
    }));
}

const NOT_SHOWN = new Set(["id", "choice_ids"]);

function changesOf(title: string, before: Json, after: Json): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    if (NOT_SHOWN.has(name)) return [];
    const [old, next] = [memberInWords(before, name), memberInWords(after, name)];
    return old === next ? [] : [{ what: `${title}: ${LABELS[name] ?? name}`, before: old, after: next }];
  });
}

const listOf = (questions: unknown): Json[] => (Array.isArray(questions) ? questions.filter(isObject) : []);

const lineOf = (question: Json) => `${kindName(question.type)}: ${question.question}`;

/** Questions that were added, removed, moved or changed, in words; matched by their ids. */
export function questionDifferences(before: unknown, after: unknown): Difference[] {
  const idOf = (question: Json, place: number) => String(question.id ?? `new ${place}`);
  const old = new Map(listOf(before).map((question, place) => [idOf(question, place), { question, place }]));
  const kept = new Set<string>();
  const found = listOf(after).flatMap((question, place): Difference[] => {
    const title = `Question ${place + 1}`;
    const id = idOf(question, place);
    const former = old.get(id);
    if (!former) return [{ what: title, before: null, after: lineOf(question) }];
    kept.add(id);
    const changes = changesOf(title, former.question, question);
    if (former.place === place) return changes;
    const moved = {
      what: title,
      before: `at position ${former.place + 1}`,
      after: `at position ${place + 1}`,
    };
    // Rules name questions by their place: those that moved along have not changed.
    return [moved, ...changes.filter(({ what }) => what !== `${title}: ${LABELS.branching}`)];
  });
  const gone = [...old].filter(([id]) => !kept.has(id));
  return [
    ...found,
    ...gone.map(([, { question, place }]) => ({
      what: `Question ${place + 1}`,
      before: lineOf(question),
      after: null,
    })),
  ];
}
