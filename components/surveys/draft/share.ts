import { rangeOf } from "#lib/engines/branching/buckets.ts";
import type { Question } from "#lib/engines/branching/question.ts";
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
        "The address is final, so you can prepare it in advance. Until you launch the survey, it shows “There is no survey here”; only the preview shows the survey.",
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
        text: `Everyone with the address can answer${survey.end_date ? ` until ${momentOf(survey.end_date)}` : ""}. Each visit counts as a view, your own included, and once if the page is opened again within half an hour. The preview does not count.`,
        open: true,
      };
  }
}

/** Answers to suggest, by the place of the question: a rating, or the place of a choice. */
export type Prefill = ReadonlyMap<number, number>;

/**
 * An address with suggested answers and hidden fields.
 *
 * @param fields as in an address: "utm_source=newsletter&plan=pro"
 */
export function addressWith(address: string, prefill: Prefill, fields: string): string {
  const query = new URLSearchParams(fields.trim().replace(/^\?/, ""));
  for (const [place, answer] of [...prefill].sort(([a], [b]) => a - b))
    query.append(`q${place}`, String(answer));
  return query.size === 0 ? address : `${address}?${query}`;
}

/** The answers to a question that an address can suggest; empty if it can suggest none. */
export function suggestionsFor(question: Question): { value: number; label: string }[] {
  const range = question.type === "rating" ? rangeOf(question.scale) : null;
  if (range)
    return Array.from({ length: range.last - range.first + 1 }, (_, step) => ({
      value: range.first + step,
      label: String(range.first + step),
    }));
  const isChoice = question.type === "single_choice" || question.type === "multiple_choice";
  const choices = isChoice && Array.isArray(question.choices) ? question.choices : [];
  const listed = isChoice && question.hasOpenChoice === true ? choices.slice(0, -1) : choices;
  return listed.map((choice, value) => ({ value, label: String(choice) }));
}

/** A message that asks somebody to answer. */
export const messageFor = (name: string, address: string): { subject: string; body: string } => ({
  subject: name,
  body: `Hello,\n\nwe would like to hear what you think. Please answer a few questions:\n\n${address}\n\nThank you!`,
});

export const mailtoFor = ({ subject, body }: ReturnType<typeof messageFor>): string =>
  `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll("\n", "\r\n"))}`;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** HTML that shows the survey in a frame of another page. */
export function embedCode(name: string, address: string): string {
  const embedded = new URL(address);
  embedded.searchParams.set("embed", "true");
  return `<iframe src="${escaped(embedded.href)}" title="${escaped(name)}" style="width: 100%; height: 40rem; border: 0" loading="lazy"></iframe>`;
}
