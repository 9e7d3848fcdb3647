import { describe, expect, it } from "vitest";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { type SummaryAnswer, summarize, summaryText } from "./sentences.ts";

const answersOf = (...values: unknown[]): SummaryAnswer[] =>
  values.map((value, i) => ({ response_id: `r${i}`, value, rating: null }));
const rated = (...list: [text: string, rating: number | null, times: number][]): SummaryAnswer[] =>
  list
    .flatMap(([value, rating, times]) => Array.from({ length: times }, () => ({ value, rating })))
    .map((answer, i) => ({ response_id: `r${i}`, ...answer }));

const nps: TableQuestion = { id: "nps", type: "rating", question: "How likely?", scale: 10 };
const smiles: TableQuestion = { ...nps, scale: 5 };
const how: TableQuestion = {
  id: "how",
  type: "single_choice",
  question: "Where?",
  choices: ["Web", " App "],
};
const open: TableQuestion = { id: "why", type: "open", question: "Why?" };
const scale = { scale: 10, question: "How likely?" };

const brief = (found: ReturnType<typeof summarize>) =>
  found.map(({ key, kind, text, response_ids }) => [key, kind, text, response_ids.join(" ")]);

describe("what is said of ratings", () => {
  it("is their mean, and the share of each part of the scale that anybody chose", () => {
    expect(brief(summarize(smiles, answersOf(5, "x", "4", 2, 9, null, 5), null))).toEqual([
      ["all", "overall", "4 ratings average 4.00 on the scale from 1 to 5.", "r0 r2 r3 r6"],
      ["bucket:negative", "share", "1 of 4 (25.0%) are negative.", "r3"],
      ["bucket:positive", "share", "3 of 4 (75.0%) are positive.", "r0 r2 r6"],
    ]);
    expect(summarize(smiles, answersOf(3), null).map(({ text }) => text)).toEqual([
      "1 rating averages 3.00 on the scale from 1 to 5.",
      "1 of 1 (100.0%) are neutral.",
    ]);
  });

  it("of a scale from 0 to 10 has the net promoter score", () => {
    const texts = summarize(nps, answersOf(0, 6, 7, 8, 9, 10, 10, 9), null).map(({ text }) => text);
    expect(texts[0]).toMatch(
      /^8 ratings average 7\.38 on the scale from 0 to 10; the net promoter score is 25\.0 \(95% interval −\d+\.\d to \+\d+\.\d\)\.$/,
    );
    expect(texts.slice(1)).toEqual([
      "2 of 8 (25.0%) are detractors (0 to 6).",
      "2 of 8 (25.0%) are passives (7 or 8).",
      "4 of 8 (50.0%) are promoters (9 or 10).",
    ]);
  });

  it("is nothing where none is on the scale", () => {
    expect(summarize(smiles, answersOf("x", 9), null)).toEqual([]);
  });
});

describe("what is said of choices", () => {
  it("is the share of each that anybody picked, the most frequent first", () => {
    const answers = answersOf("App", "Web", "By letter", "App", ["By bird"]);
    expect(brief(summarize(how, answers, null))).toEqual([
      ["choice:App", "share", "2 of 5 (40.0%) chose “App”.", "r0 r3"],
      ["other", "share", "2 of 5 (40.0%) wrote their own answer.", "r2 r4"],
      ["choice:Web", "share", "1 of 5 (20.0%) chose “Web”.", "r1"],
    ]);
  });

  it("counts a person for each of several, and finds themes in what they wrote besides", () => {
    const several: TableQuestion = { ...how, type: "multiple_choice" };
    const found = summarize(several, answersOf(["Web", "on paper"], ["App", "Web"], ["paper forms"]), null);
    expect(brief(found)).toEqual([
      ["choice:Web", "share", "2 of 3 (66.7%) chose “Web”.", "r0 r1"],
      ["other", "share", "2 of 3 (66.7%) wrote their own answer.", "r0 r2"],
      ["choice:App", "share", "1 of 3 (33.3%) chose “App”.", "r1"],
      [
        "theme:paper",
        "theme",
        expect.stringMatching(
          /^2 of 2 answers \(100\.0%\) mention “paper”; 95% interval \d+\.\d% to 100\.0%\.$/,
        ),
        "r0 r2",
      ],
    ]);
    expect(found[3]?.quotes).toEqual([
      { response_id: "r2", text: "paper forms" },
      { response_id: "r0", text: "on paper" },
    ]);
  });

  it("knows former choices by their note", () => {
    const records = [
      { id: "w", texts: [{ text: "Web", from: null, until: null }] },
      { id: "f", texts: [{ text: "Fax", from: null, until: 1 }] },
    ];
    const question = { ...how, choices: ["Web"], choice_ids: ["w"], choice_records: records };
    expect(brief(summarize(question, answersOf("Fax (former choice)", "Fax"), null))).toEqual([
      ["choice:Fax (former choice)", "share", "1 of 2 (50.0%) chose “Fax (former choice)”.", "r0"],
      ["other", "share", "1 of 2 (50.0%) wrote their own answer.", "r1"],
    ]);
  });
});

describe("what is said of other answers", () => {
  it.each<[TableQuestion, number, string]>([
    [{ ...open, type: "link" }, 1, "1 person followed the link."],
    [{ ...open, type: "link" }, 3, "3 people followed the link."],
    [open, 1, "1 answer was given; they share no theme."],
    [open, 2, "2 answers were given; they share no theme."],
  ])("counts them: %j", (question, n, text) => {
    expect(brief(summarize(question, answersOf(...["a1", "b2", "c3"].slice(0, n)), scale))).toEqual([
      ["all", "overall", text, ["r0", "r1", "r2"].slice(0, n).join(" ")],
    ]);
  });

  it("names themes with the other words that go with them", () => {
    const found = summarize(open, answersOf("editor crash", "crash of the editor", "fine"), null);
    expect(found.map(({ text }) => text)).toEqual([
      "3 answers were given.",
      expect.stringMatching(
        /^2 of 3 answers \(66\.7%\) mention “crash” \(also “editor”\); 95% interval 20\.8% to 93\.9%\.$/,
      ),
    ]);
  });
});

