import type { Db } from "#lib/platform/db/connect.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { findExperimentsProblem } from "./deletion.ts";
import { type FlagRow, selectExperimentLinks, selectFlagByKey } from "./store.ts";

const deletedKey = (key: string, id: number) => `${key}:deleted:${id}`;

/**
 * What becomes of a flag's key when the flag is deleted or restored: experiments that were deleted keep their flag,
 * so it gives its key up at once, and gets it back with its life where it is still free.
 *
 * @returns the new key; undefined where it stays as it is
 * @throws ApiError 400 for the deletion of a flag on which experiments stand
 */
export async function resolveKeyAfter(
  tx: Db,
  row: FlagRow,
  deleted: boolean | undefined,
): Promise<string | undefined> {
  if (deleted === true && !row.deleted) {
    const links = await selectExperimentLinks(tx, row.project_id, [row.id]);
    const problem = findExperimentsProblem(links.filter((link) => !link.deleted).map(({ id }) => id));
    if (problem) throw invalid(problem);
    return links.length > 0 ? deletedKey(row.key, row.id) : undefined;
  }
  const ending = deletedKey("", row.id);
  if (deleted !== false || !row.deleted || !row.key.endsWith(ending)) return undefined;
  const key = row.key.slice(0, -ending.length);
  return (await selectFlagByKey(tx, row.project_id, key)) ? undefined : key;
}
