import type { ChoiceFigures, RatingFigures, SurveyResults } from "#lib/survey_results/schema.ts";
import { dayInWords } from "./filter_words.ts";
import { decimal, intervalOf, percent, plural, shareInWords, signed, whole } from "./words.ts";

/** What the chart over time says: in all, and on its best day. */
export function overTimeCaption({ over_time }: SurveyResults): string {
  const first = over_time[0];
  const last = over_time.at(-1);
  if (!first || !last) return "Nothing happened within this filter.";
  const sum = over_time.reduce((total, day) => total + day.answered.count, 0);
  const best = over_time.reduce(
    (most, day) => (day.answered.count > most.answered.count ? day : most),
    first,
  );
  const when =
    first === last
      ? `on ${dayInWords(first.date)}`
      : `from ${dayInWords(first.date)} to ${dayInWords(last.date)}`;
  if (sum === 0) return `No responses ${when}.`;
  return `${plural(sum, "response")} ${when}, most on ${dayInWords(best.date)} (${whole(best.answered.count)}). Days are in UTC.`;
}

/** "Mean 7.4, 95 % interval 7.1 to 7.7, of 412 answers on a scale from 0 to 10." */
export function ratingCaption(rating: RatingFigures): string {
  const { mean, total, histogram } = rating;
  const [low, high] = [histogram[0]?.value, histogram.at(-1)?.value];
  if (!mean || total === 0) return `No answers on the scale from ${low} to ${high} within this filter.`;
  const interval = intervalOf(mean);
  const range = interval ? `, 95 % interval ${decimal(interval[0])} to ${decimal(interval[1])}` : "";
  return `Mean ${decimal(mean.value)}${range}, of ${plural(total, "answer")} on a scale from ${low} to ${high}. Whiskers are 95 % intervals of each share.`;
}

/** What the buckets of a rating say, promoters and detractors for the score. */
export function bucketsCaption({ nps, buckets, total }: RatingFigures): string {
  if (total === 0) return "No answers within this filter.";
  const named = (bucket: string) => buckets.find((each) => each.bucket === bucket);
  const [promoters, detractors] = [named("promoters"), named("detractors")];
  if (!nps || !promoters || !detractors) {
    const words = buckets.map((each) => `${each.bucket} ${shareInWords(each)}`).join("; ");
    return `${words.replace(/^./, (letter) => letter.toUpperCase())}.`;
  }
  return `${percent(promoters.share ?? 0)} promoters (9 and 10) less ${percent(detractors.share ?? 0)} detractors (0 to 6) make ${signed(nps.text)} points.`;
}

/** The leading choice, and whether its lead is more than chance. */
export function choiceCaption(choice: ChoiceFigures): string {
  const ranked = [...choice.choices].sort((a, b) => b.count - a.count);
  const [first, second] = ranked;
  if (!first || first.of === 0) return "No answers within this filter.";
  const lead = `“${first.choice}” is chosen most often: ${shareInWords(first)}.`;
  if (!second || first.lower === null || second.upper === null) return lead;
  const apart = first.lower > second.upper;
  const tied = first.count === second.count;
  const gap = apart
    ? ` Its interval lies above that of “${second.choice}”.`
    : ` ${tied ? "It ties with" : "Its interval overlaps that of"} “${second.choice}”: which of the two leads is not certain.`;
  return lead + gap;
}
