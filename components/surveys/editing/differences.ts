import { changedFields } from "#components/kit/editor/changes.ts";
import { TYPE_WORDS } from "#components/surveys/draft/status.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { listFiltersDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { memberDifferences, questionDifferences } from "#lib/surveys/surveys/questions/differences.ts";

const WHAT: Record<
  Exclude<keyof SurveyBody, "questions" | "conditions" | "appearance" | "targeting_flag_filters">,
  string
> = {
  name: "Name",
  description: "Description",
  type: "Shown as",
  schedule: "Schedule",
  end_date: "Ends",
  responses_limit: "Response limit",
  iteration_count: "Iterations",
  iteration_frequency_days: "Days between iterations",
  response_sampling_start_date: "Sampling starts",
  response_sampling_interval_type: "Sampling unit",
  response_sampling_interval: "Sampling period",
  response_sampling_limit: "Sampling target",
  enable_partial_responses: "Unfinished responses",
  linked_flag_id: "Linked flag",
};

const empty = (value: unknown) => value === null || value === undefined || value === "" || value === false;

function shown(field: string, value: unknown, names: Names): string | null {
  if (empty(value)) return null;
  if (field === "type") return TYPE_WORDS[value as SurveyBody["type"]];
  if (field === "linked_flag_id") return names.flags?.get(String(value)) ?? `#${value}`;
  return value === true ? "yes" : String(value);
}

/** What differs between two states of a survey, in words. */
export function surveyDifferences(before: SurveyBody, after: SurveyBody, names: Names = {}): Difference[] {
  const none = { groups: [] };
  return changedFields(before, after).flatMap((field): Difference[] => {
    if (field === "questions") return questionDifferences(before.questions, after.questions);
    if (field === "conditions") return memberDifferences("Condition", before.conditions, after.conditions);
    if (field === "appearance") return memberDifferences("Appearance", before.appearance, after.appearance);
    if (field === "targeting_flag_filters")
      return listFiltersDifferences(
        before.targeting_flag_filters ?? none,
        after.targeting_flag_filters ?? none,
        names,
      ).map((each) => ({ ...each, what: `Audience: ${each.what}` }));
    return [
      {
        what: WHAT[field],
        before: shown(field, before[field], names),
        after: shown(field, after[field], names),
      },
    ];
  });
}
