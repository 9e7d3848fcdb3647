import { type PersonConditions, personConditions } from "#lib/people/persons/filter.ts";
import { tookTooLong } from "#lib/platform/db/errors.ts";
import { ApiError, invalid } from "#lib/platform/http/errors.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { AnswerCondition, ResultsFilters } from "#lib/surveys/results/filters-schema.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import { withRecords } from "#lib/surveys/surveys/questions/choices.ts";
import { type Filter, narrowsResponses, type PlacedCondition } from "./conditions-store.ts";
import { refuseWhileRecoding } from "./recode.ts";
import { selectPersonKinds, withStatementTimeout } from "./results-store.ts";
import type { TableQuestion } from "./tables.ts";

type Survey = Awaited<ReturnType<typeof requireSurvey>>;

/** A requested count: the survey, its questions and the filters. */
export type ResultsRequest = {
  survey: Survey;
  scope: SurveyScope;
  questions: TableQuestion[];
  filter: Omit<Filter, "persons">;
  /** Conditions on persons; null: everybody. */
  people: PersonConditions | null;
  /** Whether there are filters other than dates. */
  filtered: boolean;
};

/** The same, ready for queries of rows. */
export type Subject = ResultsRequest & { filter: Filter };

/** The maximum time for a query of results. */
const TIME_LIMIT_MS = 10_000;

/** The maximum number of property combinations that a filter is evaluated for. */
const KINDS_MAX = 500_000;

export const questionsOf = (survey: Pick<Survey, "questions" | "choice_history">): TableQuestion[] =>
  withRecords(survey.questions ?? [], survey.choice_history).map((question) => ({
    ...question,
    id: typeof question.id === "string" ? question.id : "",
    question: typeof question.question === "string" ? question.question : "",
  }));

/** Adds questions to conditions. @throws ApiError 400 for an unknown question */
export function placeConditions(
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

/**
 * Whether a person matches conditions.
 *
 * @param values of the properties used, null if not set
 */
export function matchesPerson(
  conditions: PersonConditions,
  values: readonly unknown[],
  cohorts: readonly number[],
): boolean {
  const properties = Object.fromEntries(
    conditions.properties.flatMap((name, i) =>
      values[i] === null || values[i] === undefined ? [] : [[name, values[i]]],
    ),
  );
  return conditions.matches({ distinct_id: "", properties, static_cohorts: new Set(cohorts) });
}

/**
 * Makes a request ready for queries of rows: finds the persons who match. Each combination of property values
 * is evaluated once by the engine that evaluates flags, however many persons have it.
 */
export async function resolvePersons(
  context: Pick<MemberContext, "db">,
  { people, ...request }: ResultsRequest,
): Promise<Subject> {
  if (!people) return { ...request, people, filter: { ...request.filter, persons: null } };
  const kinds = await withTimeLimit(context, (db) =>
    selectPersonKinds(db, request.scope, people.properties, people.static_cohort_ids),
  );
  if (kinds.length > KINDS_MAX)
    throw invalid("These properties have too many distinct values to filter by.", "properties");
  const lists = kinds.flatMap(({ values, cohorts, ids }) =>
    matchesPerson(people, values, cohorts) ? [ids.slice(1, -1)] : [],
  );
  return { ...request, people, filter: { ...request.filter, persons: `{${lists.join(",")}}` } };
}

/** Runs a query with a time limit. @throws ApiError 503 */
export async function withTimeLimit<T>(
  { db }: Pick<MemberContext, "db">,
  read: (db: MemberContext["db"]) => Promise<T>,
): Promise<T> {
  try {
    return await withStatementTimeout(db, TIME_LIMIT_MS, read);
  } catch (error) {
    if (!tookTooLong(error)) throw error;
    const detail = "Counting took too long. Choose fewer days or fewer conditions.";
    throw new ApiError(503, "server_error", "timeout", detail, { headers: { "Retry-After": "5" } });
  }
}

/** A survey without any filter. */
export const unfiltered = ({ project }: Pick<MemberContext, "project">, survey: Survey): Subject => ({
  survey,
  scope: { project_id: project.id, survey_id: survey.id },
  questions: questionsOf(survey),
  filter: { date_from: null, date_to: null, iteration: null, persons: null, answers: [], fields: [] },
  people: null,
  filtered: false,
});

async function conditionsOf(
  context: MemberContext,
  json: string | undefined,
): Promise<PersonConditions | null> {
  if (!json?.trim()) return null;
  const cohorts = await context.runtime.cohorts.project(context.project.id);
  return personConditions(json, cohorts, context.now.getTime());
}

/** The survey and filters of a request. @throws ApiError 400; 503 while its answers are read again */
export async function readRequest(
  context: MemberContext,
  id: string,
  query: ResultsFilters,
): Promise<ResultsRequest> {
  const survey = await requireSurvey(context, id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  await refuseWhileRecoding(context.db, scope);
  const { date_from, date_to, iteration, fields } = query;
  if (date_from && date_to && date_from > date_to)
    throw invalid("date_from must not be after date_to.", "date_from");
  const questions = questionsOf(survey);
  const answers = placeConditions(query.answers, questions, "answers");
  const people = await conditionsOf(context, query.properties);
  return {
    survey,
    scope,
    questions,
    filter: { date_from, date_to, iteration, answers, fields },
    people,
    filtered: iteration !== null || people !== null || narrowsResponses({ answers, fields }),
  };
}

/** The same, ready for queries of rows. */
export const readSubject = async (
  context: MemberContext,
  id: string,
  query: ResultsFilters,
): Promise<Subject> => resolvePersons(context, await readRequest(context, id, query));
