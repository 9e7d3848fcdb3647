import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { everyAnswer, generatedQuestions } from "#testing/survey-questions.ts";
import { BranchingError, nextStep, type Step } from "./branching.ts";
import { checkPaths, classesOf, classOf, type PathReport, type Problem, type Traffic } from "./paths.ts";
import type { Question } from "./question.ts";

const open: Question = { type: "open" };
const goTo = (index: unknown): Question => ({
  type: "open",
  branching: { type: "specific_question", index },
});
const end: Question = { type: "open", branching: { type: "end" } };
const rating = (scale: number, responseValues: unknown, more = {}): Question => ({
  type: "rating",
  scale,
  branching: { type: "response_based", responseValues },
  ...more,
});
const choice = (choices: unknown, responseValues: unknown, more = {}): Question => ({
  type: "single_choice",
  choices,
  branching: { type: "response_based", responseValues },
  ...more,
});
const YES_NO = ["Yes", "No"];
const brief = ({ problems }: PathReport) =>
  problems.map(({ code, severity, question, answer_key }) => [code, severity, question, answer_key]);

/** Plays a counterexample and says what it shows. */
function played(questions: Question[], { counterexample }: Problem) {
  let at: Step | "stuck" = 0;
  for (const { question, response } of counterexample ?? []) {
    expect(at).toBe(question);
    try {
      at = nextStep(questions, question, response);
    } catch (error) {
      expect(error).toBeInstanceOf(BranchingError);
      at = "stuck";
    }
  }
  return at;
}

