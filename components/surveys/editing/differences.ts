import { changedFields } from "#components/kit/editor/changes.ts";
import { TYPE_WORDS } from "#components/surveys/draft/status.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { listFiltersDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { kindName } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

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

const worded = (value: unknown): string | null =>
  empty(value) ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Members of a record that differ, each by its name in the API. */
function memberDifferences(title: string, before: Json | null, after: Json | null): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .filter((name) => name !== "choice_ids" && canonical(before?.[name]) !== canonical(after?.[name]))
    .map((name) => ({
      what: `${title}: ${name}`,
      before: worded(before?.[name]),
      after: worded(after?.[name]),
    }));
}

const lineOf = (question: SentQuestion) => `${kindName(question.type)}: ${question.question}`;

/** Questions added, removed, moved or changed; matched by id. */
function questionDifferences(before: SentQuestion[], after: SentQuestion[]): Difference[] {
  const idOf = (question: SentQuestion, place: number) => String(question.id ?? `new ${place}`);
  const old = new Map(before.map((question, place) => [idOf(question, place), { question, place }]));
  const kept = new Set<string>();
  const found = after.flatMap((question, place): Difference[] => {
    const id = idOf(question, place);
    const former = old.get(id);
    if (!former) return [{ what: `Question ${place + 1}`, before: null, after: lineOf(question) }];
    kept.add(id);
    const members = memberDifferences(`Question ${place + 1}`, former.question, question);
    return former.place === place
      ? members
      : [
          {
            what: `Question ${place + 1}`,
            before: `at position ${former.place + 1}`,
            after: `at position ${place + 1}`,
          },
          ...members.filter((each) => !each.what.endsWith(": branching")),
        ];
  });
  const gone = [...old].filter(([id]) => !kept.has(id));
  return [
    ...found,
    ...gone.map(([, { question, place }]) => ({
      what: `Question ${place + 1}`,
      before: lineOf(question),
      after: null,
    })),
  ];
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
