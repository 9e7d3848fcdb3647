import { deepErrorCode } from "#lib/db/errors.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { ApiError, invalid } from "#lib/http/errors.ts";
import { type PersonConditions, personConditions } from "#lib/persons/filter.ts";
import { surveyOf } from "#lib/surveys/lookup.ts";
import type { Filter, PlacedCondition } from "./conditions_store.ts";
import type { AnswerCondition, ResultsFilters } from "./filters_schema.ts";
import type { SurveyScope } from "./ingest_store.ts";
import { selectPersonKinds, withinTime } from "./results_store.ts";
import type { TableQuestion } from "./tables.ts";

type Survey = Awaited<ReturnType<typeof surveyOf>>;

/** A survey with what its results are counted by. */
export type Subject = {
  survey: Survey;
  scope: SurveyScope;
  questions: TableQuestion[];
  filter: Filter;
  /** Whether more than dates narrows it. */
  filtered: boolean;
};

/** A reading of results takes so long at most. */
const TIME_LIMIT_MS = 10_000;
const CANCELLED = "57014";

/** Combinations of values of persons' properties that a filter can be evaluated for. */
const KINDS_MAX = 500_000;

export const questionsOf = (survey: Pick<Survey, "questions">): TableQuestion[] =>
  (survey.questions ?? []).map((question) => ({
    ...question,
    id: typeof question.id === "string" ? question.id : "",
    question: typeof question.question === "string" ? question.question : "",
  }));

/** Conditions with their questions. @throws ApiError 400 for a question that the survey has not */
export function placed(
  conditions: readonly AnswerCondition[],
  questions: readonly TableQuestion[],
  attr: string,
): PlacedCondition[] {
  return conditions.map((condition) => {
    const index = questions.findIndex(({ id }) => id === condition.question_id);
    const question = questions[index];
    if (!question) throw invalid("The survey has no question with this id.", attr);
    return { ...condition, index, question };
  });
}

function matchesKind(conditions: PersonConditions, kind: string): boolean {
  const values: unknown[] = JSON.parse(kind);
  const cohorts = values.at(-1);
  const properties = Object.fromEntries(
    conditions.properties.flatMap((name, i) => (values[i] === null ? [] : [[name, values[i]]])),
  );
  const static_cohorts = new Set(Array.isArray(cohorts) ? cohorts.map(Number) : []);
  return conditions.matches({ distinct_id: "", properties, static_cohorts });
}

/**
 * The combinations of property values that conditions hold for: each is evaluated once by the engine that
 * evaluates flags, however many persons have it.
 */
async function personsOf(context: MemberContext, json: string | undefined): Promise<Filter["persons"]> {
  if (!json?.trim()) return null;
  const projectId = context.project.id;
  const cohorts = await context.runtime.cohorts.project(projectId);
  const conditions = personConditions(json, cohorts, context.now.getTime());
  if (!conditions) return null;
  const { properties, static_cohort_ids } = conditions;
  const kinds = await inTime(context, (db) =>
    selectPersonKinds(db, projectId, properties, static_cohort_ids),
  );
  if (kinds.length > KINDS_MAX)
    throw invalid("These properties have too many different values to filter by.", "properties");
  return {
    properties,
    cohorts: static_cohort_ids,
    kinds: kinds.filter((kind) => matchesKind(conditions, kind)),
  };
}

/** Runs a reading; one that takes too long is given up. @throws ApiError 503 */
export async function inTime<T>(
  { db }: Pick<MemberContext, "db">,
  read: (db: MemberContext["db"]) => Promise<T>,
): Promise<T> {
  try {
    return await withinTime(db, TIME_LIMIT_MS, read);
  } catch (error) {
    if (deepErrorCode(error) !== CANCELLED) throw error;
    const detail = "Counting took too long. Choose fewer days, or fewer conditions.";
    throw new ApiError(503, "server_error", "timeout", detail, { headers: { "Retry-After": "5" } });
  }
}

/** A survey without any filter. */
export const everything = ({ project }: Pick<MemberContext, "project">, survey: Survey): Subject => ({
  survey,
  scope: { project_id: project.id, survey_id: survey.id },
  questions: questionsOf(survey),
  filter: { date_from: null, date_to: null, iteration: null, persons: null, answers: [] },
  filtered: false,
});

/** The survey of a path, and the filters of a query made ready. */
export async function subjectOf(context: MemberContext, id: string, query: ResultsFilters): Promise<Subject> {
  const survey = await surveyOf(context, id);
  const { date_from, date_to, iteration } = query;
  if (date_from && date_to && date_from > date_to)
    throw invalid("date_from must not be after date_to.", "date_from");
  const questions = questionsOf(survey);
  const answers = placed(query.answers, questions, "answers");
  const persons = await personsOf(context, query.properties);
  return {
    survey,
    scope: { project_id: context.project.id, survey_id: survey.id },
    questions,
    filter: { date_from, date_to, iteration, persons, answers },
    filtered: iteration !== null || persons !== null || answers.length > 0,
  };
}