describe("problems", () => {
  it.each<[string, Question[], unknown[]]>([
    ["no questions", [], []],
    ["no rules", [open, open], []],
    ["a rule for each answer", [rating(5, { negative: 1, neutral: 2, positive: "end" }), open, end], []],
    ["scale 2", [rating(2, { positive: "end", negative: 1 }), open], []],
    ["an open choice", [choice(["Yes", "Other"], { 1: "end" }, { hasOpenChoice: true }), open], []],
    ["an explicit next question, on the last one too", [{ branching: { type: "next_question" } }], []],
    ["next_question for an answer", [choice(YES_NO, { 0: "next_question", 1: "end" }), open], []],
    ["a null rule, and one without a kind", [{ type: "open", branching: null }, { branching: {} }], []],
    ["a question that leads to itself", [open, goTo(1)], [["endless_loop", "error", 1, null]]],
    ["a loop of three", [open, open, goTo(0)], [["endless_loop", "error", 0, null]]],
    [
      "a loop with a way out",
      [open, rating(5, { negative: 0, neutral: "end", positive: "end" })],
      [["loop", "error", 0, null]],
    ],
    [
      "two loops, one of them without a way out",
      [choice(YES_NO, { 0: 0, 1: 1 }), goTo(1)],
      [
        ["endless_loop", "error", 0, null],
        ["endless_loop", "error", 1, null],
      ],
    ],
    ["a loop that nothing leads to", [end, goTo(1)], [["unreachable", "warning", 1, null]]],
    [
      "an index past the end",
      [goTo(2), open],
      [
        ["target_out_of_range", "error", 0, "answered"],
        ["unreachable", "warning", 1, null],
      ],
    ],
    ["an index before the start", [open, goTo(-1)], [["target_out_of_range", "error", 1, "answered"]]],
    [
      "an answer's index past the end",
      [choice(YES_NO, { 0: 7 }), open],
      [["target_out_of_range", "error", 0, "0"]],
    ],
    [
      "a bucket of another scale",
      [rating(10, { negative: "end", promoters: "end" }), open],
      [["impossible_key", "error", 0, "negative"]],
    ],
    [
      "neutral of two thumbs",
      [rating(2, { neutral: 1, positive: "end" }), open],
      [["impossible_key", "error", 0, "neutral"]],
    ],
    [
      "a choice that is not there",
      [choice(YES_NO, { 0: "end", 2: "end" }), open],
      [["impossible_key", "error", 0, "2"]],
    ],
    [
      "a choice by its text",
      [choice(YES_NO, { Yes: "end", 0: "end" }), open],
      [["impossible_key", "error", 0, "Yes"]],
    ],
    [
      "a choice with a leading zero",
      [choice(YES_NO, { "00": "end", 0: "end" }), open],
      [["impossible_key", "error", 0, "00"]],
    ],
    [
      "rules by answer of a text",
      [{ type: "open", branching: { type: "response_based", responseValues: { 0: "end" } } }, open],
      [
        ["impossible_key", "error", 0, "0"],
        ["no_effect", "warning", 0, null],
      ],
    ],
    ["a scale that nobody knows", [rating(4, {})], [["dead_end", "error", 0, "answered"]]],
    ["choices that are none", [choice("Yes", {})], [["dead_end", "error", 0, "answered"]]],
    [
      "a rating that may be skipped",
      [rating(5, { negative: "end" }, { optional: true }), open],
      [["stuck_when_skipped", "warning", 0, "skipped"]],
    ],
    ["a choice that may be skipped", [choice(YES_NO, { 0: "end" }, { optional: true }), open], []],
    ["rules without effect", [rating(3, { negative: 1 }), open], [["no_effect", "warning", 0, null]]],
    [
      "a target that is a text",
      [choice(YES_NO, { 0: "1", 1: "end" }), open],
      [["ignored_rule", "warning", 0, "0"]],
    ],
    ["a target that is no whole number", [goTo(1.5), open], [["ignored_rule", "warning", 0, "answered"]]],
    ["a target that is missing", [goTo(undefined), open], [["ignored_rule", "warning", 0, "answered"]]],
    [
      "a rule of no known kind",
      [{ branching: { type: "jump" } }, open],
      [["ignored_rule", "warning", 0, null]],
    ],
    ["rules that are a text", [{ branching: "end" }, open], [["ignored_rule", "warning", 0, null]]],
    [
      "a choice twice",
      [choice(["A", "A"], { 0: "end", 1: 1 }), open, open],
      [
        ["duplicate_choice", "warning", 0, "1"],
        ["no_effect", "warning", 0, null],
        ["unreachable", "warning", 1, null],
        ["unreachable", "warning", 2, null],
      ],
    ],
    ["a question that is passed over", [goTo(2), open, open], [["unreachable", "warning", 1, null]]],
  ])("%s", (_, questions, problems) => {
    expect(brief(checkPaths(questions))).toEqual(problems);
  });

  it("warns about rules of shuffled questions", () => {
    expect(brief(checkPaths([open, end], { shuffled: true }))).toEqual([["shuffled", "warning", 1, null]]);
    expect(brief(checkPaths([open, open], { shuffled: true }))).toEqual([]);
  });

  it("shows a loop as answers that come round again", () => {
    const questions = [open, choice(YES_NO, { 0: 3, 1: "end" }), open, open, goTo(1)];
    const [loop] = checkPaths(questions).problems;
    expect(loop).toMatchObject({ code: "loop", questions: [1, 3, 4], repeats_from: 1 });
    expect(loop?.counterexample?.map(({ question }) => question)).toEqual([0, 1, 3, 4]);
    expect(loop?.counterexample?.[1]).toMatchObject({ response: "Yes", answer: { key: "choice:0" } });
    expect(loop && played(questions, loop)).toBe(1);
    expect(loop?.message).toBe("Answers can loop through questions 2, 4 and 5 forever.");
  });

  it("are none of a survey without questions", () => {
    expect(checkPaths([])).toEqual({
      every_path_ends: true,
      launchable: true,
      problems: [],
      problems_left_out: 0,
      outcomes: [],
      reachable: [],
      lengths: { shortest: 0, longest: 0, expected: 0 },
    });
  });

  it("lists a hundred problems, and counts the others", () => {
    const report = checkPaths(Array.from({ length: 150 }, () => goTo(-1)));
    expect([report.problems.length, report.problems_left_out]).toEqual([100, 199]);
  });
});

