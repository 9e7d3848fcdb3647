import { addDays, momentText } from "./dates.ts";

const DAY_MS = 86_400_000;

/** The iterations of a survey, and the current one. */
export type Iterations = {
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  start_date: Date | null;
  current_iteration: number | null;
  current_iteration_start_date: Date | null;
};

/**
 * The start dates of iterations, and the current one; computed at every save.
 *
 * @returns no dates if the survey does not recur, null dates if it has not started
 */
export function iterationsOf(survey: Iterations) {
  const { iteration_count: count, iteration_frequency_days: frequency, start_date: start } = survey;
  if (!count || !frequency)
    return { iteration_start_dates: [], current_iteration: null, current_iteration_start_date: null };
  const { current_iteration, current_iteration_start_date } = survey;
  if (!start) return { iteration_start_dates: null, current_iteration, current_iteration_start_date };
  const dates = Array.from({ length: count }, (_, i) => addDays(start, i * frequency));
  return {
    iteration_start_dates: dates.map(momentText),
    ...(current_iteration
      ? { current_iteration, current_iteration_start_date }
      : { current_iteration: 1, current_iteration_start_date: start }),
  };
}

/**
 * The iteration at a moment, from 1, by the survey's dates alone; "over" after the last one.
 *
 * @returns null if the survey does not recur or has no start
 */
export function iterationAt(
  survey: Pick<Iterations, "iteration_count" | "iteration_frequency_days" | "start_date">,
  now: Date,
): number | "over" | null {
  const { iteration_count: count, iteration_frequency_days: frequency, start_date: start } = survey;
  if (!start || !count || !frequency) return null;
  const passed = Math.max(0, Math.floor((now.getTime() - start.getTime()) / (frequency * DAY_MS)));
  return passed < count ? passed + 1 : "over";
}

/** The start of an iteration, from 1; one past the last gives its end. */
export const iterationStart = (
  { start_date, iteration_frequency_days }: Pick<Iterations, "start_date" | "iteration_frequency_days">,
  iteration: number,
): Date | null => start_date && addDays(start_date, (iteration - 1) * (iteration_frequency_days ?? 0));

export type SamplingInterval = "day" | "week" | "month";

/** Days of each interval; a month has 30. */
const DAYS: Record<SamplingInterval, number> = { day: 1, week: 7, month: 30 };

export type Sampling = {
  response_sampling_interval_type: SamplingInterval | null;
  response_sampling_interval: number | null;
  response_sampling_limit: number | null;
  response_sampling_start_date: Date | null;
};

/** One day of the plan; limit and percentage are cumulative, including that day. */
export type SamplingDay = { date: string; daily_response_limit: number; rollout_percentage: number };

/** The number of days of a plan; null if there is none. */
export function samplingDays(sampling: Sampling): number | null {
  const { response_sampling_interval_type: type, response_sampling_interval: interval } = sampling;
  if (!type || !interval || !sampling.response_sampling_limit || !sampling.response_sampling_start_date)
    return null;
  return interval * DAYS[type];
}

/**
 * Spreads a number of responses evenly over days: the remainder goes to the first days, one each, and the
 * last day includes everybody.
 *
 * @returns null if no plan was asked for, or parts of it are missing
 */
export function samplingPlan(sampling: Sampling): SamplingDay[] | null {
  const days = samplingDays(sampling);
  const { response_sampling_limit: limit, response_sampling_start_date: start } = sampling;
  if (days === null || !limit || !start) return null;
  const [share, remainder] = [Math.floor(limit / days), limit % days];
  return Array.from({ length: days }, (_, day) => ({
    date: momentText(addDays(start, day)),
    daily_response_limit: share * (day + 1) + Math.min(day + 1, remainder),
    rollout_percentage: day === days - 1 ? 100 : Math.round((10_000 * (day + 1)) / days) / 100,
  }));
}
