import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";

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
