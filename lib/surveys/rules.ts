import { behavioralIds } from "#lib/cohorts/behavior.ts";
import type { Flag } from "#lib/feature_flags/cache.ts";
import { cohortIdsOf } from "#lib/feature_flags/cohort_conditions.ts";
import { filtersProblem } from "#lib/feature_flags/filters.ts";
import { invalid } from "#lib/http/errors.ts";
import { CHOICE_TEXTS_MAX, overfullQuestion, unknownChoice } from "./choices.ts";
import { addDays, startOfDay } from "./dates.ts";
import { iterationStart, type SamplingInterval, samplingDays } from "./recurrence.ts";
import type { SurveyUpdate } from "./schema.ts";
import type { SurveyRow } from "./store.ts";

type Json = Record<string, unknown>;

/** A sampling plan is stored a row a day: ten years of them and no more. */
const PLAN_DAYS_MAX = 3_650;

/** What a request is checked against, of its project. */
export type Facts = {
  now: Date;
  flags: ReadonlyMap<number, Flag>;
  /** Cohorts that are not deleted. */
  cohorts: ReadonlyMap<number, { filters: unknown }>;
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
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

/** A page that is reached by its address has nobody to target and nothing to wait for. */
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
  if (!linked) throw invalid("linkedFlagVariant can only be used when linked_flag_id is sent with it.");
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
  const problem = filtersProblem(
    Array.isArray(groups) && groups.length === 0
      ? { ...filters, groups: [{ properties: [], rollout_percentage: 0 }] }
      : filters,
    {
      flag_id: survey.targeting_flag_id,
      flag_key: facts.flags.get(survey.targeting_flag_id ?? 0)?.key ?? "",
      flags: new Map([...facts.flags].filter(([, flag]) => !flag.deleted)),
      cohort_ids: new Set(facts.cohorts.keys()),
      // Refused below, in the public service's words for surveys.
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
      `Cohort ${behavioural} follows what people did, which a survey cannot target.`,
      null,
      "behavioral_cohort_found",
    );
}

function checkSampling(body: SurveyUpdate, before: SurveyRow, after: SurveyRow, now: Date): void {
  const start = body.response_sampling_start_date;
  const kept = before.response_sampling_start_date?.getTime() === start?.getTime();
  if (start && !kept && start < startOfDay(now))
    throw invalid("The sampling plan cannot begin before today.", "response_sampling_start_date");
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
  const type = after.response_sampling_interval_type as SamplingInterval | null;
  const days = samplingDays({ ...after, response_sampling_interval_type: type });
  if (days !== null && days > PLAN_DAYS_MAX)
    throw invalid(
      `A sampling plan of ${days} days is longer than ${PLAN_DAYS_MAX}.`,
      "response_sampling_interval",
      "max_value",
    );
}

const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Dates are texts with four digits for the year. */
function checkCalendar(after: SurveyRow): void {
  const { iteration_count: count, start_date: start, response_sampling_start_date: sampling } = after;
  const last = start && count && after.iteration_frequency_days ? iterationStart(after, count) : null;
  if (last && last.getTime() > LAST_MOMENT)
    throw invalid("The last iteration would begin after the year 9999.", "iteration_count", "max_value");
  const type = after.response_sampling_interval_type as SamplingInterval | null;
  const days = samplingDays({ ...after, response_sampling_interval_type: type });
  if (sampling && days && addDays(sampling, days).getTime() > LAST_MOMENT)
    throw invalid("The sampling plan would end after the year 9999.", "response_sampling_start_date");
}

/** The choices that sent questions name. @throws ApiError 400 for one that the question does not have */
export function checkChoiceIds(
  sent: NonNullable<SurveyUpdate["questions"]>,
  before: Pick<SurveyRow, "questions" | "choice_history">,
): void {
  const unknown = unknownChoice(sent, before.questions, before.choice_history);
  if (unknown)
    throw invalid(
      `This question has no choice with the id ${JSON.stringify(unknown.id)}. Send null for a new choice. (question ${unknown.place + 1})`,
      "questions",
    );
}

/** How many texts choices had. @throws ApiError 400 where they are too many */
export function checkChoiceTexts({ choice_history: history }: SurveyRow): void {
  if (history && overfullQuestion(history) !== null)
    throw invalid(
      `The choices of a question have had more than ${CHOICE_TEXTS_MAX} texts. Copy the question and edit the copy.`,
      "questions",
    );
}

/**
 * Everything about a request that no field can tell alone.
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
      `iteration_count must be at least ${current}: iteration ${current} has begun.`,
      "iteration_count",
      "min_value",
    );
}
