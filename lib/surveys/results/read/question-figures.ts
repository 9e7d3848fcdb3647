import { bucketOf, bucketsOf } from "#lib/engines/branching/branching.ts";
import { summarizeHistogram } from "#lib/engines/branching/ratings.ts";
import { studentCritical } from "#lib/engines/statistics/distributions.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import { LEVEL, scoreInterval } from "#lib/surveys/results/count/score.ts";
import type { TableQuestion, Tables } from "#lib/surveys/results/count/tables.ts";
import {
  formersOf,
  isChoice,
  OFF_SCALE,
  OTHER,
  rangeOfRating,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import type {
  ChoiceFigures,
  QuestionFigures,
  RatingFigures,
  ShareOfRows,
} from "#lib/surveys/results/schema.ts";
import { listedChoices } from "#lib/surveys/surveys/questions/choices.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

type Rows = Record<string, string>;

/** Parameters of the responses with some answer to a question. */
const rowsOf = (question_id: string, operator: string, value?: readonly string[]): Rows => ({
  figure: JSON.stringify([{ question_id, operator, ...(value && { value }) }]),
});

/** A share with Wilson's interval. */
export function shareOf(count: number, of: number, rows: Rows): ShareOfRows {
  if (of <= 0) return { count, of, share: null, lower: null, upper: null, rows };
  const [lower, upper] = count <= of ? wilsonInterval(count, of, LEVEL) : [null, null];
  return { count, of, share: count / of, lower, upper, rows };
}

/** Mean of a rating with Student's interval; no interval for fewer than two answers. */
function meanOf(mean: number, variance: number | null, n: number): RatingFigures["mean"] {
  if (variance === null || n < 2) return { value: mean, lower: null, upper: null };
  const margin = studentCritical(1 - LEVEL, n - 1) * Math.sqrt(variance / n);
  return { value: mean, lower: mean - margin, upper: mean + margin };
}

const NPS_FORMULA =
  "100 × (promoters − detractors) / answers. Interval of 95% from the variance of a trinomial, 100² × (p + d − (p − d)²) / n, with z²/4 pseudo-answers at each end and z²/2 in the middle (Agresti and Min, 2005).";

function npsOf(
  buckets: Parameters<typeof scoreInterval>[0],
  score: number,
  text: string,
): RatingFigures["nps"] {
  const [lower, upper] = scoreInterval(buckets) ?? [null, null];
  return { value: score, lower, upper, text, formula: NPS_FORMULA };
}

const countOfSlot = (tables: Tables, index: number, slot: string | number): number =>
  tables.question(index).slots.get(String(slot)) ?? 0;

function ratingFigures(question: TableQuestion, index: number, tables: Tables): RatingFigures | null {
  const range = rangeOfRating(question);
  if (!range) return null;
  const [first, last] = range;
  const histogram = Array.from({ length: last - first + 1 }, (_, i) => countOfSlot(tables, index, first + i));
  const summary = summarizeHistogram(Number(question.scale), histogram);
  const { total } = summary;
  const { scale } = question;
  return {
    scale: Number(scale),
    total,
    rows: rowsOf(question.id, "bucket", bucketsOf(scale)),
    histogram: histogram.map((count, i) => ({
      value: first + i,
      bucket: bucketOf(scale, first + i) ?? "",
      ...shareOf(count, total, rowsOf(question.id, "exact", [String(first + i)])),
    })),
    buckets: bucketsOf(scale).map((bucket) => ({
      bucket,
      ...shareOf(summary.buckets[bucket] ?? 0, total, rowsOf(question.id, "bucket", [bucket])),
    })),
    off_scale: {
      count: countOfSlot(tables, index, OFF_SCALE),
      rows: rowsOf(question.id, "off_scale"),
    },
    mean: summary.mean === null ? null : meanOf(summary.mean, summary.sample_variance, total),
    median: summary.median,
    standard_deviation: summary.sample_variance === null ? null : Math.sqrt(summary.sample_variance),
    nps:
      summary.nps === undefined || total === 0
        ? null
        : npsOf(summary.buckets, summary.nps, summary.nps_text ?? ""),
  };
}

const sharesNote = (multiple: boolean, sum: number): string => {
  if (multiple)
    return "People can pick several: shares are of the responses that answered and can add up to more than 100%.";
  return Math.abs(sum - 1) < 1e-9 || sum === 0
    ? "One answer per response: the shares add up to 100%."
    : "Some responses name several answers to a single choice: the shares do not add up to 100%.";
};

function choiceFigures(
  question: TableQuestion,
  index: number,
  tables: Tables,
  texts: NonNullable<ChoiceFigures["other"]>["texts"],
): ChoiceFigures | null {
  if (!isChoice(question)) return null;
  const of = tables.question(index).given;
  const choices = listedChoices(question).map(({ id, text: choice }, i) => ({
    choice,
    choice_id: id,
    ...shareOf(countOfSlot(tables, index, i), of, rowsOf(question.id, "exact", [choice])),
  }));
  const former = formersOf(question)
    .map(({ slot, text: choice }) => ({
      choice,
      ...shareOf(countOfSlot(tables, index, slot), of, rowsOf(question.id, "former", [choice])),
    }))
    .filter(({ count }) => count > 0);
  const own = countOfSlot(tables, index, OTHER);
  const listed = Array.isArray(question.choices) ? question.choices : [];
  const label = question.hasOpenChoice ? String(listed.at(-1) ?? "") : null;
  const multiple = kindOf(question).isMultiple;
  const picked = [...choices, ...former].reduce((s, { count }) => s + count, 0);
  const sum = of > 0 ? (picked + own) / of : 0;
  return {
    multiple,
    choices,
    former,
    other:
      label !== null || own > 0
        ? { ...shareOf(own, of, rowsOf(question.id, "other")), label, texts: [...texts] }
        : null,
    shares_sum: sum,
    shares_note: sharesNote(multiple, sum),
  };
}

/** Definition of a question's figures, in a sentence. */
function definitionOf(question: TableQuestion): string {
  const base =
    "Reached: responses whose path includes the question. Answered: those of them with a non-blank answer.";
  if (rangeOfRating(question))
    return `${base} Shares are of the answers on the scale. 95% intervals: Student's for the mean, Wilson's for shares.`;
  if (isChoice(question))
    return `${base} Shares are of the responses that answered, with Wilson's 95% interval.`;
  return base;
}

/** All figures of one question. @param reached number of responses that reached it */
export function questionFigures(
  question: TableQuestion,
  index: number,
  tables: Tables,
  reached: number,
  texts: NonNullable<ChoiceFigures["other"]>["texts"],
): QuestionFigures {
  const { given, waiting } = tables.question(index);
  const left = tables.edges.find(({ from, to }) => from === index && to === "left")?.n ?? 0;
  const { id } = question;
  return {
    question_id: id,
    question_index: index,
    question: question.question,
    type: typeof question.type === "string" ? question.type : "",
    reached: { count: reached, rows: rowsOf(id, "reached") },
    answered: shareOf(given, reached, rowsOf(id, "is_set")),
    skipped: {
      count: reached - given - waiting,
      rows: rowsOf(id, "skipped"),
    },
    left: { count: left, rows: rowsOf(id, "left") },
    rating: ratingFigures(question, index, tables),
    choice: choiceFigures(question, index, tables, texts),
    definition: definitionOf(question),
  };
}
