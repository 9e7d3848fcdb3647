import {
  type FiltersDraft,
  draftOf as filtersDraftOf,
  filtersOf,
} from "#components/conditions/editor/draft.ts";
import { changedFields } from "#components/kit/editor/changes.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import type { SurveyChange, SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { draftOf, type QuestionDraft, questionsOf } from "./draft.ts";

const PLAIN = [
  "name",
  "description",
  "type",
  "schedule",
  "end_date",
  "responses_limit",
  "iteration_count",
  "iteration_frequency_days",
  "response_sampling_start_date",
  "response_sampling_interval_type",
  "response_sampling_interval",
  "response_sampling_limit",
  "enable_partial_responses",
] as const;

export type Fields = Pick<SurveyWritten, (typeof PLAIN)[number]> & { linked_flag_id: number | null };

/** A survey while editing, as the form holds it; unknown members are preserved in the raw records. */
export type SurveyDraft = Fields & {
  questions: QuestionDraft[];
  conditions: Json | null;
  appearance: Json | null;
  /** Null: everybody. */
  targeting_flag_filters: FiltersDraft | null;
};

/** The saved fields of a survey: all that the builder edits. */
export type SurveyBody = Fields & {
  questions: SentQuestion[];
  conditions: Json | null;
  appearance: Json | null;
  targeting_flag_filters: FlagFilters | null;
};

type BodyField = keyof SurveyBody;

const NO_FIELDS: Fields = {
  name: "",
  description: "",
  type: "popover",
  schedule: "once",
  linked_flag_id: null,
  end_date: null,
  responses_limit: null,
  iteration_count: null,
  iteration_frequency_days: null,
  response_sampling_start_date: null,
  response_sampling_interval_type: "week",
  response_sampling_interval: null,
  response_sampling_limit: null,
  enable_partial_responses: false,
};

/** A new survey from these. */
export const newDraft = (
  fields: Partial<Fields>,
  questions: readonly SentQuestion[],
  appearance: Json | null = null,
): SurveyDraft => ({
  ...NO_FIELDS,
  ...fields,
  questions: draftOf(questions),
  conditions: null,
  appearance,
  targeting_flag_filters: null,
});

const hasGroups = (filters: unknown): filters is FlagFilters =>
  isObject(filters) && Array.isArray(filters.groups);

/** The draft of what was, or is to be, saved. */
export const draftOfBody = (body: SurveyBody): SurveyDraft => ({
  ...body,
  questions: draftOf(body.questions),
  targeting_flag_filters: body.targeting_flag_filters && filtersDraftOf(body.targeting_flag_filters),
});

/** The draft of a stored survey. */
export function draftOfSurvey(survey: SurveyWritten): SurveyDraft {
  const plain = Object.fromEntries(PLAIN.map((field) => [field, survey[field]])) as Fields;
  const filters = survey.targeting_flag?.filters;
  return draftOfBody({
    ...plain,
    linked_flag_id: survey.linked_flag?.id ?? null,
    questions: survey.questions ?? [],
    conditions: survey.conditions,
    appearance: survey.appearance,
    targeting_flag_filters: hasGroups(filters) ? filters : null,
  });
}

/** An edit as a browser keeps it: what was to be saved, and the survey that it began with. */
export type KeptSurvey = { body: SurveyBody; base: SurveyWritten | null };

/** A kept edit of a survey; null for what another release stored otherwise, or of another survey. */
export function readKept(stored: unknown, survey: SurveyWritten | null): KeptSurvey | null {
  const { body, base = null } = isObject(stored) ? stored : {};
  if (!isObject(body) || (isObject(base) ? base.id : undefined) !== survey?.id) return null;
  const questions = Array.isArray(body.questions) ? body.questions : [null];
  const known = Object.keys(NO_FIELDS).every((field) => field in body) && typeof body.name === "string";
  const whole = questions.every((each) => isObject(each) && typeof each.question === "string");
  return known && whole ? ({ body, base } as KeptSurvey) : null;
}

/** What a hosted page cannot have: targeting and triggers. */
const NOT_FOR_PAGES = [
  "url",
  "urlMatchType",
  "selector",
  "seenSurveyWaitPeriodInDays",
  "linkedFlagVariant",
  "deviceTypes",
  "deviceTypesMatchType",
  "events",
  "cancelEvents",
  "actions",
];

const leaveOut = (json: Json | null, names: readonly string[]): Json | null =>
  json && Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));

export const storedBody = (survey: SurveyWritten): SurveyBody => bodyOf(draftOfSurvey(survey));

/** The API body of a draft. */
export function bodyOf(draft: SurveyDraft): SurveyBody {
  const page = draft.type === "external_survey";
  return {
    ...draft,
    name: draft.name.trim(),
    questions: questionsOf(draft.questions),
    conditions: page ? leaveOut(draft.conditions, NOT_FOR_PAGES) : draft.conditions,
    appearance: page ? leaveOut(draft.appearance, ["surveyPopupDelaySeconds"]) : draft.appearance,
    linked_flag_id: page ? null : draft.linked_flag_id,
    targeting_flag_filters:
      page || !draft.targeting_flag_filters ? null : filtersOf(draft.targeting_flag_filters),
  };
}

/**
 * The PATCH from one state of a survey to another. Some fields depend on each other in the API: a frequency
 * is lost unless its count is sent too, linked actions without the conditions, and a variant needs its flag.
 */
export function patchOf(before: SurveyBody, after: SurveyBody): SurveyChange {
  const changed = new Set(changedFields(before, after));
  if (changed.size === 0) return {};
  if (changed.has("iteration_count") || changed.has("iteration_frequency_days")) {
    changed.add("iteration_count");
    changed.add("iteration_frequency_days");
  }
  changed.add("conditions");
  if (after.conditions?.linkedFlagVariant) changed.add("linked_flag_id");
  const { targeting_flag_filters: filters, ...rest } = after;
  const fields = Object.entries(rest).filter(([field]) => changed.has(field as BodyField));
  const targeting = !changed.has("targeting_flag_filters")
    ? {}
    : filters
      ? { targeting_flag_filters: filters }
      : { remove_targeting_flag: true };
  return { ...Object.fromEntries(fields), ...targeting } as SurveyChange;
}

/** A state of a survey with a PATCH that the builder has made. */
export function withPatch(body: SurveyBody, patch: Record<string, unknown>): SurveyBody {
  const { remove_targeting_flag, ...fields } = patch;
  const known = Object.fromEntries(Object.entries(fields).filter(([field]) => field in body));
  return { ...body, ...known, ...(remove_targeting_flag === true && { targeting_flag_filters: null }) };
}

/** The POST of a new survey. */
export function creationOf(body: SurveyBody) {
  const { targeting_flag_filters: filters, ...rest } = body;
  return { ...rest, ...(filters && { targeting_flag_filters: filters }) };
}

/** A copy of a stored survey: a draft with new ids, without the answers of the original. */
export function copyOfSurvey(survey: SurveyWritten): SurveyDraft {
  const draft = draftOfSurvey(survey);
  const questions = questionsOf(draft.questions).map(({ id: _, choice_ids: __, ...question }) => question);
  return {
    ...draft,
    questions: draftOf(questions as SentQuestion[]),
    name: `${survey.name} (copy)`.slice(0, 400),
    end_date: null,
    response_sampling_start_date: null,
    response_sampling_limit: null,
    response_sampling_interval: null,
  };
}
