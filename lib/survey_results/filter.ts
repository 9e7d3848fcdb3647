import { deepErrorCode } from "#lib/db/errors.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { ApiError, invalid } from "#lib/http/errors.ts";
import { type PersonConditions, personConditions } from "#lib/persons/filter.ts";
import { withRecords } from "#lib/surveys/choices.ts";
import { surveyOf } from "#lib/surveys/lookup.ts";
import type { Filter, PlacedCondition } from "./conditions_store.ts";
import type { AnswerCondition, ResultsFilters } from "./filters_schema.ts";
import type { SurveyScope } from "./ingest_store.ts";
import { refuseWhileRecoding } from "./recode.ts";
import { selectPersonKinds, withinTime } from "./results_store.ts";
import type { TableQuestion } from "./tables.ts";

type Survey = Awaited<ReturnType<typeof surveyOf>>;

/** A survey with what its results are counted by, as it was asked for. */
export type Asked = {
  survey: Survey;
  scope: SurveyScope;
  questions: TableQuestion[];
  filter: Omit<Filter, "persons">;
  /** Conditions on persons; null: everybody. */
  people: PersonConditions | null;
  /** Whether more than dates narrows it. */
  filtered: boolean;
};

/** The same, with what rows can be asked by. */
export type Subject = Asked & { filter: Filter };

/** A reading of results takes so long at most. */
const TIME_LIMIT_MS = 10_000;
const CANCELLED = "57014";

/** Combinations of values of persons' properties that a filter can be evaluated for. */
const KINDS_MAX = 500_000;

export const questionsOf = (survey: Pick<Survey, "questions" | "choice_history">): TableQuestion[] =>
  withRecords(survey.questions ?? [], survey.choice_history).map((question) => ({
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

/**
 * Whether a person matches conditions.
 *
 * @param values of the properties that are looked at, null where not set
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

function matchesKind(conditions: PersonConditions, kind: string): boolean {
  const values: unknown[] = JSON.parse(kind);
  const cohorts = values.at(-1);
  return matchesPerson(conditions, values, Array.isArray(cohorts) ? cohorts.map(Number) : []);
}

/**
 * What was asked for, for queries of rows: of persons the combinations of property values that conditions hold
 * for. Each is evaluated once by the engine that evaluates flags, however many persons have it.
 */
export async function resolved(
  context: Pick<MemberContext, "db">,
  { people, ...asked }: Asked,
): Promise<Subject> {
  if (!people) return { ...asked, people, filter: { ...asked.filter, persons: null } };
  const { properties, static_cohort_ids: cohorts } = people;
  const kinds = await inTime(context, (db) =>
    selectPersonKinds(db, asked.scope.project_id, properties, cohorts),
  );
  if (kinds.length > KINDS_MAX)
    throw invalid("These properties have too many different values to filter by.", "properties");
  const persons = { properties, cohorts, kinds: kinds.filter((kind) => matchesKind(people, kind)) };
  return { ...asked, people, filter: { ...asked.filter, persons } };
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

/** The survey of a path, and the filters of a query. @throws ApiError 400; 503 while its answers are read anew */
export async function askedOf(context: MemberContext, id: string, query: ResultsFilters): Promise<Asked> {
  const survey = await surveyOf(context, id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  await refuseWhileRecoding(context.db, scope);
  const { date_from, date_to, iteration } = query;
  if (date_from && date_to && date_from > date_to)
    throw invalid("date_from must not be after date_to.", "date_from");
  const questions = questionsOf(survey);
  const answers = placed(query.answers, questions, "answers");
  const people = await conditionsOf(context, query.properties);
  return {
    survey,
    scope,
    questions,
    filter: { date_from, date_to, iteration, answers },
    people,
    filtered: iteration !== null || people !== null || answers.length > 0,
  };
}

/** The same, ready for queries of rows. */
export const subjectOf = async (
  context: MemberContext,
  id: string,
  query: ResultsFilters,
): Promise<Subject> => resolved(context, await askedOf(context, id, query));
