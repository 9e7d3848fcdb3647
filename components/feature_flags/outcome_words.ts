import type { FlagExplanation, SetExplanation } from "#lib/evaluation/explain.ts";
import { percentText } from "#lib/feature_flags/words.ts";

/** Why a flag has its value, in a sentence, by the reason code of the API. */
export function reasonInWords(reason: string, conditionIndex: number | null): string {
  const set = conditionIndex === null ? "a set" : `set ${conditionIndex + 1}`;
  const words: Record<string, string> = {
    condition_match: `${capital(set)} takes this person.`,
    no_condition_match: "No set takes this person: in each, some row does not hold.",
    out_of_rollout_bound: `The rows of ${set} hold, but this person is outside its share.`,
    no_group_type: "The flag is for groups, and no group was given.",
    super_condition_value: "The person has chosen for themselves (early access).",
    holdout_condition_value: "The person is held out of all experiments.",
    missing_dependency: "A flag that this one depends on does not exist any more.",
    disabled: "The flag is off, so everyone gets off.",
    flag_disabled: "The flag is off, so everyone gets off.",
  };
  return words[reason] ?? `Reason: ${reason}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The value of a flag as people say it. */
export const valueInWords = (value: boolean | string): string =>
  value === true ? "on" : value === false ? "off" : value;

/** Where a person falls among the variants; null for a flag without. */
export function variantInWords({ variants }: FlagExplanation): string | null {
  const stretch = variants?.ranges.find(({ key }) => key === variants.by_hash);
  if (!variants || variants.hash === null || !stretch) return null;
  const [at, from, to] = [variants.hash, stretch.start, stretch.end].map((part) => percentText(part * 100));
  return `By hash they fall at ${at} among the variants: ${stretch.key} holds ${from} to ${to}.`;
}

/** How one set took a person. */
export function setInWords(set: SetExplanation): string {
  const { rollout } = set;
  const place =
    rollout.hash === null
      ? ""
      : ` (they fall at ${percentText(rollout.hash * 100)}, the share is ${percentText(rollout.percentage)})`;
  const words: Record<SetExplanation["result"], string> = {
    match: `takes the person${place}`,
    rows_failed: "a row does not hold",
    out_of_rollout: `the rows hold, but the person is outside the share${place}`,
    no_group: "there is no such group",
    undecided: "cannot be decided here",
    skipped: "not reached: an earlier set decided",
  };
  return words[set.result];
}
