import { describe, expect, it } from "vitest";
import { asQuestion } from "#lib/engines/branching/question.ts";
import { matchesPerson, placeConditions, questionsOf } from "./filter.ts";

describe("the questions that results are counted by", () => {
  it("have an id and a text, whatever is stored", () => {
    const questions = [{ id: "a", question: "A?", type: "open" }, { id: 7, question: 8 }, {}].map(asQuestion);
    expect(
      questionsOf({ questions, choice_history: null }).map(({ id, question }) => [id, question]),
    ).toEqual([
      ["a", "A?"],
      ["", ""],
      ["", ""],
    ]);
    expect(questionsOf({ questions: null, choice_history: null })).toEqual([]);
  });

  it("are found by the ids of conditions", () => {
    const questions = ["a", "b"].map((id) => ({ id, question: id }));
    const condition = { question_id: "b", operator: "exact" as const, value: ["x"] };
    expect(placeConditions([condition], questions, "answers")).toEqual([
      { ...condition, index: 1, question: questions[1] },
    ]);
    expect(() => placeConditions([{ ...condition, question_id: "c" }], questions, "figure")).toThrow(
      expect.objectContaining({ status: 400, attr: "figure" }),
    );
  });
});

describe("a condition on persons", () => {
  it("sees the properties that are set, and static cohorts", () => {
    const seen: unknown[] = [];
    const conditions = {
      properties: ["plan", "seats", "name"],
      static_cohort_ids: [4],
      narrowing: [],
      matches: (person: unknown) => {
        seen.push(person);
        return seen.length === 1;
      },
    };
    expect(matchesPerson(conditions, ["pro", null, undefined], [4])).toBe(true);
    expect(matchesPerson(conditions, [false, 0, ""], [])).toBe(false);
    expect(seen).toEqual([
      { distinct_id: "", properties: { plan: "pro" }, static_cohorts: new Set([4]) },
      { distinct_id: "", properties: { plan: false, seats: 0, name: "" }, static_cohorts: new Set() },
    ]);
  });
});
