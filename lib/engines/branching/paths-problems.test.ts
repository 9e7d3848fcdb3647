import { describe, expect, it } from "vitest";
import { checkPaths, type Problem } from "./paths.ts";
import type { Question, QuestionType } from "./question.ts";

const open: Question = { type: "open" };
const end: Question = { type: "open", branching: { type: "end" } };
const goTo = (index: unknown): Question => ({
  type: "open",
  branching: { type: "specific_question", index },
});
const byAnswer = (type: QuestionType, responseValues: unknown, more: object = {}): Question => ({
  type,
  branching: { type: "response_based", responseValues },
  ...more,
});
const rating = (scale: unknown, values: unknown, more: object = {}) =>
  byAnswer("rating", values, { scale, ...more });
const choice = (choices: unknown, values: unknown, more: object = {}) =>
  byAnswer("single_choice", values, { choices, ...more });
const letters = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i));
/** Questions of which each leads to the next, and the last one to the first. */
const circle = (size: number) => Array.from({ length: size }, (_, i) => goTo((i + 1) % size));
const messages = (questions: Question[], options = {}) =>
  checkPaths(questions, options).problems.map(({ message }) => message);

describe("a problem says in a sentence", () => {
  it.each<[string, Question[], string[]]>([
    ["which question leads to itself", circle(1), ["Question 1 never ends, whatever the answers."]],
    [
      "which two questions lead to each other",
      circle(2),
      ["Questions 1 and 2 never end, whatever the answers."],
    ],
    [
      "which eight questions lead around",
      circle(8),
      ["Questions 1, 2, 3, 4, 5, 6, 7 and 8 never end, whatever the answers."],
    ],
    [
      "that more than eight questions lead around",
      circle(9),
      ["Questions 1, 2, 3, 4, 5, 6, 7, 8 and 1 more never end, whatever the answers."],
    ],
    [
      "how many more than eight they are",
      circle(12),
      ["Questions 1, 2, 3, 4, 5, 6, 7, 8 and 4 more never end, whatever the answers."],
    ],
    [
      "that a loop has a way out",
      [open, choice(["Again", "Enough"], { 0: 1, 1: "end" })],
      ["Answers can loop through question 2 forever."],
    ],
    [
      "which question a target past the end would be",
      [goTo(4), end],
      ["Question 1 leads to question 5, but there are only 2.", "No answers lead to question 2."],
    ],
    [
      "which question a target before the start would be",
      [open, goTo(-2)],
      ["Question 2 leads to question -1, but there are only 2."],
    ],
    [
      "that a target is none",
      [open, goTo("1")],
      ["Question 2 has a target that is neither a question nor the end: the next question follows."],
    ],
    [
      "which buckets a scale has",
      [open, rating(10, { negative: "end", promoters: "end" }), end],
      [
        'Question 2 has a rule for "negative", which is not one of its answers. It has: detractors, passives, promoters.',
      ],
    ],
    [
      "which choices there are, of at most eight",
      [choice(letters(8), { 0: "end", 8: 1 }), end],
      ['Question 1 has a rule for "8", which is not one of its answers. It has: 0, 1, 2, 3, 4, 5, 6, 7.'],
    ],
    [
      "nothing of the choices where there are more than eight",
      [choice(letters(9), { 0: "end", 9: 1 }), end],
      ['Question 1 has a rule for "9", which is not one of its answers.'],
    ],
    [
      "which choices there are, skipping not being one",
      [choice(["A", "B"], { 0: "end", 2: 1 }, { optional: true }), end],
      ['Question 1 has a rule for "2", which is not one of its answers. It has: 0, 1.'],
    ],
    [
      "the beginning of a long key",
      [rating(3, { ["x".repeat(101)]: 1, negative: "end" }), end],
      [
        `Question 1 has a rule for "${"x".repeat(100)}", which is not one of its answers. It has: negative, neutral, positive.`,
      ],
    ],
    [
      "nothing of answers that rules cannot tell apart",
      [byAnswer("open", { 0: "end" }), end],
      [
        'Question 1 has a rule for "0", which is not one of its answers.',
        "Question 1 has rules by answer, but every answer leads to question 2.",
      ],
    ],
    [
      "which choice is there twice",
      [open, choice(["A", "B", "A"], { 0: "end", 2: 2 }), end],
      ['Question 2 has the choice "A" twice: the rule of the second one is never used.'],
    ],
    [
      "that every answer leads to the end",
      [rating(3, { negative: "end", neutral: "end", positive: "end" })],
      ["Question 1 has rules by answer, but every answer leads to the end."],
    ],
    [
      "that a rating's scale is none",
      [open, rating(4, {})],
      ["Question 2 has rules by answer, but no scale that rules support: it leads nowhere."],
    ],
    [
      "that a choice has none",
      [open, choice("A", {})],
      ["Question 2 has rules by answer, but no choices: it leads nowhere."],
    ],
    [
      "that a question may not be skipped",
      [open, rating(3, { negative: "end" }, { optional: true }), end],
      [
        "Question 2 is optional, but its rules do not cover a skipped answer: public SDKs treat it as required.",
      ],
    ],
    [
      "that a rule is of no kind",
      [open, { branching: { type: "jump" } }],
      ["Question 2 has a rule of an unknown kind: the next question follows."],
    ],
  ])("%s", (_, questions, expected) => {
    expect(messages(questions)).toEqual(expected);
  });

  it("that shuffled questions have rules, at the first one with any", () => {
    const { problems } = checkPaths([open, { branching: { type: "next_question" } }, end, goTo(0)], {
      shuffled: true,
    });
    const shuffled = problems.find(({ code }) => code === "shuffled");
    expect(shuffled).toMatchObject({
      question: 2,
      severity: "warning",
      message: "Questions are shuffled, but the rules depend on their order: turn off one of the two.",
    });
  });
});

