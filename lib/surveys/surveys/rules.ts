import { isObject, type Json } from "#lib/engines/json.ts";
import type { ProjectFlags } from "#lib/flags/feature_flags/cache.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import { behavioralIds } from "#lib/people/cohorts/behavior.ts";
import { cohortIdsOf } from "#lib/people/conditions/cohort-conditions.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import {
  CHOICE_TEXTS_MAX,
  findOverfullQuestion,
  findUnknownChoice,
} from "#lib/surveys/surveys/questions/choices.ts";
import { addDays, startOfDay } from "./dates.ts";
import { iterationStart, samplingDays } from "./recurrence.ts";
import type { SurveyUpdate } from "./schema.ts";
import type { SurveyRow } from "./store.ts";

/** A sampling plan is stored day by day: ten years at most. */
const PLAN_DAYS_MAX = 3_650;

/** The facts of a project that a request is validated against. */
export type Facts = {
  now: Date;
  flags: ProjectFlags["byId"];
  /** Cohorts that are not deleted. */
  cohorts: ReadonlyMap<number, { filters: unknown }>;
};

const isGiven = (value: unknown) => value !== undefined && value !== null;

const NOT_FOR_PAGES = [
  "url",
  "urlMatchType",
  "selector",
  "seenSurveyWaitPeriodInDays",
  "linkedFlagVariant",
  "deviceTypes",
  "deviceTypesMatchType",
] as const;

const hasValues = (trigger: unknown) =>
  isObject(trigger) && Array.isArray(trigger.values) && trigger.values.length > 0;

/** A hosted page has no targeting and no triggers. */
function checkExternal(body: SurveyUpdate): void {
  if (body.type !== "external_survey") return;
  const refuse = (what: string) => invalid(`External surveys cannot have ${what}.`);
  if (isGiven(body.linked_flag_id)) throw refuse("a linked flag");
  if (isGiven(body.targeting_flag_filters)) throw refuse("targeting filters");
  const named = NOT_FOR_PAGES.find((name) => isGiven(body.conditions?.[name]));
  if (named) throw refuse(`the condition ${named}`);
  const trigger = ["actions", "events"].find((name) => hasValues(body.conditions?.[name]));
  if (trigger) throw refuse(`the condition ${trigger}`);
  if (isGiven(body.appearance?.surveyPopupDelaySeconds)) throw refuse("a popup delay");
}

function checkLinkedFlag(body: SurveyUpdate, { flags }: Facts): void {
  const linked = isGiven(body.linked_flag_id) ? flags.get(body.linked_flag_id ?? 0) : undefined;
  if (isGiven(body.linked_flag_id) && (!linked || linked.deleted))
    throw invalid("The linked feature flag does not exist.");
  if (isGiven(body.targeting_flag_id)) {
    const targeting = flags.get(body.targeting_flag_id ?? 0);
    if (!targeting || targeting.deleted) throw invalid("The targeting feature flag does not exist.");
  }
  const variant = body.conditions?.linkedFlagVariant;
  if (!isGiven(variant) || variant === "any") return;
  if (!linked) throw invalid("linkedFlagVariant requires linked_flag_id in the same request.");
  const multivariate = linked.filters.multivariate;
  const variants =
    isObject(multivariate) && Array.isArray(multivariate.variants) ? multivariate.variants : [];
  const keys = variants.filter(isObject).map((v) => v.key);
  if (!keys.includes(variant))
    throw invalid(
      `The linked feature flag has no variant ${JSON.stringify(variant)}. It has: ${keys.join(", ")}.`,
    );
}

const reachesEveryone = (group: unknown) =>
  isObject(group) &&
  (group.rollout_percentage === 100 || !isGiven(group.rollout_percentage)) &&
  (!Array.isArray(group.properties) || group.properties.length === 0);

function checkTargeting(filters: Json | null | undefined, survey: SurveyRow, facts: Facts): void {
  if (!filters || Object.keys(filters).length === 0) return;
  const attr = "targeting_flag_filters";
  const groups = filters.groups ?? [];
  const problem = findFiltersProblem(
    Array.isArray(groups) && groups.length === 0
      ? { ...filters, groups: [{ properties: [], rollout_percentage: 0 }] }
      : filters,
    {
      flag_id: survey.targeting_flag_id,
      flag_key: facts.flags.get(survey.targeting_flag_id ?? 0)?.key ?? "",
      flags: new Map(facts.flags.filter((flag) => !flag.deleted)),
      cohort_ids: new Set(facts.cohorts.keys()),
      // Rejected below with a message for surveys.
      behavioral_cohort_ids: new Set(),
    },
  );
  if (problem) throw invalid(problem.detail, attr, problem.code, problem.path);
  if (Array.isArray(groups) && groups.some(reachesEveryone))
    throw invalid("Targeting everyone is not targeting: add a property or lower the rollout.", attr);
  const behavioral = behavioralIds(facts.cohorts);
  const behavioural = cohortIdsOf(filters).find((id) => behavioral.has(id));
  if (behavioural !== undefined)
    throw invalid(
      `Cohort ${behavioural} is behavioural, and surveys cannot target behavioural cohorts.`,
      null,
      "behavioral_cohort_found",
    );
}

