import { BranchingError, nextStep, walk } from "#lib/engines/branching/branching.ts";
import type { Question } from "#lib/engines/branching/question.ts";
import { summarizeRatings } from "#lib/engines/branching/ratings.ts";
import { type SurveyEvent, surveyFigures } from "#lib/surveys/results/count/statistics.ts";

/** How a result differs from the expected one, in words; null if it does not. */
type Grade = string | null;

const differs = (what: string, got: unknown, expected: unknown): Grade =>
  JSON.stringify(got) === JSON.stringify(expected)
    ? null
    : `${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`;

const isNear = (got: unknown, expected: unknown, tolerance: number) =>
  typeof got === "number" && typeof expected === "number"
    ? Math.abs(got - expected) <= tolerance
    : got === expected;

export type BranchingCase = {
  id: string;
  kind: "step" | "walk";
  questions: Question[];
  current_index: number;
  response: unknown;
  in_range: number | "end" | "error";
  responses: unknown[];
  expected_path: number[];
  expected_end: "end" | "error" | "out_of_range" | "limit";
};

function stepOf(c: BranchingCase): number | "end" | "error" {
  try {
    return nextStep(c.questions, c.current_index, c.response);
  } catch (error) {
    if (error instanceof BranchingError) return "error";
    throw error;
  }
}

/** Ways that leave the list of questions are written with the index outside of it; here they end or fail. */
function gradeWalk(c: BranchingCase): Grade {
  const last = c.expected_path.at(-1) ?? 0;
  const outside = c.expected_end === "out_of_range" || (c.expected_end === "error" && last < 0);
  const path = outside ? c.expected_path.filter((i) => i >= 0 && i < c.questions.length) : c.expected_path;
  const end = c.expected_end === "out_of_range" ? (last < 0 ? "error" : "end") : c.expected_end;
  const got =
    c.expected_end === "limit" ? walk(c.questions, c.responses, path.length) : walk(c.questions, c.responses);
  return differs("way", got, { path, end });
}

export const gradeBranching = (c: BranchingCase): Grade =>
  c.kind === "walk" ? gradeWalk(c) : differs("next", stepOf(c), c.in_range);

export type RatingCase = {
  id: string;
  scale: number;
  responses: unknown[];
  expected: Record<string, unknown> & { nps_exact?: number; nps_text?: string; nps_tie?: boolean };
};

export function gradeRatings(c: RatingCase): Grade {
  const got = summarizeRatings(c.scale, c.responses);
  const e = c.expected;
  const exact = ["total", "ignored", "first_value", "histogram"] as const;
  for (const name of exact) {
    const wrong = differs(name, got[name], e[name]);
    if (wrong) return wrong;
  }
  for (const [bucket, count] of Object.entries((e.buckets ?? {}) as Record<string, number>)) {
    const value = got.buckets[bucket as keyof typeof got.buckets];
    if (value !== count) return `${bucket}: got ${value}, expected ${count}`;
  }
  for (const name of ["mean", "median", "sample_variance"] as const)
    if (!isNear(got[name], e[name], 1e-9)) return `${name}: got ${got[name]}, expected ${e[name]}`;
  const shares = (e.bucket_percent ?? {}) as Record<string, number>;
  for (const [bucket, share] of Object.entries(shares)) {
    const value = got.bucket_percent?.[bucket as keyof typeof got.buckets];
    if (!isNear(value, share, 1e-9)) return `${bucket}: got ${value}, expected ${share}`;
  }
  if (e.nps_exact !== undefined && !isNear(got.nps, e.nps_exact, 1e-9))
    return `nps: got ${got.nps}, expected ${e.nps_exact}`;
  return e.nps_text !== undefined && !e.nps_tie ? differs("nps_text", got.nps_text, e.nps_text) : null;
}

export type StatisticsCase = {
  id: string;
  events: SurveyEvent[];
  date_from: string | null;
  date_to: string | null;
  archived_response_uuids: string[];
  expected: { stats: Record<string, Record<string, unknown>>; rates: Record<string, number> };
};

/** Compares figures, however they were computed, with a case's. Counts are exact, rates within a hundredth. */
export function gradeFigures(got: StatisticsCase["expected"], expected: StatisticsCase["expected"]): Grade {
  for (const [event, figures] of Object.entries(expected.stats)) {
    for (const [name, value] of Object.entries(figures)) {
      const wrong = differs(`${event} ${name}`, got.stats[event]?.[name], value);
      if (wrong) return wrong;
    }
  }
  for (const [name, rate] of Object.entries(expected.rates))
    if (!isNear(got.rates[name], rate, 0.0100001)) return `${name}: got ${got.rates[name]}, expected ${rate}`;
  return null;
}

export const gradeStatistics = (c: StatisticsCase): Grade =>
  gradeFigures(surveyFigures(c.events, c, new Set(c.archived_response_uuids)), c.expected);
