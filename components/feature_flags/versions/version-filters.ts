import type { FlagVersion } from "#lib/flags/feature_flags/history/versions-contract.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";

/** The targeting of a version; the log may hold one without sets. */
export function filtersOfVersion(version: FlagVersion): FlagFilters {
  const filters = (version.flag.filters ?? {}) as Partial<FlagFilters>;
  return { ...filters, groups: Array.isArray(filters.groups) ? filters.groups : [] };
}