describe("lengths", () => {
  const split = choice(YES_NO, { 0: "end" });
  const stuck = rating(2, { positive: -1, negative: "end" });
  it.each([
    ["no questions", [], { shortest: 0, longest: 0, expected: 0 }],
    ["three in a row", [open, open, open], { shortest: 3, longest: 3, expected: 3 }],
    ["an early end", [split, open, open], { shortest: 1, longest: 3, expected: 2 }],
    ["a way out of a loop", [open, choice(YES_NO, { 0: 0 })], { shortest: 2, longest: null, expected: null }],
    [
      "an end or a loop",
      [choice(YES_NO, { 0: 0, 1: "end" })],
      { shortest: 1, longest: null, expected: null },
    ],
    [
      "a loop before an end",
      [choice(YES_NO, { 0: 0 }), open],
      { shortest: 2, longest: null, expected: null },
    ],
    ["no end", [goTo(0)], { shortest: null, longest: null, expected: null }],
    ["a dead end", [rating(4, {})], { shortest: null, longest: null, expected: null }],
  ])("of %s", (_, questions, lengths) => {
    expect(checkPaths(questions).lengths).toEqual(lengths);
  });

  it("weigh answers by the traffic they had", () => {
    const traffic = [{ "choice:0": 3, "choice:1": 1 }];
    expect(checkPaths([split, open, open], { traffic }).lengths.expected).toBe(1.5);
    expect(checkPaths([split, open, open], { traffic: [{}] }).lengths.expected).toBe(2);
  });

  it.each<[string, Question[], Traffic, number | null]>([
    ["count what was never given as 0", [split, open, open], [{ "choice:0": 5 }], 1],
    ["leave out answers that the question no longer has", [split, open, open], [{ "choice:7": 9 }], 2],
    ["count less than nothing as 0", [split, open, open], [{ "choice:0": -3, "choice:1": 2 }], 3],
    ["count only questions with traffic by it", [open, split, open], [undefined, { "choice:1": 2 }], 3],
    // Eight answers in ten end after two questions, the others after three.
    [
      "add up question by question",
      [open, split, open],
      [{ answered: 1 }, { "choice:0": 8, "choice:1": 2 }],
      2.2,
    ],
    ["do not count answers that lead nowhere", [stuck, open, open], [{ positive: 5, negative: 1 }], 1],
    ["share evenly what leads on where the others lead nowhere", [stuck, open, open], [{ positive: 5 }], 1],
    ["are none where no answer leads on", [rating(4, {}), open], [{ answered: 3 }], null],
    ["are none where a way that is gone leads nowhere", [split, rating(4, {})], [{ "choice:1": 1 }], null],
    ["are of the ways that are gone", [split, rating(4, {})], [{ "choice:0": 1 }], 1],
  ])("%s", (_, questions, traffic, expected) => {
    expect(checkPaths(questions, { traffic }).lengths.expected).toBe(expected);
  });

  it("are unknown at the most where an answer leads on to a dead end only", () => {
    expect(checkPaths([open, rating(4, {})]).lengths).toEqual({
      shortest: null,
      longest: null,
      expected: null,
    });
    expect(checkPaths([split, rating(4, {})]).lengths).toMatchObject({ shortest: 1, longest: 1 });
  });
});

describe("classes of answers", () => {
  it.each([
    [rating(10, {}), 7, "passives"],
    [rating(2, {}), 1, "positive"],
    [rating(5, {}, { optional: true }), null, "skipped"],
    [rating(5, {}), null, null],
    [rating(5, {}), 9, null],
    [choice(YES_NO, {}), "No", "choice:1"],
    [choice(YES_NO, {}), "Maybe", null],
    [choice(YES_NO, {}, { hasOpenChoice: true }), "Maybe", "choice:1"],
    [choice(YES_NO, {}, { optional: true, hasOpenChoice: true }), "", "skipped"],
    [open, "text", "answered"],
    [{ type: "rating", scale: 5 } as const, 3, "answered"],
  ])("%j answered by %j is in %s", (question, response, key) => {
    expect(classOf(question, response)).toBe(key);
  });
});

/** Walks every way, answer by answer, as far as ways can differ. */
function simulate(questions: Question[]) {
  const seen = new Set<number>();
  const rounds = new Set<number>();
  let [stuck, shortest, longest] = [false, Infinity, 0];
  const visit = (at: number, path: number[]) => {
    seen.add(at);
    if (path.includes(at)) {
      for (const question of path.slice(path.indexOf(at))) rounds.add(question);
      return;
    }
    const way = [...path, at];
    for (const answer of everyAnswer(questions[at] ?? {})) {
      let next: Step;
      try {
        next = nextStep(questions, at, answer);
      } catch {
        stuck = true;
        continue;
      }
      if (next !== "end") visit(next, way);
      else [shortest, longest] = [Math.min(shortest, way.length), Math.max(longest, way.length)];
    }
  };
  visit(0, []);
  return { seen, rounds, stuck, shortest, longest };
}

/** Where every single answer to a question leads. */
const leadsTo = (questions: Question[], at: number): (Step | "stuck")[] =>
  everyAnswer(questions[at] ?? {}).map((answer) => {
    try {
      return nextStep(questions, at, answer);
    } catch {
      return "stuck";
    }
  });

/** Questions from which somebody can come to the end. */
function endable(questions: Question[]): Set<number> {
  const found = new Set<number>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    questions.forEach((_, at) => {
      if (leadsTo(questions, at).some((to) => to === "end" || (to !== "stuck" && found.has(to))))
        found.add(at);
    });
  }
  return found;
}

