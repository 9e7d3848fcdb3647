import { sameJson } from "#lib/activity/changes.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

/** What a save does to a flag, as far as its users notice. */
export type ChangeKind =
  | "turned_on"
  | "turned_off"
  | "deleted"
  | "renamed"
  | "unit_changed"
  | "variant_removed"
  | "split_changed"
  | "conditions_changed";

/** Who relies on a flag: a running or paused experiment, or a running survey. */
export type FlagUser = {
  type: "experiment" | "survey";
  id: string;
  name: string;
  /** The flag in between, where the user's own flag depends on the changed one; null where it is the same. */
  via: { id: number; key: string } | null;
  /** The one variant of the flag for which a survey is shown; null: any value but off. */
  variant: string | null;
};

/** What becomes of a user of the flag. */
type Effect =
  | "exposure_stops"
  | "exposure_resumes"
  | "people_reassigned"
  | "participants_change"
  | "survey_stops"
  | "survey_starts"
  | "audience_changes";

/** One user of a flag, and what a change does to it. */
export type Consequence = {
  change: ChangeKind;
  user: FlagUser;
  effect: Effect;
  /** Whether figures collected before the change can no longer be compared with those after it. */
  ends_comparison: boolean;
  /** The same in one or two sentences. */
  text: string;
};

/** A flag as far as consequences go; null where there is none. */
export type FlagState = { key: string; active: boolean; filters: Json } | null;

const variantsIn = ({ multivariate }: Json): Json[] =>
  isObject(multivariate) && Array.isArray(multivariate.variants)
    ? multivariate.variants.filter(isObject)
    : [];

/** Variants in their order with their shares: together they say which hash gets which variant. */
const splitOf = (filters: Json) =>
  variantsIn(filters).map(({ key, rollout_percentage }) => [key, rollout_percentage]);

const unitOf = ({ aggregation_group_type_index: index }: Json) => (typeof index === "number" ? index : null);

/** A condition set without what only people read. */
function decidingPart(group: unknown): unknown {
  if (!isObject(group)) return group;
  const { description: _, sort_key: __, ...rest } = group;
  return { ...rest, rollout_percentage: rest.rollout_percentage ?? 100, variant: rest.variant || null };
}

/** Everything that decides who gets in, whatever they get then. */
const conditionsOf = (filters: Json) => ({
  groups: Array.isArray(filters.groups) ? filters.groups.map(decidingPart) : [],
  super_groups: filters.super_groups ?? null,
  holdout: filters.holdout ?? null,
  holdout_groups: filters.holdout_groups ?? null,
  feature_enrollment: filters.feature_enrollment === true,
  early_exit: filters.early_exit === true,
});

/** What happens to a flag between two states. Nothing depends on a flag that does not exist yet. */
export function changeKinds(before: FlagState, after: FlagState): ChangeKind[] {
  if (!before) return [];
  if (!after) return ["deleted"];
  const keys = new Set(variantsIn(after.filters).map(({ key }) => key));
  const removed = variantsIn(before.filters).some(({ key }) => !keys.has(key));
  const kinds: [ChangeKind, boolean][] = [
    ["turned_on", !before.active && after.active],
    ["turned_off", before.active && !after.active],
    ["renamed", before.key !== after.key],
    ["unit_changed", unitOf(before.filters) !== unitOf(after.filters)],
    ["variant_removed", removed],
    ["split_changed", !removed && !sameJson(splitOf(before.filters), splitOf(after.filters))],
    ["conditions_changed", !sameJson(conditionsOf(before.filters), conditionsOf(after.filters))],
  ];
  return kinds.flatMap(([kind, holds]) => (holds ? [kind] : []));
}

type Outcome = Pick<Consequence, "effect" | "ends_comparison" | "text">;

const ends = (effect: Effect, text: string): Outcome => ({ effect, ends_comparison: true, text });
const keeps = (effect: Effect, text: string): Outcome => ({ effect, ends_comparison: false, text });

const INCOMPARABLE = "Results from before and after cannot be compared.";

const ON_EXPERIMENT: Record<ChangeKind, Outcome> = {
  turned_off: ends("exposure_stops", "Nobody gets a variant and nobody new enters while the flag is off."),
  deleted: ends("exposure_stops", "Nobody gets a variant any more, and nobody new enters."),
  renamed: ends(
    "people_reassigned",
    `Code that uses the old key gets no value, and the new key reassigns everyone. ${INCOMPARABLE}`,
  ),
  unit_changed: ends(
    "people_reassigned",
    `Variants are assigned by a different unit, so everyone is reassigned. ${INCOMPARABLE}`,
  ),
  variant_removed: ends(
    "people_reassigned",
    `People are reassigned, and those who had the removed variant get another. ${INCOMPARABLE}`,
  ),
  split_changed: ends("people_reassigned", `Some people are moved to another variant. ${INCOMPARABLE}`),
  conditions_changed: keeps(
    "participants_change",
    "Enrollment changes from now on; people already counted stay in the results.",
  ),
  turned_on: keeps("exposure_resumes", "People get variants again and enter the experiment."),
};

const ON_SURVEY: Record<ChangeKind, Outcome | null> = {
  turned_off: keeps("survey_stops", "It is not shown to anyone while the flag is off."),
  deleted: keeps("survey_stops", "It is not shown to anyone any more."),
  // Surveys refer to flags by id and send SDKs the present key.
  renamed: null,
  unit_changed: keeps("audience_changes", "The audience changes."),
  variant_removed: null,
  split_changed: null,
  conditions_changed: keeps("audience_changes", "The audience changes."),
  turned_on: keeps("survey_starts", "It is shown to the people the flag is on for."),
};

/** A survey that is shown for one variant depends on that variant; others only on whether the flag is on. */
function onSurvey(kind: ChangeKind, { variant }: FlagUser, after: FlagState): Outcome | null {
  if (variant === null || (kind !== "variant_removed" && kind !== "split_changed")) return ON_SURVEY[kind];
  const keys = variantsIn(after?.filters ?? {}).map(({ key }) => key);
  return keys.includes(variant)
    ? keeps("audience_changes", "The audience changes.")
    : keeps("survey_stops", `It is shown for variant ${variant}, which nobody gets any more.`);
}

/** Behind a flag that depends on the changed one, only who gets in can change. */
function indirectly({ type, via }: FlagUser): Outcome {
  const why = `Its flag ${via?.key} depends on this one`;
  return type === "experiment"
    ? keeps("participants_change", `${why}, so enrollment can change.`)
    : keeps("audience_changes", `${why}, so the audience can change.`);
}

/** What a change of a flag does to those that rely on it. */
export function findConsequences(
  before: FlagState,
  after: FlagState,
  users: readonly FlagUser[],
): Consequence[] {
  const kinds = changeKinds(before, after);
  return users.flatMap((user) => {
    const [first] = kinds;
    if (user.via) return first ? [{ change: first, user, ...indirectly(user) }] : [];
    return kinds.flatMap((change) => {
      const outcome = user.type === "experiment" ? ON_EXPERIMENT[change] : onSurvey(change, user, after);
      return outcome ? [{ change, user, ...outcome }] : [];
    });
  });
}
