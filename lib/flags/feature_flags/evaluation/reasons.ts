import type { FlagExplanation, SetExplanation } from "#lib/engines/evaluation/explain.ts";
import type { Evaluation, ReasonCode } from "#lib/engines/evaluation/values/types.ts";
import { percentText } from "#lib/people/conditions/words.ts";

/**
 * The reason code of SDK answers (`POST /flags`), which call a disabled flag by another name than the engine. They have
 * none for a pin: to them, it is as if a set had been written for that person.
 */
export function toSdkReason(reason: ReasonCode, value: boolean | string): string {
  if (reason === "pinned") return value === false ? "no_condition_match" : "condition_match";
  return reason === "disabled" ? "flag_disabled" : reason;
}

/** What a flag is evaluated for. */
type Unit = "person" | "group";

/**
 * Why a flag has its value, in one sentence. Sets are numbered from 1, as on the flag's page.
 *
 * @param reason a reason code of the engine or of SDK answers
 * @param conditionIndex the set that decided, counting from 0; null when none did
 */
export function reasonText(reason: string, conditionIndex: number | null, unit: Unit = "person"): string {
  const set = conditionIndex === null ? "a set" : `set ${conditionIndex + 1}`;
  switch (reason) {
    case "pinned":
      return "The value is pinned for this person, whatever the sets say.";
    case "condition_match":
      return `${capital(set)} matches this ${unit}.`;
    case "no_condition_match":
      return `No set matches this ${unit}: every set has a row that fails.`;
    case "out_of_rollout_bound":
      return `Every row of ${set} matches, but this ${unit} is outside its rollout.`;
    case "no_group_type":
      return "The flag is evaluated for groups, and no group of that type was given.";
    case "super_condition_value":
      return "This person opted in to or out of early access, which comes before all sets.";
    case "holdout_condition_value":
      return `This ${unit} is in a holdout, which comes before all sets.`;
    case "missing_dependency":
      return "A flag that this one depends on is missing, or the two depend on each other.";
    case "disabled":
    case "flag_disabled":
      return "The flag is off, so everyone gets off.";
    default:
      return `Reason: ${reason}.`;
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Why a flag as a whole has its value. Early access without conditions decides by a rollout of its own. */
export function outcomeText(outcome: Evaluation, { enrollment }: FlagExplanation, unit: Unit): string {
  if (outcome.reason === "out_of_rollout_bound" && enrollment?.chosen)
    return `Early access decides before all sets, and this ${unit} is outside its rollout.`;
  return reasonText(outcome.reason, outcome.condition_index, unit);
}

/** What decided before a set that was not reached. */
function decidedBy({ outcome, enrollment }: FlagExplanation): string {
  if (outcome.reason === "pinned") return "the value is pinned";
  if (outcome.reason === "holdout_condition_value") return "the holdout decided";
  if (outcome.reason === "missing_dependency") return "a flag that this one depends on is missing";
  if (outcome.reason === "disabled") return "the flag is off";
  if (outcome.reason === "super_condition_value" || enrollment?.chosen) return "early access decided";
  return `set ${(outcome.condition_index ?? 0) + 1} decided`;
}

function failedRows(set: SetExplanation): string {
  const failed = set.rows.flatMap((row, place) => (row.result === "pass" ? [] : [place + 1]));
  if (set.rows.length === 1) return "its row fails";
  if (failed.length === 1) return `row ${failed[0]} fails`;
  return `rows ${failed.slice(0, -1).join(", ")} and ${failed.at(-1)} fail`;
}

/** How one condition set came out, as the rest of a sentence that starts with its name. */
export function setText(set: SetExplanation, explanation: FlagExplanation, unit: Unit): string {
  const { hash, percentage } = set.rollout;
  const place = hash === null ? null : `falls at ${percentText(hash * 100)}`;
  const held = set.rows.length === 0 ? "" : "every row matches, but ";
  switch (set.result) {
    case "match":
      return place ? `matches: ${place}, inside the rollout of ${percentText(percentage)}` : "matches";
    case "rows_failed":
      return `does not match: ${failedRows(set)}`;
    case "out_of_rollout":
      return `does not match: ${held}${place ? `this ${unit} ${place}, outside the rollout of ${percentText(percentage)}` : `the rollout is ${percentText(percentage)}`}`;
    case "no_group":
      return "does not match: no group of its type was given";
    case "undecided":
      return "cannot be decided";
    case "skipped":
      return `not reached: ${decidedBy(explanation)}`;
  }
}

/** How the variant was chosen; null where none was. */
export function variantText({ outcome, sets, variants }: FlagExplanation): string | null {
  if (outcome.reason !== "condition_match" || !variants || outcome.variant === null) return null;
  const forced = sets[outcome.condition_index ?? 0]?.variant_override;
  if (forced) return `Set ${(outcome.condition_index ?? 0) + 1} always gives ${forced}.`;
  const range = variants.ranges.find(({ key }) => key === outcome.variant);
  if (variants.hash === null || !range) return null;
  const [at, start, end] = [variants.hash, range.start, range.end].map((part) => percentText(part * 100));
  return `Falls at ${at} of the variants; ${range.key} covers ${start} to ${end}.`;
}
