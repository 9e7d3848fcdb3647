import { ruledBy } from "#lib/engines/branching/answers.ts";
import { bucketsOf, type RatingBucket } from "#lib/engines/branching/branching.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

/**
 * Where an answer leads, while editing. Questions are referenced by identity, so that moving them changes
 * nothing. `other` is a stored value that matches no question; it is preserved.
 */
export type Target =
  | { to: "question"; uid: string }
  | { to: "end" }
  | { to: "next" }
  | { to: "other"; value: unknown };

/** A choice keeps its identity, and its rule, when moved or reworded. */
export type ChoiceDraft = {
  uid: string;
  text: string;
  /** Id of its stored answers; null for a new choice, which starts from zero. */
  id: string | null;
  /** The stored choice that a new one replaces. */
  replaces?: string;
};

export type BranchingType =
  | "none"
  | "next_question"
  | "end"
  | "specific_question"
  | "response_based"
  | "other";

type BranchingDraft = {
  /** As stored, including unknown members. */
  raw: unknown;
  type: BranchingType;
  /** Of `specific_question`. */
  target: Target;
  /**
   * Of `response_based`: by rating bucket, or by the identity of a choice. Without a rule, the next question
   * follows.
   */
  answers: Readonly<Record<string, Target>>;
  /** Rules for unknown answers, preserved. */
  others: Json;
};

/** A question while editing: the raw record, and references by identity instead of place. */
export type QuestionDraft = {
  uid: string;
  raw: SentQuestion;
  choices: ChoiceDraft[] | null;
  branching: BranchingDraft;
};

export const NEXT: Target = { to: "next" };
export const END: Target = { to: "end" };

let last = 0;
/** A new identity for a question or a choice that is added while editing. */
export const newUid = (): string => `n${++last}`;

function targetOf(value: unknown, uids: readonly string[]): Target {
  if (value === "end") return END;
  if (typeof value !== "number" || !Number.isInteger(value)) return { to: "other", value };
  const uid = uids[value];
  return uid === undefined ? { to: "other", value } : { to: "question", uid };
}

/** The choices of a record; null if it has no list of them. */
export function choicesOf({ choices, choice_ids: ids }: Json, uid: string): ChoiceDraft[] | null {
  if (!Array.isArray(choices)) return null;
  const idAt = (place: number) => (Array.isArray(ids) && typeof ids[place] === "string" ? ids[place] : null);
  return choices.map((text, place) => ({ uid: `${uid}/${place}`, text: String(text), id: idAt(place) }));
}

/** The keys that rules of a question can use: rating buckets, or identities of single choices. */
export function answerKeys({ raw, choices }: Pick<QuestionDraft, "raw" | "choices">): string[] {
  const by = ruledBy(raw);
  if (by === null) return [];
  return by === "bucket" ? bucketsOf(raw.scale) : (choices ?? []).map((choice) => choice.uid);
}

const TYPES: readonly BranchingType[] = ["next_question", "end", "specific_question", "response_based"];

function branchingOf(
  question: Pick<QuestionDraft, "raw" | "choices">,
  uids: readonly string[],
): BranchingDraft {
  const raw = question.raw.branching;
  const empty = { raw, target: NEXT, answers: {}, others: {} };
  if (raw === undefined || raw === null) return { ...empty, type: "none" };
  const type = isObject(raw) ? TYPES.find((known) => known === raw.type) : undefined;
  if (!isObject(raw) || !type) return { ...empty, type: "other" };
  if (type === "specific_question") return { ...empty, type, target: targetOf(raw.index, uids) };
  if (type !== "response_based") return { ...empty, type };
  const answers: Record<string, Target> = {};
  const others: Json = {};
  for (const [key, value] of Object.entries(isObject(raw.responseValues) ? raw.responseValues : {})) {
    const own = ruledBy(question.raw) === "choice" ? question.choices?.[Number(key)]?.uid : key;
    if (own !== undefined && answerKeys(question).includes(own)) answers[own] = targetOf(value, uids);
    else others[key] = value;
  }
  return { ...empty, type, answers, others };
}

/** An identity by place: the same on the server and in the browser. */
const uidAt = (place: number): string => `at${place}`;

/**
 * Stored or sent questions as drafts. A question's id is its identity unless it is a duplicate.
 *
 * @param uidFor the identity of a question without one; added questions need new ones
 */
export function draftOf(
  questions: readonly SentQuestion[],
  uidFor: (place: number) => string = uidAt,
): QuestionDraft[] {
  const ids = questions.map((question) => question.id);
  const uids = ids.map((id, place) =>
    typeof id === "string" && id !== "" && ids.indexOf(id) === place ? id : uidFor(place),
  );
  return withReferences(
    questions.map((raw, place) => {
      const uid = uids[place] ?? uidFor(place);
      return { uid, raw, choices: choicesOf(raw, uid) };
    }),
  );
}

function withReferences(questions: readonly Omit<QuestionDraft, "branching">[]): QuestionDraft[] {
  const uids = questions.map(({ uid }) => uid);
  return questions.map((question) => ({ ...question, branching: branchingOf(question, uids) }));
}

