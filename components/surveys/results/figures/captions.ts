import { dayInWords } from "#components/surveys/results/filters/filter-words.ts";
import { intervalOf, shareInWords, signed } from "#components/surveys/results/words.ts";
import { formatCount, formatNumber, formatPercent, plural } from "#lib/platform/format.ts";
import type { ChoiceFigures, RatingFigures, SurveyResults } from "#lib/surveys/results/schema.ts";

/** The caption of the chart over time: the total, and the best day. */
export function overTimeCaption({ over_time }: SurveyResults): string {
  const first = over_time[0];
  const last = over_time.at(-1);
  if (!first || !last) return "No events within this filter.";
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
  return `${plural(sum, "response")} ${when}, most on ${dayInWords(best.date)} (${formatCount(best.answered.count)}). Days are in UTC.`;
}

/** "Mean 7.4, 95% interval 7.1 to 7.7, of 412 answers on a scale from 0 to 10." */
export function ratingCaption(rating: RatingFigures): string {
  const { mean, total, histogram } = rating;
  const [low, high] = [histogram[0]?.value, histogram.at(-1)?.value];
  if (!mean || total === 0) return `No answers on the scale from ${low} to ${high} within this filter.`;
  if (rating.scale === 2) return `${plural(total, "answer")}. Whiskers are 95% intervals of each share.`;
  const interval = intervalOf(mean);
  const range = interval
    ? `, 95% interval ${formatNumber(interval[0], 2)} to ${formatNumber(interval[1], 2)}`
    : "";
  return `Mean ${formatNumber(mean.value, 2)}${range}, from ${plural(total, "answer")} on a scale from ${low} to ${high}. Whiskers are 95% intervals of each share.`;
}

/** The caption of a rating's buckets, with promoters and detractors for the score. */
export function bucketsCaption({ nps, buckets, total }: RatingFigures): string {
  if (total === 0) return "No answers within this filter.";
  const named = (bucket: string) => buckets.find((each) => each.bucket === bucket);
  const [promoters, detractors] = [named("promoters"), named("detractors")];
  if (!nps || !promoters || !detractors) {
    const words = buckets.map((each) => `${each.bucket} ${shareInWords(each)}`).join("; ");
    return `${words.replace(/^./, (letter) => letter.toUpperCase())}.`;
  }
  return `${formatPercent(promoters.share ?? 0)} promoters (9 and 10) minus ${formatPercent(detractors.share ?? 0)} detractors (0 to 6) = ${signed(nps.text)} points.`;
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
