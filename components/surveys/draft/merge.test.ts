import { describe, expect, it } from "vitest";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { savedAs } from "./draft.ts";
import { mergeSurveys, withTypedSince } from "./merge.ts";
import { bodyOf, newDraft, type SurveyBody, type SurveyDraft } from "./survey-draft.ts";

const open = (id: string, question = id): SentQuestion => ({ id, type: "open", question });
const bodyWith = (questions: SentQuestion[], more: Partial<SurveyBody> = {}): SurveyBody => ({
  ...bodyOf(newDraft({ name: "Pulse" }, questions)),
  ...more,
});
const leadingTo = (question: SentQuestion, index: number): SentQuestion => ({
  ...question,
  branching: { type: "specific_question", index },
});

const base = bodyWith([open("a"), open("b"), open("c")]);
const textsOf = ({ questions }: SurveyBody) => questions.map(({ question }) => question);

describe("two people's changes of the same survey", () => {
  it("of different questions and fields are both kept", () => {
    const { merged, meets } = mergeSurveys(
      base,
      bodyWith([open("a", "Theirs"), open("b"), open("c")], { name: "Pulse of May" }),
      bodyWith([open("a"), open("b"), open("c", "Mine")], { description: "New" }),
    );
    expect(textsOf(merged)).toEqual(["Theirs", "b", "Mine"]);
    expect(merged).toMatchObject({ name: "Pulse of May", description: "New" });
    expect(meets).toBe(false);
  });

  it("of the same question end as one's own, and meet", () => {
    const theirs = bodyWith([open("a", "Theirs"), open("b"), open("c")]);
    const { merged, meets } = mergeSurveys(base, theirs, bodyWith([open("a", "Mine"), open("b"), open("c")]));
    expect([textsOf(merged), meets]).toEqual([["Mine", "b", "c"], true]);
    expect(mergeSurveys(base, theirs, theirs).meets).toBe(false);
  });

  it("that add, remove and move questions are both kept, each where it was put", () => {
    const { merged, meets } = mergeSurveys(
      base,
      bodyWith([open("a"), open("x"), open("c")]),
      bodyWith([open("c"), open("a"), open("b"), { type: "open", question: "New" }]),
    );
    expect(textsOf(merged)).toEqual(["c", "a", "x", "New"]);
    expect(meets).toBe(false);
  });

  it("keep a question that one changed and the other removed only where it is one's own", () => {
    const changed = bodyWith([open("a"), open("b", "Changed"), open("c")]);
    const removed = bodyWith([open("a"), open("c")]);
    expect(textsOf(mergeSurveys(base, removed, changed).merged)).toEqual(["a", "Changed", "c"]);
    expect(textsOf(mergeSurveys(base, changed, removed).merged)).toEqual(["a", "c"]);
    expect(mergeSurveys(base, changed, removed).meets).toBe(true);
  });

  it("lead to the same questions as before, wherever these stand now", () => {
    const start = bodyWith([leadingTo(open("a"), 2), open("b"), open("c")]);
    const { merged, meets } = mergeSurveys(
      start,
      bodyWith([leadingTo(open("a"), 3), open("x"), open("b"), open("c")]),
      bodyWith([leadingTo(open("a"), 2), open("b", "Mine"), open("c")]),
    );
    expect(textsOf(merged)).toEqual(["a", "x", "Mine", "c"]);
    expect(merged.questions[0]?.branching).toEqual({ type: "specific_question", index: 3 });
    expect(meets).toBe(false);
  });

  it("of a field that both changed meet, unless to the same", () => {
    const [one, other] = [
      bodyWith(base.questions, { name: "One" }),
      bodyWith(base.questions, { name: "Other" }),
    ];
    expect([mergeSurveys(base, one, other).meets, mergeSurveys(base, one, one).meets]).toEqual([true, false]);
    expect(mergeSurveys(base, one, other).merged.name).toBe("Other");
  });
});

