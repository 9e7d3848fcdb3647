import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { type QuestionKind, SOME } from "./kind.ts";

/** Why a link cannot be shown to respondents; null if it can. */
export function linkProblem(link: unknown): string | null {
  if (typeof link !== "string") return "Link must be a text.";
  if (/^mailto:/i.test(link))
    return /^mailto:[^\s@?]+@[^\s@?]+\.[^\s@?]+$/i.test(link) ? null : "Link is not a valid mailto address.";
  if (!/^https:\/\//i.test(link)) return "Link must be a URL with the scheme https or mailto.";
  return URL.canParse(link) && new URL(link).hostname !== "" ? null : "Link must be a URL with a host.";
}

export const LINK = {
  name: "Link",
  summary: "A notice with a link",
  schema: { link: "Of a link: an https or mailto URL." },
  empty: { link: "" },
  problems: ({ link }) =>
    typeof link !== "string" || link.trim() === ""
      ? [{ field: "link", message: "Enter the address of the link." }]
      : [],
  canBeInstant: () => false,
  encode: () => SOME,
  figures: () => "count",
  counted: (people) => `${people} ${people === 1 ? "person" : "people"} followed the link.`,
  isMultiple: false,
} satisfies QuestionKind<QuestionOf<"link">>;