describe("how ratings differ with a theme", () => {
  const difference = (...list: Parameters<typeof rated>) =>
    summarize(open, rated(...list), scale).flatMap(({ key, text, count }) =>
      key === "rating:price" ? [[text, count]] : [],
    );

  it("is said with Welch's interval", () => {
    // Both variances are 2/7; the error is √(2/7 · 2/8), t of 14 degrees of freedom 2.1448.
    const texts = [
      ["price", 1, 4] as const,
      ["price", 2, 4] as const,
      ["other", 9, 4] as const,
      ["else", 10, 4] as const,
    ];
    expect(
      difference(...texts.map(([text, rating, n]): [string, number, number] => [text, rating, n])),
    ).toEqual([
      [
        "People who mention “price” rate lower: 1.5 on average, against 9.5 for the others, on “How likely?” (difference −8.0, 95% interval −8.6 to −7.4).",
        8,
      ],
    ]);
    expect(difference(["price", 9, 4], ["price", 10, 4], ["no", 1, 4], ["no", 2, 4])[0]?.[0]).toMatch(
      /^People who mention “price” rate higher: 9\.5 on average, against 1\.5 .*\(difference \+8\.0, 95% interval \+7\.4 to \+8\.6\)\.$/,
    );
  });

  it.each<[string, [string, number | null, number][]]>([
    [
      "fewer than eight mention it",
      [
        ["price", 1, 4],
        ["price", 2, 3],
        ["no", 9, 4],
        ["no", 10, 4],
      ],
    ],
    [
      "fewer than eight do not",
      [
        ["price", 1, 4],
        ["price", 2, 4],
        ["no", 9, 4],
        ["no", 10, 3],
      ],
    ],
    [
      "the others gave no rating",
      [
        ["price", 1, 4],
        ["price", 2, 4],
        ["no", null, 20],
      ],
    ],
    [
      "they rate alike",
      [
        ["price", 1, 5],
        ["price", 10, 5],
        ["no", 1, 4],
        ["no", 10, 6],
      ],
    ],
    [
      "there is nothing to estimate an error from",
      [
        ["price", 1, 10],
        ["no", 10, 10],
      ],
    ],
  ])("is not said where %s", (_, list) => {
    expect(difference(...list)).toEqual([]);
  });

  it("leaves out who gave no rating", () => {
    const texts = difference(
      ["price", 1, 4],
      ["price", 2, 4],
      ["price", null, 5],
      ["no", 9, 4],
      ["no", 10, 4],
    );
    expect(texts[0]?.[1]).toBe(8);
  });
});

describe("how often groups mention a theme", () => {
  const groups = (of: { scale: number }, ...list: Parameters<typeof rated>) =>
    summarize(open, rated(...list), { ...scale, ...of }).flatMap(({ key, text, response_ids }) =>
      key === "group:price" ? [[text, response_ids.length]] : [],
    );

  it("is said of detractors and promoters from 0 to 10, of the negative and the positive else", () => {
    const [[text, count] = []] = groups(
      { scale: 10 },
      ["price", 6, 9],
      ["no", 6, 1],
      ["price", 9, 1],
      ["no", 9, 9],
    );
    expect(text).toMatch(
      /^“price” is mentioned by 90\.0% of detractors and 10\.0% of promoters \(difference 80\.0%, 95% interval \d+\.\d% to \d+\.\d%\)\.$/,
    );
    expect(count).toBe(9);
    const [lower = 0, upper = 0] = (String(text).match(/[\d.]+(?=% to)|[\d.]+(?=%\)\.)/g) ?? []).map(Number);
    expect([lower < 80, lower > 30, upper > 80, upper < 100]).toEqual([true, true, true, true]);
    const [[other] = []] = groups({ scale: 5 }, ["price", 5, 9], ["no", 4, 1], ["price", 1, 1], ["no", 2, 9]);
    expect(other).toMatch(
      /^“price” is mentioned by 90\.0% of positive and 10\.0% of negative \(difference 80\.0%/,
    );
  });

  it.each<[string, [string, number | null, number][]]>([
    [
      "fewer than eight are detractors",
      [
        ["price", 6, 7],
        ["no", 9, 12],
      ],
    ],
    [
      "fewer than eight are promoters",
      [
        ["price", 6, 12],
        ["no", 9, 7],
      ],
    ],
    [
      "most are in between",
      [
        ["price", 7, 12],
        ["no", 8, 12],
      ],
    ],
    [
      "they mention it alike",
      [
        ["price", 6, 5],
        ["no", 6, 5],
        ["price", 9, 4],
        ["no", 9, 6],
      ],
    ],
  ])("is not said where %s", (_, list) => {
    expect(groups({ scale: 10 }, ...list)).toEqual([]);
  });

  it("is said of eight and eight", () => {
    expect(groups({ scale: 10 }, ["price", 6, 8], ["no", 9, 8])).toHaveLength(1);
  });
});

describe("a summary as Markdown", () => {
  it("has the question, a line a statement, and notes in italics", () => {
    expect(summaryText("Why?", [{ text: "One." }, { text: "Two." }], ["Note."])).toBe(
      "**Why?**\n\n- One.\n- Two.\n\n_Note._",
    );
    expect(summaryText("Why?", [], ["Note."])).toBe("There are no answers to this question yet.\n\n_Note._");
  });
});
