import { describe, expect, it } from "vitest";
import type { Question } from "#lib/engines/branching/question.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { buildCrosstab, categoriesOf, type PairCount } from "./crosstab.ts";

const nps: TableQuestion = { id: "nps", question: "How likely?", type: "rating", scale: 10 };
const how: TableQuestion = {
  id: "how",
  question: "Where?",
  type: "single_choice",
  choices: ["Web", "App"],
  choice_ids: ["w", "a"],
  choice_records: [
    { id: "w", texts: [{ text: "Web", from: null, until: null }] },
    { id: "a", texts: [{ text: "App", from: null, until: null }] },
    { id: "f", texts: [{ text: "Fax machine", from: null, until: 1 }] },
  ],
};
const what: TableQuestion = { id: "what", question: "What?", type: "multiple_choice", choices: ["A", "B"] };
const NOW = "2026-03-01T00:00:00Z";

const side = (question: TableQuestion, ratings: "buckets" | "values" = "buckets") => ({
  question,
  categories: categoriesOf(question, ratings) ?? [],
});
const tallyPairs = (...list: [a: string, b: string, n: number][]): PairCount[] =>
  list.map(([a, b, n]) => ({ a, b, n }));
const counts = ({ cells }: ReturnType<typeof buildCrosstab>) =>
  cells.map((row) => row.map(({ count }) => count));
const figure = (...conditions: object[]) => ({ figure: JSON.stringify(conditions) });

describe("the categories of a question", () => {
  const keys = (question: TableQuestion, ratings: "buckets" | "values" = "buckets") =>
    categoriesOf(question, ratings)?.map(({ key }) => key);

  it("are those of its answers", () => {
    expect(keys(nps)).toEqual(["detractors", "passives", "promoters"]);
    expect(keys({ ...nps, scale: 5 }, "values")).toEqual(["1", "2", "3", "4", "5"]);
    expect(keys(nps, "values")).toHaveLength(11);
    expect(keys(how)).toEqual(["Web", "App", "<former> Fax machine", "<other>"]);
    expect(keys(how, "values")).toEqual(keys(how));
  });

  it.each<Question>([{ type: "open" }, { type: "link" }, { type: "rating", scale: 4 }])(
    "are none of %j",
    (fields) => {
      expect(categoriesOf({ ...fields, id: "q", question: "?" }, "buckets")).toBeNull();
    },
  );
});