describe("against every single answer", () => {
  it("finds the same loops, ends, lengths and reachable questions", () => {
    fc.assert(
      fc.property(generatedQuestions, (questions) => {
        const report = checkPaths(questions);
        const { seen, rounds, stuck, shortest, longest } = simulate(questions);
        expect(report.reachable).toEqual([...seen].sort((a, b) => a - b));
        expect(report.every_path_ends).toBe(rounds.size === 0 && !stuck);
        const loops = report.problems.filter(({ code }) => code === "loop" || code === "endless_loop");
        expect(new Set(loops.flatMap((loop) => loop.questions))).toEqual(rounds);
        const ends = endable(questions);
        for (const loop of loops)
          expect(loop.code === "loop").toBe(loop.questions.some((question) => ends.has(question)));
        expect(report.lengths.shortest).toBe(shortest === Infinity ? null : shortest);
        if (rounds.size === 0) expect(report.lengths.longest).toBe(longest || null);
        const { expected } = report.lengths;
        if (expected !== null) {
          expect(expected).toBeGreaterThanOrEqual(shortest - 1e-9);
          expect(expected).toBeLessThanOrEqual(longest + 1e-9);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds the same rules without effect, and the same dead ends", () => {
    fc.assert(
      fc.property(generatedQuestions, (questions) => {
        const { problems } = checkPaths(questions);
        questions.forEach((question, at) => {
          const rules = question.branching as { type?: string } | undefined;
          if (rules?.type !== "response_based") return;
          const told = (code: string) =>
            problems.some((found) => found.code === code && found.question === at);
          const leads = new Set(leadsTo(questions, at));
          expect(told("no_effect")).toBe(leads.size === 1 && !leads.has("stuck"));
          if (told("dead_end")) expect([...leads]).toEqual(["stuck"]);
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it("puts every answer into a class that leads where the answer leads", () => {
    fc.assert(
      fc.property(generatedQuestions, (questions) => {
        const { outcomes } = checkPaths(questions);
        questions.forEach((question, from) => {
          for (const answer of everyAnswer(question)) {
            const key = classOf(question, answer);
            const outcome = outcomes.find((found) => found.from === from && found.answer.key === key);
            let to: Step | "stuck" = "stuck";
            try {
              to = nextStep(questions, from, answer);
            } catch {}
            expect(outcome?.to).toBe(to);
          }
          for (const { key, response } of classesOf(question)) expect(classOf(question, response)).toBe(key);
        });
      }),
      { numRuns: 1_000 },
    );
  });

  const shows = (report: PathReport, questions: Question[], problem: Problem) => {
    const { code, question, counterexample, repeats_from, answer_key } = problem;
    if (!report.reachable.includes(question)) return expect(counterexample).toBeNull();
    const at = played(questions, problem);
    if (repeats_from !== null) return expect(at).toBe(counterexample?.[repeats_from]?.question);
    if (code === "dead_end" || code === "stuck_when_skipped") return expect(at).toBe("stuck");
    if (code === "target_out_of_range" && counterexample?.at(-1)?.question === question)
      return expect(["end", "stuck"]).toContain(at);
    return answer_key === null && expect(at).toBe(question);
  };

  it("gives counterexamples that can be played", () => {
    fc.assert(
      fc.property(generatedQuestions, (questions) => {
        const report = checkPaths(questions);
        for (const problem of report.problems) shows(report, questions, problem);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("cost", () => {
  const bucket = (i: number, n: number) =>
    rating(10, { detractors: (i * 7) % n, passives: (i * 13) % n, promoters: i + 1 < n ? i + 1 : "end" });
  const chosen = (i: number, n: number) => {
    const choices = Array.from({ length: 20 }, (_, c) => `Choice ${c}`);
    return choice(choices, Object.fromEntries(choices.map((_, c) => [c, Math.min(n - 1, i + c + 1)])));
  };

  it.each([
    ["ratings that lead anywhere", bucket],
    ["choices that lead forwards", chosen],
  ])("checks 200 questions of %s in under 50 ms", (_, make) => {
    const questions = Array.from({ length: 200 }, (_, i) => make(i, 200));
    const times = Array.from({ length: 20 }, () => {
      const began = performance.now();
      checkPaths(questions);
      return performance.now() - began;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  it("grows with the rules, not with the ways through them", () => {
    const report = checkPaths(Array.from({ length: 5_000 }, (_, i) => bucket(i, 5_000)));
    expect(report.reachable).toHaveLength(5_000);
  });
});
