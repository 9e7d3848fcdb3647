import type { ActivityEntry } from "#lib/activity/schema.ts";
import type { SurveyBody } from "./survey-draft.ts";

type Entry = Pick<ActivityEntry, "id" | "activity"> & {
  detail: { changes: readonly { field: string; before: unknown }[] | null };
};

/** The fields of the log that differ in name: a targeting that was removed. */
const FIELDS: Record<string, keyof SurveyBody> = { targeting_flag: "targeting_flag_filters" };

/**
 * A survey as it was after an entry of its log, by taking back the changes since.
 *
 * @param entries the log, newest first
 * @returns null if the log does not reach back that far
 */
export function bodyAsOf(current: SurveyBody, entries: readonly Entry[], entryId: string): SurveyBody | null {
  const place = entries.findIndex(({ id }) => id === entryId);
  if (place < 0) return null;
  const body: Record<string, unknown> = { ...current };
  for (const { detail } of entries.slice(0, place))
    for (const { field, before } of detail.changes ?? []) {
      const name = FIELDS[field] ?? field;
      if (name in current)
        body[name] = name === "description" || name === "questions" ? (before ?? EMPTY[name]) : before;
    }
  return body as SurveyBody;
}

/** The log has null for what is empty. */
const EMPTY = { description: "", questions: [] };
