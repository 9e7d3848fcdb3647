import { rangeOf } from "#lib/engines/branching/buckets.ts";
import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { ratingOf } from "#lib/engines/branching/ratings.ts";
import { OFF_SCALE, type QuestionKind, SOME } from "./kind.ts";

export const RATING = {
  name: "Rating",
  summary: "Numbers, faces or thumbs",
  schema: {
    display: "Of a rating: number or emoji.",
    scale: "Of a rating: 2, 3, 5, 7 or 10.",
    lowerBoundLabel: "Of a rating: label of its lowest value.",
    upperBoundLabel: "Of a rating: label of its highest value.",
  },
  empty: { display: "number", scale: 10, lowerBoundLabel: "Not likely", upperBoundLabel: "Very likely" },
  problems: () => [],
  canBeInstant: () => true,
  encode({ scale }, answer) {
    const range = rangeOf(scale);
    if (!range) return SOME;
    const rating = ratingOf(answer);
    return rating !== null && rating >= range.first && rating <= range.last ? String(rating) : OFF_SCALE;
  },
  figures: ({ scale }) => (rangeOf(scale) ? "rating" : "count"),
  isMultiple: false,
} satisfies QuestionKind<QuestionOf<"rating">>;
