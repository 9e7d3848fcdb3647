import { describe, expect, it } from "vitest";
import { kindOf, type OracleCase, type OracleFile, oracleFileNames, readOracleFile } from "./files.ts";
import { gradeEval, gradeFlagEval, gradeHash } from "./grade-evaluation.ts";
import {
  gradePower,
  gradeSampleRatio,
  gradeStats,
  type PowerCase,
  type SampleRatioCase,
  type StatsCase,
} from "./grade-statistics.ts";
import {
  type BranchingCase,
  gradeBranching,
  gradeRatings,
  gradeStatistics,
  type RatingCase,
  type StatisticsCase,
} from "./grade-surveys.ts";

type Grader = (given: OracleCase, file: OracleFile) => void;

/** A grader that says what is wrong, as one that throws it. */
const throwing =
  <C>(grade: (given: C) => string | null): Grader =>
  (given) =>
    expect(grade(given as unknown as C)).toBeNull();

/** How a case of each kind is graded. */
const graders: Record<string, Grader> = {
  hash: gradeHash,
  eval: gradeEval,
  "flag-eval": gradeFlagEval,
  "survey-branching": throwing<BranchingCase>(gradeBranching),
  "survey-ratings": throwing<RatingCase>(gradeRatings),
  "survey-stats": throwing<StatisticsCase>(gradeStatistics),
  stats: throwing<StatsCase>(gradeStats),
  "stats-extras": throwing<StatsCase>(gradeStats),
  srm: throwing<SampleRatioCase>(gradeSampleRatio),
  power: throwing<PowerCase>(gradePower),
};

const folder = process.env.ORACLE_DIR ?? new URL("fixtures", import.meta.url).pathname;
const kinds = Object.keys(graders);
const names = oracleFileNames(folder);
const files = names.flatMap((name) => {
  const kind = kindOf(name, kinds);
  const grade = kind === null ? undefined : graders[kind];
  return grade ? [{ file: readOracleFile(folder, name), grade }] : [];
});

describe("oracle folder", () => {
  it(`holds at least one file of a graded kind`, () => {
    const expected = kinds.map((kind) => `${kind}-*.json`).join(", ");
    expect(
      files.length,
      `${folder} holds none of ${expected}; found: ${names.join(", ") || "nothing"}`,
    ).toBeGreaterThan(0);
  });

  it("holds no file of an unknown kind", () => {
    const unknown = names.filter((name) => kindOf(name, kinds) === null);
    expect(unknown, `no grader for ${unknown.join(", ")}`).toEqual([]);
  });
});

for (const { file, grade } of files) {
  describe(file.name, () => {
    it("holds as many cases as it says", () => {
      expect(file.cases.length).toBe(file.header.count ?? file.cases.length);
    });

    it.each(file.cases)("$id", (given) => grade(given, file));
  });
}
