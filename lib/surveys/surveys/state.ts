import { addDays } from "./dates.ts";
import { type SamplingDay, type SamplingInterval, samplingDays, samplingPlan } from "./recurrence.ts";

type Moment = Date | string | null;

/** The dates of a survey, as stored or as in the API. */
export type Dates = { start_date: Moment; end_date: Moment; archived: boolean };

/** The state of a survey at a moment. */
export type SurveyState = "draft" | "scheduled" | "running" | "complete" | "archived";

const DAY_MS = 86_400_000;

const dateOf = (moment: Moment): Date | null => (typeof moment === "string" ? new Date(moment) : moment);

/**
 * A survey runs from its start_date up to, and not including, its end_date; without a start it is a draft.
 */
export function stateOf(survey: Dates, now: Date): SurveyState {
  const [start, end] = [dateOf(survey.start_date), dateOf(survey.end_date)];
  if (survey.archived) return "archived";
  if (!start) return "draft";
  if (end && end <= now) return "complete";
  return start > now ? "scheduled" : "running";
}

/** Whether a survey is running. */
export const isOpen = (survey: Dates, now: Date): boolean => stateOf(survey, now) === "running";

/** The next time a survey's state changes by its dates; null if it does not. */
export function nextBoundary(survey: Dates, now: Date): Date | null {
  if (survey.archived || !survey.start_date) return null;
  const ahead = [dateOf(survey.start_date), dateOf(survey.end_date)].filter((date) => date && date > now);
  return ahead.reduce((first, date) => (first && date && first < date ? first : date), null);
}

/**
 * The dates for SDKs, which do not check the clock: for them any start means running and any end means
 * stopped, so dates in the future are omitted.
 */
export function feedDates(survey: Dates, now: Date): { start_date: Date | null; end_date: Date | null } {
  const passed = (moment: Moment) => {
    const date = dateOf(moment);
    return date && date <= now ? date : null;
  };
  return { start_date: passed(survey.start_date), end_date: passed(survey.end_date) };
}

/** Whether a survey accepts another response; a limit of 0 means none. */
export const hasRoom = (survey: { responses_limit: number | null }, responses: number): boolean =>
  !survey.responses_limit || responses < survey.responses_limit;

/** The sampling fields of a survey. */
export type SamplingFields = {
  response_sampling_interval_type: SamplingInterval | null;
  response_sampling_interval: number | null;
  response_sampling_limit: number | null;
  response_sampling_start_date: Moment;
};

/** A day of the plan, and when the plan last started. */
export type SamplingToday = SamplingDay & { round_start: Date };

/**
 * The day of the sampling plan at a moment. After its last day, on which everybody is invited, the plan
 * starts again.
 *
 * @returns null if there is no plan; nobody is invited before its first day
 */
export function samplingToday(survey: SamplingFields, now: Date): SamplingToday | null {
  const start = dateOf(survey.response_sampling_start_date);
  const fields = { ...survey, response_sampling_start_date: start };
  const days = samplingDays(fields);
  if (days === null || !start) return null;
  const passed = Math.floor((now.getTime() - start.getTime()) / DAY_MS);
  if (passed < 0)
    return { date: start.toISOString(), daily_response_limit: 0, rollout_percentage: 0, round_start: start };
  const round_start = addDays(start, Math.floor(passed / days) * days);
  const today = samplingPlan({ ...fields, response_sampling_start_date: round_start })?.[passed % days];
  return today ? { ...today, round_start } : null;
}

type FlagKeys = {
  linked_flag_key: string | null;
  targeting_flag_key: string | null;
  internal_targeting_flag_key: string | null;
  internal_response_sampling_flag_key: string | null;
};

/** Whether SDKs check the sampling flag on its own; if not, the internal targeting flag does the sampling. */
export const samplingHasRoom = (flags: { linked: unknown; targeting: unknown }): boolean =>
  flags.linked === null || flags.targeting === null;

/**
 * Flag keys for SDKs, which do not support sampling: its flag is sent in place of one that the survey does
 * not use. With a linked and a targeting flag, none is free.
 */
export function feedFlagKeys(keys: FlagKeys): Omit<FlagKeys, "internal_response_sampling_flag_key"> {
  const { internal_response_sampling_flag_key: sampling, ...known } = keys;
  if (sampling === null) return known;
  if (known.targeting_flag_key === null) return { ...known, targeting_flag_key: sampling };
  return known.linked_flag_key === null ? { ...known, linked_flag_key: sampling } : known;
}
