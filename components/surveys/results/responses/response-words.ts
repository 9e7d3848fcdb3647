import { shortened } from "#components/surveys/results/filters/filter-words.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";

/** An answer as texts: one, or several for a multiple choice; none if it was skipped. */
export function answerTexts(value: unknown): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value)) return value.map((each) => String(each));
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}

/** What a row is: a response, or an event around it. */
export function rowWords({ event, completed }: Pick<ResponseRow, "event" | "completed">): string {
  if (completed === true) return "Completed";
  if (completed === false) return "Unfinished";
  const words: Record<string, string> = {
    "survey shown": "Shown",
    "survey dismissed": "Dismissed",
    "survey abandoned": "Abandoned",
  };
  return words[event] ?? event;
}

/** The displayed person: a name, or the start of an id. */
export const whoOf = ({ person, distinct_id }: Pick<ResponseRow, "person" | "distinct_id">): string =>
  shortened(person?.name || distinct_id, 40);

/** The questions in the order they were seen, then how it ended: "1 → 3 → end". */
export function pathWords({ path, ended }: Pick<ResponseRow, "path" | "ended">): string {
  const steps = path.map((index) => String(index + 1));
  if (ended) steps.push(ended === "end" ? "end" : "stopped");
  return steps.join(" → ");
}
