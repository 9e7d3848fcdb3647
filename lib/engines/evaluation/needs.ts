import type { Needs } from "#lib/engines/evaluation/values/types.ts";

/** Collects what a flag reads while it is compiled. */
export interface NeedsBuilder {
  readonly person_properties: Set<string>;
  readonly group_types: Set<string>;
  readonly static_cohort_ids: Set<number>;
  experience_continuity: boolean;
}

/** A collection with nothing in it. */
export function emptyNeeds(): NeedsBuilder {
  return {
    person_properties: new Set(),
    group_types: new Set(),
    static_cohort_ids: new Set(),
    experience_continuity: false,
  };
}

/** Adds what another flag or cohort reads. */
export function addNeeds(to: NeedsBuilder, from: Needs | NeedsBuilder): void {
  for (const name of from.person_properties) to.person_properties.add(name);
  for (const type of from.group_types) to.group_types.add(type);
  for (const id of from.static_cohort_ids) to.static_cohort_ids.add(id);
  if (from.experience_continuity) to.experience_continuity = true;
}

/** The collection as plain lists. */
export function finishNeeds(needs: NeedsBuilder): Needs {
  return {
    person_properties: [...needs.person_properties],
    group_types: [...needs.group_types],
    static_cohort_ids: [...needs.static_cohort_ids],
    experience_continuity: needs.experience_continuity,
  };
}
