import type { SurveyRow } from "../store.ts";

/** Whether people can answer a survey at its own address: "missing" tells nothing of why not. */
export type Standing = "open" | "closed" | "missing";

export function standingOf(row: SurveyRow | null, now: Date): Standing {
  if (!row || row.archived || row.type !== "external_survey") return "missing";
  if (!row.start_date || row.start_date > now) return "missing";
  return row.end_date && row.end_date <= now ? "closed" : "open";
}
