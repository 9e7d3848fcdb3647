import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { type FlagRow, selectExperimentLinks, selectFlagByKey } from "./store.ts";

type Candidate = {
  id: number;
  key: string;
  active: boolean;
  deleted: boolean;
  filters: Record<string, unknown>;
};

const NAMED_MAX = 5;

/** Why a flag cannot be deleted because of others that depend on it; null where none does. */
export function findDependentsProblem(id: number, flags: readonly Candidate[]): string | null {
  const dependents = flags.filter(
    (flag) => flag.id !== id && flag.active && !flag.deleted && dependenciesOf(flag.filters).includes(id),
  );
  if (dependents.length === 0) return null;
  const named = dependents.slice(0, NAMED_MAX).map((flag) => `${flag.key} (ID: ${flag.id})`);
  const more = dependents.length > NAMED_MAX ? ` and ${dependents.length - NAMED_MAX} more` : "";
  return `Cannot delete this feature flag because other active flags depend on it: ${named.join(", ")}${more}.`;
}

/** The same because of experiments on it. */
export const findExperimentsProblem = (experimentIds: readonly number[]): string | null =>
  experimentIds.length === 0
    ? null
    : `Cannot delete this feature flag because experiments use it (ids: ${experimentIds.join(", ")}). Delete them first.`;

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
