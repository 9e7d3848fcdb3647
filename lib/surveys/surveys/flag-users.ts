import type { DirectUser } from "#lib/flags/context.ts";
import type { SurveyRow } from "./store.ts";

/** The variant name (or none) of a survey that is shown for any value but off. */
const ANY_VARIANT = "any";

/** The flags that open surveys use. */
export function surveyUsers(survey: SurveyRow): DirectUser[] {
  // A hosted survey is open to everyone with its URL.
  if (survey.type === "external_survey") return [];
  const variant = survey.conditions?.linkedFlagVariant;
  const forOne = typeof variant === "string" && variant !== "" && variant !== ANY_VARIANT ? variant : null;
  const ids = new Set([
    survey.targeting_flag_id,
    survey.internal_targeting_flag_id,
    survey.internal_response_sampling_flag_id,
  ]);
  const user = { type: "survey" as const, id: survey.id, name: survey.name };
  const own = [...ids].flatMap((id) => (id === null ? [] : [{ ...user, flag_id: id, variant: null }]));
  const { linked_flag_id: linked } = survey;
  return linked === null || ids.has(linked) ? own : [...own, { ...user, flag_id: linked, variant: forOne }];
}