describe("a table of two questions", () => {
  const pairs = tallyPairs(
    ["3", "0", 20],
    ["0", "0", 10],
    ["8", "0", 6],
    ["10", "1", 20],
    ["9", "o", 4],
    // Off the scale, and no category.
    ["?", "0", 100],
  );
  const table = buildCrosstab(pairs, side(nps), side(how), NOW);

  it("counts responses by the categories of both", () => {
    expect(table).toMatchObject({
      as_of: NOW,
      total: 60,
      row_question: { question_id: "nps", question: "How likely?", multiple: false },
      column_question: { question_id: "how", question: "Where?", multiple: false },
    });
    expect(table.row_categories.map(({ key, label, count }) => [key, label, count])).toEqual([
      ["detractors", "detractors", 30],
      ["passives", "passives", 6],
      ["promoters", "promoters", 24],
    ]);
    // Nobody picked the former choice.
    expect(table.column_categories.map(({ key, label, count }) => [key, label, count])).toEqual([
      ["Web", "Web", 36],
      ["App", "App", 20],
      ["<other>", "Other", 4],
    ]);
    expect(counts(table)).toEqual([
      [30, 0, 0],
      [6, 0, 0],
      [0, 20, 4],
    ]);
  });

  it("sets each cell against what would be expected", () => {
    expect(table.cells[0]?.[0]).toMatchObject({
      expected: 18,
      row_share: 1,
      column_share: 30 / 36,
      small: false,
      direction: "more",
    });
    expect(table.cells[0]?.[1]).toMatchObject({
      expected: 10,
      row_share: 0,
      column_share: 0,
      small: true,
      direction: "fewer",
    });
    expect(table.cells[1]?.[2]).toMatchObject({ expected: 0.4, direction: "none", small: true });
    expect(table.cells[2]?.[2]).toMatchObject({ row_share: 4 / 24, column_share: 1, small: true });
  });

  it("is tested as a whole, and says what to make of it", () => {
    // 60 (30² / (30 · 36) + 6² / (6 · 36) + 20² / (24 · 20) + 4² / (24 · 4)) − 60
    expect(table.test).toMatchObject({ name: "chi_square", degrees_of_freedom: 4 });
    expect(table.test?.statistic).toBeCloseTo(60, 9);
    expect(table.test?.cramers_v).toBeCloseTo(Math.sqrt(0.5), 9);
    expect(table.notes).toEqual([
      "5 of 9 cells expect fewer than 5 responses: the chi-square test is approximate.",
      "Cells with fewer than 5 responses are marked: interpret them with care.",
      "p-values of cells are corrected by Holm's method for the number of cells.",
    ]);
  });

  it("opens the responses of each figure", () => {
    const detractors = { question_id: "nps", operator: "bucket", value: ["detractors"] };
    const web = { question_id: "how", operator: "exact", value: ["Web"] };
    expect(table.cells[0]?.[0]?.rows).toEqual(figure(detractors, web));
    expect(table.cells[0]?.[2]?.rows).toEqual(figure(detractors, { question_id: "how", operator: "other" }));
    expect(table.row_categories[0]?.rows).toEqual(
      figure(detractors, { question_id: "how", operator: "is_set" }),
    );
    const rated = Array.from({ length: 11 }, (_, i) => String(i));
    expect(table.column_categories[0]?.rows).toEqual(
      figure(web, { question_id: "nps", operator: "exact", value: rated }),
    );
  });

  it("has former choices that were picked", () => {
    const former = buildCrosstab(
      tallyPairs(["f0", "9", 2], ["0", "3", 1]),
      side(how),
      side(nps, "values"),
      NOW,
    );
    expect(former.row_categories.map(({ key, label, count }) => [key, label, count])).toEqual([
      ["Web", "Web", 1],
      ["App", "App", 0],
      ["<former> Fax machine", "Fax machine (former choice)", 2],
    ]);
    expect(former.cells[2]?.[9]).toMatchObject({
      count: 2,
      rows: figure(
        { question_id: "how", operator: "former", value: ["Fax machine"] },
        { question_id: "nps", operator: "exact", value: ["9"] },
      ),
    });
    // A row without any has no shares.
    expect(former.cells[1]?.[9]).toMatchObject({
      row_share: null,
      column_share: 0,
      expected: 0,
      p_value: null,
    });
  });

  it("counts a response in several cells where several answers are given, and once in all", () => {
    const several = buildCrosstab(
      tallyPairs(["0,1", "0", 3], ["1", "1", 9], ["0,o", "0", 5]),
      side(what),
      side(how),
      NOW,
    );
    expect(several).toMatchObject({ total: 17, test: null, row_question: { multiple: true } });
    expect(several.column_question.multiple).toBe(false);
    expect(several.row_categories.map(({ count }) => count)).toEqual([8, 12, 5]);
    expect(several.column_categories.map(({ count }) => count)).toEqual([8, 9]);
    expect(counts(several)).toEqual([
      [8, 0],
      [3, 9],
      [5, 0],
    ]);
    expect(several.notes[0]).toMatch(/^A multiple-choice question puts one response into several cells/);
    expect(buildCrosstab(tallyPairs(["0", "0", 1]), side(how), side(what), NOW)).toMatchObject({
      test: null,
      column_question: { multiple: true },
    });
  });

  it("is tested exactly where few answered", () => {
    const few = buildCrosstab(tallyPairs(["3", "0", 3], ["10", "1", 3]), side(nps), side(how), NOW);
    expect(few.test).toMatchObject({ name: "fisher", statistic: null });
    // 2 of the 20 ways to choose three of six.
    expect(few.test?.p_value).toBeCloseTo(0.1, 9);
    expect(few.notes[0]).toBe("Few responses: Fisher's exact test instead of chi-square.");
    expect(few.notes).toHaveLength(3);
    expect(few.cells[0]?.[0]?.direction).toBe("none");
  });

  it("has no notes where there are enough everywhere", () => {
    const yes = { ...how, choice_records: undefined };
    const categories = side(yes).categories.slice(0, 2);
    const sides = { question: yes, categories };
    const table = buildCrosstab(
      tallyPairs(["0", "0", 60], ["0", "1", 40], ["1", "0", 40], ["1", "1", 60]),
      sides,
      sides,
      NOW,
    );
    expect(table.notes).toEqual([
      "p-values of cells are corrected by Holm's method for the number of cells.",
    ]);
    expect(table.test?.statistic).toBeCloseTo(8, 9);
    // All four cells are as far from what is expected; each p is corrected for four of them.
    const { p_value } = table.cells[0]?.[0] ?? {};
    expect(p_value).toBeCloseTo(4 * (table.test?.p_value ?? 0), 9);
    expect(table.cells.map((row) => row.map(({ direction }) => direction))).toEqual([
      ["more", "fewer"],
      ["fewer", "more"],
    ]);
  });

  it("of nothing has nothing to compare", () => {
    const none = buildCrosstab([], side(nps), side(how), NOW);
    expect(none).toMatchObject({ total: 0, test: null });
    expect(none.cells[0]?.[0]).toMatchObject({
      count: 0,
      expected: null,
      row_share: null,
      column_share: null,
      p_value: null,
      direction: "none",
      small: true,
    });
    expect(none.notes).toEqual([
      "No response answers both questions.",
      "Cells with fewer than 5 responses are marked: interpret them with care.",
      "p-values of cells are corrected by Holm's method for the number of cells.",
    ]);
  });
});