describe("a rule by answer", () => {
  const codes = (question: Question) =>
    checkPaths([question, open, open]).problems.map(({ code, answer_key }) => [code, answer_key]);

  it.each<[string, Question, unknown[]]>([
    ["may lead an answer nowhere in particular", choice(["A", "B"], { 0: null, 1: "end" }), []],
    ["may leave an answer undefined", choice(["A", "B"], { 0: undefined, 1: "end" }), []],
    ["may be missing", choice(["A", "B"], null), [["no_effect", null]]],
    ["is none where a text stands instead", choice(["A", "B"], "xy"), [["no_effect", null]]],
    ["is none where a list stands instead", choice(["A", "B"], ["end", 2]), [["no_effect", null]]],
    [
      "is no duplicate's where only a rating has a list of choices",
      rating(3, { 0: "end", negative: "end" }, { choices: ["A", "B"] }),
      [["impossible_key", "0"]],
    ],
    [
      "is no duplicate's where the choices are a text",
      choice("AB", { 0: "end" }),
      [
        ["dead_end", "answered"],
        ["impossible_key", "0"],
        ["unreachable", null],
        ["unreachable", null],
      ],
    ],
    [
      "by a number that is written otherwise is no duplicate's",
      choice(["A", "A"], { "01": "end", 0: "end" }),
      [
        ["impossible_key", "01"],
        ["no_effect", null],
        ["unreachable", null],
        ["unreachable", null],
      ],
    ],
    [
      "that leads every answer before the start is out of range, and no dead end",
      rating(2, { positive: -1, negative: -1 }),
      [
        ["target_out_of_range", "positive"],
        ["target_out_of_range", "negative"],
        ["unreachable", null],
        ["unreachable", null],
      ],
    ],
  ])("%s", (_, question, expected) => {
    expect(codes(question)).toEqual(expected);
  });

  it.each(["", null, undefined, "next_question"])("is not missed in a rule of the kind %j", (type) => {
    expect(codes({ type: "open", branching: { type } })).toEqual([]);
  });

  it("is unknown where rules are a list", () => {
    expect(codes({ type: "open", branching: [{ type: "end" }] })).toEqual([["ignored_rule", null]]);
  });
});

describe("the order of problems", () => {
  it("is errors first, then by question, in whichever order they are found", () => {
    const questions = [
      { branching: { type: "jump" } },
      goTo(9),
      open,
      { branching: { type: "skip" } },
      goTo(-1),
      goTo(6),
    ];
    const order = checkPaths(questions).problems.map(({ severity, question }) => [severity, question]);
    expect(order).toEqual([
      ...[1, 4, 5].map((question) => ["error", question]),
      ...[0, 2, 3, 3, 4, 5].map((question) => ["warning", question]),
    ]);
  });

  it("leaves a survey with nothing but warnings launchable, and none with an error", () => {
    const warned = checkPaths([{ branching: { type: "jump" } }, open]);
    expect([warned.launchable, warned.problems.length]).toEqual([true, 1]);
    const wrong = checkPaths([{ branching: { type: "jump" } }, goTo(-1)]);
    expect([wrong.launchable, wrong.problems.length]).toEqual([false, 2]);
    expect(checkPaths([open]).launchable).toBe(true);
  });
});

describe("a counterexample", () => {
  const play = ({ counterexample }: Problem) =>
    counterexample?.map(({ question, response }) => [question, response]) ?? null;
  const first = (questions: Question[]) => {
    const [problem] = checkPaths(questions).problems;
    if (!problem) throw new Error("There is no problem.");
    return problem;
  };

  it("enters a loop where answers come to it first, and leads around once", () => {
    const loop = first([goTo(2), goTo(2), goTo(1)]);
    expect(loop).toMatchObject({ code: "endless_loop", question: 2, questions: [1, 2], repeats_from: 1 });
    expect(play(loop)).toEqual([
      [0, "Something"],
      [2, "Something"],
      [1, "Something"],
    ]);
  });

  it("goes around the shortest way, and through questions of the loop only", () => {
    const side = choice(["Out", "Round"], { 0: 2, 1: 3 });
    const loop = first([open, side, end, goTo(1)]);
    expect(loop).toMatchObject({ code: "loop", question: 1, questions: [1, 3], repeats_from: 1 });
    expect(play(loop)).toEqual([
      [0, "Something"],
      [1, "Round"],
      [3, "Something"],
    ]);
  });

  it("takes the first of several answers that lead on", () => {
    const both = choice(["A", "B", "C"], { 0: "end", 1: 2, 2: 2 });
    expect(play(first([both, open, goTo(9)]))).toEqual([
      [0, "B"],
      [2, "Something"],
    ]);
  });

  it("ends with the answer that it is about", () => {
    expect(play(first([open, choice(["A", "B"], { 1: 9 })]))).toEqual([
      [0, "Something"],
      [1, "B"],
    ]);
    expect(play(first([goTo(-1), open]))).toEqual([[0, "Something"]]);
    expect(play(first([open, rating(4, {})]))).toEqual([
      [0, "Something"],
      [1, 1],
    ]);
  });

  it("only leads to the question where no single answer is to blame", () => {
    const problem = first([open, { branching: { type: "jump" } }]);
    expect([problem.question, problem.questions]).toEqual([1, [1]]);
    expect(play(problem)).toEqual([[0, "Something"]]);
    expect(problem.repeats_from).toBeNull();
  });

  it("is none where no answers lead to the question", () => {
    expect(play(first([end, goTo(9)]))).toBeNull();
  });
});
