import { describe, expect, it } from "vitest";
import { durationsOf } from "./durations.ts";
import { pageOf } from "./page.ts";
import { tablesOf } from "./tables.ts";

const PARTS = {
  survey_id: "s",
  as_of: "2026-03-01T00:00:00Z",
  filtered: false,
  source: "summaries" as const,
  total: 0,
  archived: 0,
  first_day: null,
  last_day: null,
  iteration_starts: [],
};

const QUESTION = { id: "why", question: "Why?", type: "open" };

describe("a question's figures", () => {
  it("tell those who skipped it from those who left there, and from those who are still at it", () => {
    const rows = [
      { kind: "edge", item: "start>0", n: 10 },
      { kind: "edge", item: "0>end", n: 7 },
      { kind: "edge", item: "0>left", n: 3 },
      // Of the ten, five answered and three stopped without an answer: two went on without one.
      { kind: "given", item: "0", n: 5 },
      { kind: "waiting", item: "0", n: 3 },
    ];
    const { questions } = pageOf(
      PARTS,
      [QUESTION],
      { ...tablesOf(rows, []), durations: durationsOf([]) },
      new Map(),
    );
    expect(questions[0]).toMatchObject({
      reached: { count: 10 },
      answered: { count: 5, of: 10, share: 0.5 },
      skipped: { count: 2 },
      left: { count: 3 },
    });
  });
});
