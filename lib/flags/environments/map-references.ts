import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { describeReferences } from "#lib/flags/feature_flags/transfer/export.ts";
import { mapReferences, Unresolved } from "#lib/flags/feature_flags/transfer/references.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { readSide } from "./linked.ts";

/**
 * Filters with the ids that what they refer to has in another project: cohorts and group types by name, flags by key.
 *
 * @throws Unresolved where one of them is not there, or not only once
 */
export async function mapFiltersTo(
  { runtime }: Pick<MemberContext, "runtime">,
  { from, to }: { from: ProjectRow; to: ProjectRow },
  filters: Json,
): Promise<Json> {
  const [names, cohorts, there, { group_types }] = await Promise.all([
    describeReferences({ runtime, project: from }, [filters]),
    runtime.cohorts.project(to.id),
    readSide({ runtime }, to.id),
    runtime.definitions.project(to.id),
  ]);
  return mapReferences(filters, names, {
    cohort(name) {
      const [only, ...others] = [...cohorts.byId.values()].filter((cohort) => cohort.name === name);
      if (!only || others.length > 0)
        throw new Unresolved(`There is not exactly one cohort “${name}” in ${to.name}.`);
      return only.id;
    },
    flag(key) {
      const flag = there.byKey.get(key);
      if (!flag) throw new Unresolved(`There is no flag ${key} in ${to.name}.`);
      return flag.id;
    },
    groupType(name) {
      const index = group_types.indexes.get(name);
      if (index === undefined) throw new Unresolved(`There is no group type “${name}” in ${to.name}.`);
      return index;
    },
  });
}
