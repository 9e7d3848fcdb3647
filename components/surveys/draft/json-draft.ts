import { draftOf as filtersDraftOf } from "#components/conditions/editor/draft.ts";
import { type PlacedProblem, parseJson, placedIssue } from "#components/kit/editor/json.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { questionProblem } from "#lib/surveys/surveys/questions/questions-schema.ts";
import { surveyUpdate } from "#lib/surveys/surveys/schema.ts";
import { draftOf } from "./draft.ts";
import { bodyOf, type Fields, type SurveyDraft } from "./survey-draft.ts";

type Read = { draft: SurveyDraft; problem: null } | { draft: null; problem: PlacedProblem };

/**
 * Members that cannot be changed here: launch, archive and computed ones.
 */
export function membersLeftOut(text: string, before: SurveyDraft): string[] {
  try {
    const json: unknown = JSON.parse(text);
    const known = Object.keys(bodyOf(before));
    return isObject(json) ? Object.keys(json).filter((name) => !known.includes(name)) : [];
  } catch {
    return [];
  }
}

const refused = (path: (string | number)[], message: string): Read => ({
  draft: null,
  problem: { path, message },
});

/** What the API would reject, with its place: the question, not the list. */
function problemIn(json: Json): PlacedProblem | null {
  const questions = Array.isArray(json.questions) ? json.questions : [];
  for (const [place, question] of questions.entries()) {
    const message = questionProblem(question);
    if (message) return { path: ["questions", place], message };
  }
  const parsed = surveyUpdate.safeParse(json);
  const issue = parsed.error?.issues[0];
  return issue ? placedIssue(issue) : null;
}

/** Applies JSON to a draft; returns the draft, or a problem. */
export function draftOfJson(text: string, before: SurveyDraft): Read {
  const read = parseJson(text);
  if (read.problem) return { draft: null, problem: read.problem };
  const { json } = read;
  if (!isObject(json)) return refused([], "A survey must be a JSON object.");
  const problem = problemIn(json);
  if (problem) return { draft: null, problem };
  const fields = Object.fromEntries(
    Object.entries(before).map(([field, value]) => [field, field in json ? json[field] : value]),
  ) as Fields;
  const filters = json.targeting_flag_filters;
  if (filters && (!isObject(filters) || !Array.isArray(filters.groups)))
    return refused(["targeting_flag_filters"], "Filters need groups.");
  const member = (name: "conditions" | "appearance") =>
    name in json ? ((json[name] ?? null) as Json | null) : before[name];
  return {
    problem: null,
    draft: {
      ...fields,
      questions: "questions" in json ? draftOf((json.questions ?? []) as SentQuestion[]) : before.questions,
      conditions: member("conditions"),
      appearance: member("appearance"),
      targeting_flag_filters: filters
        ? filtersDraftOf(filters as FlagFilters)
        : "targeting_flag_filters" in json
          ? null
          : before.targeting_flag_filters,
    },
  };
}

/** The survey as JSON to read and edit. */
export const jsonOf = (draft: SurveyDraft): string => JSON.stringify(bodyOf(draft), null, 2);