describe("what is typed while a save is under way", () => {
  const choiceOf = (text: string, members: object = {}): SentQuestion => ({
    type: "single_choice",
    question: text,
    choices: ["Yes", "No"],
    ...members,
  });

  /** What the API answers: every question and choice has an id. */
  function stored(sent: SurveyDraft): SurveyDraft {
    const questions = bodyOf(sent).questions.map((each, place) => ({
      ...each,
      id: each.id ?? `question-${place}`,
      choice_ids: (Array.isArray(each.choices) ? each.choices : []).map((_, at) => `choice-${place}-${at}`),
    }));
    return { ...sent, questions: savedAs(sent.questions, questions) };
  }

  const sent = newDraft({ name: "Poll" }, [
    choiceOf("First?", { branching: { type: "specific_question", index: 1 } }),
    choiceOf("Second?", { branching: { type: "response_based", responseValues: { "0": 0, "1": "end" } } }),
  ]);
  const saved = stored(sent);

  const withRaw = (draft: SurveyDraft, place: number, members: object): SurveyDraft => ({
    ...draft,
    questions: draft.questions.map((each, at) =>
      at === place ? { ...each, raw: { ...each.raw, ...members } } : each,
    ),
  });

  it("questions and choices keep the identities that they have on the page", () => {
    expect(saved.questions.map(({ uid }) => uid)).toEqual(sent.questions.map(({ uid }) => uid));
    expect(saved.questions[0]?.choices?.map(({ uid }) => uid)).toEqual(
      sent.questions[0]?.choices?.map(({ uid }) => uid),
    );
    expect(saved.questions[0]?.raw.id).toBe("question-0");
    expect(saved.questions[0]?.choices?.[1]?.id).toBe("choice-0-1");
    expect(saved.questions[0]?.branching.target).toEqual({ to: "question", uid: sent.questions[1]?.uid });
    expect(bodyOf(saved).questions[1]?.branching).toEqual(choiceOf("", bodyOf(sent).questions[1]).branching);
  });

  it("what was not touched since is as saved", () => {
    expect(withTypedSince(sent, saved, sent)).toEqual(saved);
  });

  it("a text typed since stays, and its question has the saved ids", () => {
    const now = { ...withRaw(sent, 0, { question: "First, really?" }), description: "Why" };
    const after = withTypedSince(sent, saved, now);
    expect(after.description).toBe("Why");
    expect(after.questions[0]?.raw).toMatchObject({ question: "First, really?", id: "question-0" });
    expect(after.questions[0]?.choices).toEqual(saved.questions[0]?.choices);
    expect(after.questions[1]).toEqual(saved.questions[1]);
  });

  it("a member removed since stays removed", () => {
    const before = withRaw(sent, 0, { buttonText: "Go on" });
    const { buttonText: _, ...raw } = { buttonText: "", ...sent.questions[0]?.raw } as SentQuestion;
    const now = {
      ...before,
      questions: before.questions.map((each, at) => (at === 0 ? { ...each, raw } : each)),
    };
    const after = withTypedSince(before, stored(before), now);
    expect(bodyOf(after).questions[0]).not.toHaveProperty("buttonText", "Go on");
  });

  it("choices typed, added and removed since stay so; the others have their ids", () => {
    const now: SurveyDraft = {
      ...sent,
      questions: sent.questions.map((each, at) =>
        at === 1
          ? { ...each, choices: [{ uid: "new", text: "Maybe", id: null }, ...(each.choices ?? []).slice(1)] }
          : each,
      ),
    };
    const after = withTypedSince(sent, saved, now);
    expect(after.questions[1]?.choices).toEqual([
      { uid: "new", text: "Maybe", id: null },
      { uid: sent.questions[1]?.choices?.[1]?.uid, text: "No", id: "choice-1-1" },
    ]);
  });

  it("a choice replaced since starts from zero", () => {
    const again = saved.questions[0]?.choices?.[0];
    const replaced = { uid: again?.uid ?? "", text: "Sure", id: null, replaces: "choice-0-0" };
    const now: SurveyDraft = {
      ...saved,
      questions: saved.questions.map((each, at) =>
        at === 0 ? { ...each, choices: [replaced, ...(each.choices ?? []).slice(1)] } : each,
      ),
    };
    expect(withTypedSince(saved, stored(saved), now).questions[0]?.choices?.[0]).toEqual(replaced);
  });

  it("questions moved, added and deleted since stay so", () => {
    const added = {
      ...newDraft({}, [choiceOf("Third?")]).questions[0],
      uid: "added",
    } as SurveyDraft["questions"][0];
    const second = sent.questions[1] as SurveyDraft["questions"][0];
    const after = withTypedSince(sent, saved, { ...sent, questions: [added, second] });
    expect(after.questions).toEqual([added, saved.questions[1]]);
  });
});
