import { describe, expect, it } from "vitest";
import { buildCounts, type DayRow, type TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { readStored } from "#lib/surveys/results/ingest/counts.ts";
import { durationsOf } from "#lib/surveys/results/ingest/durations.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import { buildPage } from "./page.ts";

const PARTS = {
  survey_id: "s",
  as_of: "2026-03-01T00:00:00Z",
  filtered: true,
  source: "rows" as const,
  total: 12,
  archived: 2,
  first_day: "2026-02-01",
  last_day: "2026-02-03",
  iteration_starts: ["2026-02-01T00:00:00Z"],
};

type Counts = Record<string, number>;

/** A page from counts by kind, or by kind and item ("edge start>0"). */
function page(
  counts: Counts,
  questions: TableQuestion[] = [],
  days: Record<string, Counts> = {},
): SurveyResults {
  const rows = Object.entries(counts).flatMap(([name, n]) => {
    const [kind = "", item = ""] = name.split(" ");
    const counted = readStored(kind, item);
    return counted ? [{ ...counted, n }] : [];
  });
  const dayRows = Object.entries(days).flatMap(([day, did]) =>
    Object.entries(did).map(([event, n]) => ({ day, event: event as DayRow["event"], n })),
  );
  const took = durationsOf([
    [167, 2],
    [168, 1],
    [36_000, 1],
  ]);
  const texts = new Map([[0, [{ text: "By letter", count: 2 }]]]);
  return buildPage(PARTS, questions, { ...buildCounts(rows, dayRows), durations: took }, texts);
}

const question = (fields: object): TableQuestion => ({
  id: "q",
  question: "Which?",
  type: "open",
  ...fields,
});
const figure = (operator: string, value?: string[]) => ({
  figure: JSON.stringify([{ question_id: "q", operator, ...(value && { value }) }]),
});

describe("a page of results", () => {
  it("takes over whose it is, and what is known without counting", () => {
    const found = page({ answered: 7 });
    expect(found).toMatchObject({
      survey_id: "s",
      as_of: "2026-03-01T00:00:00Z",
      filtered: true,
      source: "rows",
      total: 12,
      matched: 7,
      archived: { count: 2, rows: { archived: "only" } },
      first_day: "2026-02-01",
      last_day: "2026-02-03",
    });
    expect(found).not.toHaveProperty("iteration_starts");
    for (const { figure: name, text } of found.definitions)
      expect([name, text.length > 20]).toEqual([name, true]);
  });

  it("has a step of the funnel for each event, in events and in people", () => {
    const steps = ["shown", "dismissed", "left", "answered", "completed"];
    const kinds = ["shown", "dismissed", "quit", "answered", "completed"];
    const counts = Object.fromEntries(
      kinds.flatMap((kind, i) => [
        [kind, 50 - i],
        [`people ${kind}`, 40 - i],
      ]),
    );
    expect(page(counts).funnel).toEqual(
      steps.map((event, i) => ({
        step: event,
        count: 50 - i,
        people: 40 - i,
        rows: { event },
        people_rows: { event, unit: "people" },
      })),
    );
  });

  it("has rates of what was shown, and of responses", () => {
    const { rates } = page({
      shown: 30,
      dismissed: 3,
      answered: 20,
      completed: 15,
      "people shown": 16,
      "people dismissed": 2,
      "people answered": 24,
    });
    expect(rates.map(({ rate, count, of, percent }) => [rate, count, of, percent])).toEqual([
      ["response_rate", 20, 30, 66.67],
      ["dismissal_rate", 3, 30, 10],
      ["completion_rate", 15, 20, 75],
      ["people_response_rate", 24, 16, 150],
      ["people_dismissal_rate", 2, 16, 12.5],
    ]);
    // Wilson's interval of 15 of 20, by hand; there is none for a rate above 100%.
    expect(rates[2]?.lower).toBeCloseTo(53.129_92, 4);
    expect(rates[2]?.upper).toBeCloseTo(88.813_84, 4);
    expect([rates[3]?.lower, rates[3]?.upper]).toEqual([null, null]);
    expect(page({}).rates[0]).toEqual({
      rate: "response_rate",
      count: 0,
      of: 0,
      percent: 0,
      lower: null,
      upper: null,
    });
  });

  it("lists every day from the first to the last with an event", () => {
    const days = {
      "2026-02-03": { shown: 2, answered: 1 },
      "2026-02-01": { dismissed: 1, completed: 4, quit: 9 },
    };
    const { over_time } = page({}, [], days);
    const counts = over_time.map((day) => [
      day.date,
      day.shown.count,
      day.dismissed.count,
      day.answered.count,
      day.completed.count,
    ]);
    expect(counts).toEqual([
      ["2026-02-01", 0, 1, 0, 4],
      ["2026-02-02", 0, 0, 0, 0],
      ["2026-02-03", 2, 0, 1, 0],
    ]);
    expect(over_time[0]?.completed.rows).toEqual({ event: "completed", day: "2026-02-01" });
    expect(page({}).over_time).toEqual([]);
  });

  it("lists 1,100 days one by one, and of a longer time those with an event", () => {
    const until = (last: string) =>
      page({}, [], { "2023-01-01": { shown: 1 }, [last]: { shown: 1 } }).over_time.length;
    expect(until("2026-01-04")).toBe(1_100);
    expect(until("2026-01-05")).toBe(2);
  });

  it("has iterations in their order, with their starts, and none for events without one", () => {
    const { iterations } = page({
      "iteration 10:shown": 3,
      "iteration 1:answered": 2,
      "iteration 0:shown": 8,
    });
    expect(
      iterations.map(({ iteration, start_date, shown }) => [iteration, start_date, shown.count]),
    ).toEqual([
      [1, "2026-02-01T00:00:00Z", 0],
      [10, null, 3],
    ]);
    expect(iterations[0]?.answered).toEqual({ count: 2, rows: { event: "answered", of_iteration: "1" } });
  });

  it("has the steps of paths from the start to the ends, each with its share of those who were there", () => {
    const { edges } = page({
      "edge 10>end": 1,
      "edge 2>left": 1,
      "edge 2>10": 3,
      "edge start>2": 4,
      "edge 2>9": 0,
    });
    expect(edges.map(({ from, to, count, of }) => [from, to, count, of])).toEqual([
      ["start", 2, 4, 4],
      [2, 10, 3, 4],
      [2, "left", 1, 4],
      [10, "end", 1, 1],
    ]);
    expect(edges[1]?.rows).toEqual({ from: "2", to: "10" });
  });

  it("has the exact time to answer, with the responses behind each figure", () => {
    const { durations } = page({});
    expect(durations.timed).toEqual({ count: 4, rows: { event: "completed", seconds_from: "0" } });
    expect(durations.median_seconds).toBe(16.75);
    expect(durations.percentiles[2]).toEqual({
      percent: 50,
      seconds: 16.75,
      count: 3,
      rows: { event: "completed", seconds_from: "16.7", seconds_to: "16.8" },
    });
    expect(durations.buckets[1]).toEqual({
      from_seconds: 15,
      to_seconds: 30,
      count: 3,
      rows: { event: "completed", seconds_from: "15", seconds_to: "29.9" },
    });
    expect(durations.buckets.at(-1)).toEqual({
      from_seconds: 3_600,
      to_seconds: null,
      count: 1,
      rows: { event: "completed", seconds_from: "3600" },
    });
  });
});

describe("a question's figures", () => {
  it("tell those who skipped it from those who left there, and from those who are still at it", () => {
    // Of the ten, five answered and three stopped without an answer: two went on without one.
    const counts = { "edge start>0": 10, "edge 0>end": 7, "edge 0>left": 3, "given 0": 5, "waiting 0": 3 };
    const { questions } = page(counts, [question({})]);
    expect(questions[0]).toMatchObject({
      question_id: "q",
      question_index: 0,
      question: "Which?",
      type: "open",
      reached: { count: 10, rows: figure("reached") },
      answered: { count: 5, of: 10, share: 0.5, rows: figure("is_set") },
      skipped: { count: 2, rows: figure("skipped") },
      left: { count: 3, rows: figure("left") },
      rating: null,
      choice: null,
    });
  });

  it("of a rating leave out answers that are not on its scale", () => {
    const rating = question({ type: "rating", scale: 10 });
    const counts = { "code 0:0": 1, "code 0:7": 2, "code 0:9": 3, "code 0:10": 4, "code 0:?": 5 };
    const found = page(counts, [rating]).questions[0]?.rating;
    expect(found).toMatchObject({ scale: 10, total: 10, median: 9, nps: { value: 60, text: "60.0" } });
    expect(found?.histogram).toHaveLength(11);
    expect(found?.histogram[7]).toMatchObject({
      value: 7,
      bucket: "passives",
      count: 2,
      of: 10,
      share: 0.2,
      rows: figure("exact", ["7"]),
    });
    expect(found?.buckets.map(({ bucket, count, rows }) => [bucket, count, rows])).toEqual(
      [["detractors", 1] as const, ["passives", 2] as const, ["promoters", 7] as const].map(
        ([bucket, count]) => [bucket, count, figure("bucket", [bucket])],
      ),
    );
    expect(found?.off_scale).toEqual({ count: 5, rows: figure("off_scale") });
    // The answers are 0, 7, 7, 9, 9, 9, 10, 10, 10, 10: their variance is 84.9 / 9, and t(9) is 2.262157.
    expect(found?.mean?.value).toBeCloseTo(8.1, 12);
    expect(found?.standard_deviation).toBeCloseTo(Math.sqrt(84.9 / 9), 12);
    expect((found?.mean?.upper ?? 0) - 8.1).toBeCloseTo(2.262_157 * Math.sqrt(84.9 / 90), 5);
    expect(8.1 - (found?.mean?.lower ?? 0)).toBeCloseTo(2.262_157 * Math.sqrt(84.9 / 90), 5);
  });

  it("of a rating with one answer have no interval, and without any nothing but zeros", () => {
    const rating = question({ type: "rating", scale: 10 });
    const one = page({ "code 0:8": 1 }, [rating]).questions[0]?.rating;
    expect(one?.mean).toEqual({ value: 8, lower: null, upper: null });
    expect(one?.standard_deviation).toBeNull();
    const none = page({}, [rating]).questions[0]?.rating;
    expect(none).toMatchObject({ total: 0, mean: null, median: null, nps: null });
    const smiles = page({ "code 0:2": 1 }, [question({ type: "rating", scale: 5 })]).questions[0]?.rating;
    expect([smiles?.nps, smiles?.histogram.map(({ value }) => value)]).toEqual([null, [1, 2, 3, 4, 5]]);
  });

  it("of a choice have the listed ones and people's own texts, as shares of those who answered", () => {
    const choice = question({
      type: "single_choice",
      choices: ["Web", "App", "Elsewhere"],
      hasOpenChoice: true,
    });
    const found = page({ "given 0": 8, "code 0:0": 5, "code 0:1": 1, "code 0:o": 2 }, [choice]).questions[0]
      ?.choice;
    expect(found?.choices.map(({ choice: text, count, of, rows }) => [text, count, of, rows])).toEqual([
      ["Web", 5, 8, figure("exact", ["Web"])],
      ["App", 1, 8, figure("exact", ["App"])],
    ]);
    expect(found).toMatchObject({
      multiple: false,
      other: {
        count: 2,
        of: 8,
        label: "Elsewhere",
        rows: figure("other"),
        texts: [{ text: "By letter", count: 2 }],
      },
      shares_sum: 1,
    });
    expect(found?.shares_note).toMatch(/add up to 100/);
  });

  it("of a choice that takes several have shares that add up to more", () => {
    const choice = question({ type: "multiple_choice", choices: ["Web", "App"] });
    const found = page({ "given 0": 4, "code 0:0": 4, "code 0:1": 2 }, [choice]).questions[0]?.choice;
    expect(found).toMatchObject({ multiple: true, other: null, shares_sum: 1.5 });
    expect(found?.shares_note).toMatch(/can add up to more/);
  });

  it("of a closed choice show texts that are none of its choices, where there are some", () => {
    const choice = question({ type: "single_choice", choices: ["Web", "App"] });
    const of = (counts: Counts) => page(counts, [choice]).questions[0]?.choice;
    expect(of({ "given 0": 2, "code 0:0": 2 })?.other).toBeNull();
    expect(of({ "given 0": 2, "code 0:0": 1, "code 0:o": 1 })?.other).toMatchObject({
      count: 1,
      label: null,
    });
    expect(of({ "given 0": 2, "code 0:0": 2, "code 0:1": 1 })?.shares_note).toMatch(/do not add up/);
    expect(of({})).toMatchObject({ shares_sum: 0 });
  });
});
