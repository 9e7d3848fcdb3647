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

/** Who is not asked a second time, and how that is known. */
export function askedOnce({ type, schedule }: Pick<SurveyWritten, "type" | "schedule">): string {
  if (schedule === "always") return "The survey is set to ask people again after they have answered.";
  const when = schedule === "recurring" ? " in the same iteration" : "";
  return type === "external_survey"
    ? `People who have answered${when} are not asked again in the same browser, or by an address with the same distinct_id. In another browser they can answer again.`
    : `People who have answered or dismissed it${when} are not asked again, as long as your product identifies them.`;
}