function checkSampling(body: SurveyUpdate, before: SurveyRow, after: SurveyRow, now: Date): void {
  const start = body.response_sampling_start_date;
  const kept = before.response_sampling_start_date?.getTime() === start?.getTime();
  if (start && !kept && start < startOfDay(now))
    throw invalid("The sampling plan cannot start before today.", "response_sampling_start_date");
  const interval = after.response_sampling_interval;
  if (isGiven(body.response_sampling_interval) && (body.response_sampling_interval ?? 0) <= 0)
    throw invalid("The sampling interval must be greater than 0.", "response_sampling_interval");
  const limit = after.response_sampling_limit;
  const asksForLimit = (body.response_sampling_limit ?? 0) > 0 || (body.response_sampling_interval ?? 0) > 0;
  if (start && limit === null) throw invalid("A sampling plan needs a limit too.", "response_sampling_limit");
  if ((start || asksForLimit) && limit && !interval)
    throw invalid("A sampling plan needs an interval too.", "response_sampling_interval");
  if (start && !interval && limit !== 0)
    throw invalid("A sampling plan needs an interval too.", "response_sampling_interval");
  if (asksForLimit && limit && interval && !after.response_sampling_start_date)
    throw invalid("A sampling plan needs a start date too.", "response_sampling_start_date");
  const days = samplingDays(after);
  if (days !== null && days > PLAN_DAYS_MAX)
    throw invalid(
      `A sampling plan of ${days} days is longer than ${PLAN_DAYS_MAX}.`,
      "response_sampling_interval",
      "max_value",
    );
}

const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Dates are stored with four-digit years. */
function checkCalendar(after: SurveyRow): void {
  const { iteration_count: count, start_date: start, response_sampling_start_date: sampling } = after;
  const last = start && count && after.iteration_frequency_days ? iterationStart(after, count) : null;
  if (last && last.getTime() > LAST_MOMENT)
    throw invalid("The last iteration would start after the year 9999.", "iteration_count", "max_value");
  const days = samplingDays(after);
  if (sampling && days && addDays(sampling, days).getTime() > LAST_MOMENT)
    throw invalid("The sampling plan would end after the year 9999.", "response_sampling_start_date");
}

/** The choices that sent questions name. @throws ApiError 400 for one that the question does not have */
export function checkChoiceIds(
  sent: NonNullable<SurveyUpdate["questions"]>,
  before: Pick<SurveyRow, "questions" | "choice_history">,
): void {
  const unknown = findUnknownChoice(sent, before.questions, before.choice_history);
  if (unknown)
    throw invalid(
      `This question has no choice with the id ${JSON.stringify(unknown.id)}. Send null for a new choice. (question ${unknown.place + 1})`,
      "questions",
    );
}

/** How many texts choices had. @throws ApiError 400 if they are too many */
export function checkChoiceTexts({ choice_history: history }: SurveyRow): void {
  if (history && findOverfullQuestion(history) !== null)
    throw invalid(
      `The choices of a question have had more than ${CHOICE_TEXTS_MAX} texts. Copy the question and edit the copy.`,
      "questions",
    );
}

/**
 * Validates what involves several fields.
 *
 * @param before the stored survey, or the empty one that a new survey starts from
 * @param after the survey as it would be stored
 * @throws ApiError 400 for the first thing wrong
 */
export function checkSurvey(body: SurveyUpdate, before: SurveyRow, after: SurveyRow, facts: Facts): void {
  checkExternal(body);
  checkLinkedFlag(body, facts);
  checkTargeting(body.targeting_flag_filters, before, facts);
  checkSampling(body, before, after, facts.now);
  checkCalendar(after);
  const current = before.current_iteration ?? 0;
  const iterations = body.iteration_count ?? 0;
  if (iterations > 0 && iterations < current)
    throw invalid(
      `iteration_count must be at least ${current}: iteration ${current} has started.`,
      "iteration_count",
      "min_value",
    );
}
