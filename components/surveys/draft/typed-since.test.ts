import { expect, test } from "vitest";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { savedAs } from "./draft.ts";
import { bodyOf, newDraft, type SurveyDraft } from "./survey-draft.ts";
import { withTypedSince } from "./typed-since.ts";

const question = (text: string, members: object = {}): SentQuestion => ({
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
  question("First?", { branching: { type: "specific_question", index: 1 } }),
  question("Second?", { branching: { type: "response_based", responseValues: { "0": 0, "1": "end" } } }),
]);
const saved = stored(sent);

const withRaw = (draft: SurveyDraft, place: number, members: object): SurveyDraft => ({
  ...draft,
  questions: draft.questions.map((each, at) =>
    at === place ? { ...each, raw: { ...each.raw, ...members } } : each,
  ),
});

test("questions and choices keep the identities that they have on the page", () => {
  expect(saved.questions.map(({ uid }) => uid)).toEqual(sent.questions.map(({ uid }) => uid));
  expect(saved.questions[0]?.choices?.map(({ uid }) => uid)).toEqual(
    sent.questions[0]?.choices?.map(({ uid }) => uid),
  );
  expect(saved.questions[0]?.raw.id).toBe("question-0");
  expect(saved.questions[0]?.choices?.[1]?.id).toBe("choice-0-1");
  expect(saved.questions[0]?.branching.target).toEqual({ to: "question", uid: sent.questions[1]?.uid });
  expect(bodyOf(saved).questions[1]?.branching).toEqual(question("", bodyOf(sent).questions[1]).branching);
});

test("what was not touched since is as saved", () => {
  expect(withTypedSince(sent, saved, sent)).toEqual(saved);
});

test("a text typed since stays, and its question has the saved ids", () => {
  const now = { ...withRaw(sent, 0, { question: "First, really?" }), description: "Why" };
  const after = withTypedSince(sent, saved, now);
  expect(after.description).toBe("Why");
  expect(after.questions[0]?.raw).toMatchObject({ question: "First, really?", id: "question-0" });
  expect(after.questions[0]?.choices).toEqual(saved.questions[0]?.choices);
  expect(after.questions[1]).toEqual(saved.questions[1]);
});

test("a member removed since stays removed", () => {
  const before = withRaw(sent, 0, { buttonText: "Go on" });
  const { buttonText: _, ...raw } = { buttonText: "", ...sent.questions[0]?.raw } as SentQuestion;
  const now = {
    ...before,
    questions: before.questions.map((each, at) => (at === 0 ? { ...each, raw } : each)),
  };
  const after = withTypedSince(before, stored(before), now);
  expect(bodyOf(after).questions[0]).not.toHaveProperty("buttonText", "Go on");
});

test("choices typed, added and removed since stay so; the others have their ids", () => {
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

test("a choice replaced since starts from zero", () => {
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

test("questions moved, added and deleted since stay so", () => {
  const added = {
    ...newDraft({}, [question("Third?")]).questions[0],
    uid: "added",
  } as SurveyDraft["questions"][0];
  const second = sent.questions[1] as SurveyDraft["questions"][0];
  const after = withTypedSince(sent, saved, { ...sent, questions: [added, second] });
  expect(after.questions).toEqual([added, saved.questions[1]]);
});
