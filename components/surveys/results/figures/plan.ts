import { dayInWords } from "#components/surveys/results/filters/filter-words.ts";
import { formatNumber, plural } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import { parseMoment } from "#lib/surveys/surveys/dates.ts";
import { type SamplingDay, samplingPlan } from "#lib/surveys/surveys/recurrence.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

const DAY_MS = 86_400_000;
const PACE_DAYS = 7;
/** Further off, the pace of a week says nothing. */
const FORECAST_DAYS_MAX = 365;

type Days = SurveyResults["over_time"];

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** The sampling plan of a survey; null if it has none. */
export function planOf(survey: Omit<SurveyRecord, "questions">): SamplingDay[] | null {
  const start = survey.response_sampling_start_date;
  return samplingPlan({ ...survey, response_sampling_start_date: start ? parseMoment(start) : null });
}

/** Responses up to and including each day of a plan that has begun; the plan's first day is the first counted. */
export function reachedBy(
  plan: readonly SamplingDay[],
  days: Days,
  now: number,
): { at: string; value: number }[] {
  const first = plan[0]?.date.slice(0, 10) ?? "";
  const counts = new Map(days.map((day) => [day.date, day.answered.count]));
  let sum = 0;
  return plan
    .map(({ date }) => date.slice(0, 10))
    .filter((day) => day >= first && day <= dayOf(now))
    .map((at) => {
      sum += counts.get(at) ?? 0;
      return { at, value: sum };
    });
}

/** Responses per day in the last week, today included. */
export function paceOf(days: Days, now: number): number {
  const since = dayOf(now - (PACE_DAYS - 1) * DAY_MS);
  const recent = days.filter(({ date }) => date >= since && date <= dayOf(now));
  return recent.reduce((sum, day) => sum + day.answered.count, 0) / PACE_DAYS;
}

/** When a number of responses is reached at the present pace, in a sentence. */
export function forecast(responses: number, wanted: number, pace: number, now: number): string {
  if (responses >= wanted) return `${plural(wanted, "response")} are reached.`;
  const days = Math.ceil((wanted - responses) / pace);
  const week = `the pace of the last ${PACE_DAYS} days (${formatNumber(pace, 1)} a day)`;
  if (!Number.isFinite(days) || days > FORECAST_DAYS_MAX)
    return `At ${week}, ${plural(wanted, "response")} are more than a year away.`;
  return `At ${week}, ${plural(wanted, "response")} are reached around ${dayInWords(dayOf(now + days * DAY_MS))}.`;
}
