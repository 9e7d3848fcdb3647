import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { statusOf } from "./status.ts";

/** The URL of a hosted survey. @param origin without a slash at the end */
export const surveyAddress = (origin: string, surveyId: string): string =>
  `${origin}/external_surveys/${surveyId}/`;

type Shared = Pick<SurveyWritten, "archived" | "start_date" | "end_date" | "questions">;

const momentOf = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;

/** What people see who open the address of a survey now. @param now milliseconds since the epoch */
export function whatPeopleSee(survey: Shared, now: number): { title: string; text: string; open: boolean } {
  const closed = (title: string, text: string) => ({ title, text, open: false });
  switch (statusOf(survey, now)) {
    case "draft":
      return closed(
        "Not open yet",
        "The address is final, so you can prepare it in advance. Until you launch the survey, it shows “There is no survey here”.",
      );
    case "scheduled":
      return closed(
        `Opens on ${momentOf(survey.start_date ?? "")}`,
        "Until then, the address shows “There is no survey here”.",
      );
    case "complete":
      return closed(
        "Closed",
        "The address shows “This survey is closed”. If you resume the survey, the same address opens it again.",
      );
    case "archived":
      return closed(
        "Archived",
        "The address shows “There is no survey here”. If you restore the survey, the same address works again.",
      );
    case "running":
      if ((survey.questions ?? []).length === 0)
        return closed(
          "No questions yet",
          "The address shows “This survey is closed” until it has a question.",
        );
      return {
        title: "Open",
        text: `Everyone with the address can answer${survey.end_date ? ` until ${momentOf(survey.end_date)}` : ""}. Each time it is opened counts as a view, your own visits included.`,
        open: true,
      };
  }
}
