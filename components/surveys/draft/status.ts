import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

/** The status of a survey in lists and headers. */
export type SurveyStatus = "draft" | "scheduled" | "running" | "complete" | "archived";

type Dates = Pick<SurveyWritten, "archived" | "start_date" | "end_date">;

/** @param now milliseconds since the epoch */
export function statusOf({ archived, start_date, end_date }: Dates, now: number): SurveyStatus {
  if (archived) return "archived";
  if (!start_date) return "draft";
  if (end_date && Date.parse(end_date) <= now) return "complete";
  return Date.parse(start_date) > now ? "scheduled" : "running";
}

export const TYPE_WORDS: Record<SurveyWritten["type"], string> = {
  popover: "Popover",
  widget: "Feedback button",
  external_survey: "Hosted page",
  api: "API",
};

export const TYPE_HELP: Record<SurveyWritten["type"], string> = {
  popover: "Appears over your product, through posthog-js.",
  widget: "Opens when people press a feedback button.",
  external_survey: "A page with an address that you send to people.",
  api: "Shown by your own code; posthog-js only collects.",
};