/** The saved state of drafts, with the ids that saving gave them; they keep the identities that they have on the page. */
export function savedAs(drafts: readonly QuestionDraft[], saved: readonly SentQuestion[]): QuestionDraft[] {
  return withReferences(
    draftOf(saved).map(({ uid, raw, choices }, place) => {
      const draft = drafts[place];
      const own = draft?.choices;
      return {
        uid: draft?.uid ?? uid,
        raw,
        choices: choices?.map((each, at) => ({ ...each, uid: own?.[at]?.uid ?? each.uid })) ?? null,
      };
    }),
  );
}

type Places = ReadonlyMap<string, number>;

/** The API's value of a target; undefined if it is omitted. */
function storedValue(target: Target, places: Places): unknown {
  if (target.to === "end") return "end";
  if (target.to === "other") return target.value;
  return target.to === "question" ? places.get(target.uid) : undefined;
}

function without(json: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
}

/** The API's key of an answer. */
function storedKey(question: QuestionDraft, key: string): string {
  const place = question.choices?.findIndex((choice) => choice.uid === key) ?? -1;
  return ruledBy(question.raw) === "choice" ? String(place) : key;
}

function rulesOf(question: QuestionDraft, places: Places): Json {
  const rules = Object.entries(question.branching.answers)
    .filter(([key]) => answerKeys(question).includes(key))
    .map(([key, target]) => [storedKey(question, key), storedValue(target, places)] as const)
    .filter(([, value]) => value !== undefined);
  return { ...question.branching.others, ...Object.fromEntries(rules) };
}

function branchingValue(question: QuestionDraft, places: Places): unknown {
  const { raw, type, target } = question.branching;
  if (type === "other") return raw;
  if (type === "none") return raw === null ? null : undefined;
  const members = isObject(raw) ? (raw.type === type ? raw : without(raw, "index", "responseValues")) : {};
  if (type === "response_based") return { ...members, type, responseValues: rulesOf(question, places) };
  if (type !== "specific_question") return { ...members, type };
  const index = storedValue(target, places);
  if (index === "end") return { ...without(members, "index"), type: "end" };
  return index === undefined
    ? { ...without(members, "index"), type: "next_question" }
    : { ...members, type, index };
}

/** The questions for the API, with places instead of identities. */
export function questionsOf(drafts: readonly QuestionDraft[]): SentQuestion[] {
  const places = new Map(drafts.map((question, place) => [question.uid, place]));
  return drafts.map((question) => {
    const { branching: _, choices: __, choice_ids: ids, ...raw } = question.raw;
    const branching = branchingValue(question, places);
    return {
      ...raw,
      question: question.raw.question,
      ...(question.choices
        ? {
            choices: question.choices.map((choice) => choice.text),
            // A new question gets them when it is saved.
            ...(ids !== undefined && { choice_ids: question.choices.map((choice) => choice.id) }),
          }
        : "choices" in question.raw && { choices: question.raw.choices }),
      ...(branching !== undefined && { branching }),
    };
  });
}

/** An answer, or all answers, of a question that lead to another one. */
export type Referrer = { uid: string; answer: string | null };

/** All answers that lead to a question. */
export function referrersOf(drafts: readonly QuestionDraft[], uid: string): Referrer[] {
  const leadsThere = (target: Target | undefined) => target?.to === "question" && target.uid === uid;
  return drafts.flatMap((question): Referrer[] => {
    const { type, target, answers } = question.branching;
    if (question.uid === uid) return [];
    if (type === "specific_question") return leadsThere(target) ? [{ uid: question.uid, answer: null }] : [];
    if (type !== "response_based") return [];
    return answerKeys(question)
      .filter((key) => leadsThere(answers[key]))
      .map((answer) => ({ uid: question.uid, answer }));
  });
}

/** The target of an answer by its rule, before "next" is resolved. */
export function ruleOf({ branching }: QuestionDraft, answer: string | null): Target {
  if (branching.type === "end") return END;
  if (branching.type === "specific_question") return branching.target;
  if (branching.type === "response_based" && answer !== null) return branching.answers[answer] ?? NEXT;
  return NEXT;
}

const RANGES: Record<RatingBucket, Partial<Record<number, string>>> = {
  negative: { 2: "2", 3: "1", 5: "1–2", 7: "1–3" },
  neutral: { 3: "2", 5: "3", 7: "4" },
  positive: { 2: "1", 3: "3", 5: "4–5", 7: "5–7" },
  detractors: { 10: "0–6" },
  passives: { 10: "7–8" },
  promoters: { 10: "9–10" },
};

const BUCKET_WORDS: Record<RatingBucket, string> = {
  negative: "Negative",
  neutral: "Neutral",
  positive: "Positive",
  detractors: "Detractors",
  passives: "Passives",
  promoters: "Promoters",
};

/** The label of an answer: "Detractors, 0–6", or the words of a choice. */
export function answerLabel({ raw, choices }: QuestionDraft, key: string): string {
  if (ruledBy(raw) !== "bucket")
    return choices?.find((choice) => choice.uid === key)?.text || "(no text yet)";
  const bucket = key as RatingBucket;
  if (raw.scale === 2) return bucket === "positive" ? "Thumb up" : "Thumb down";
  const range = RANGES[bucket]?.[Number(raw.scale)];
  return range ? `${BUCKET_WORDS[bucket]}, ${range}` : (BUCKET_WORDS[bucket] ?? key);
}
