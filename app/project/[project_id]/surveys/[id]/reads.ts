import type { ResultsQuery } from "#components/surveys/results/filters/results-query.ts";
import { filterParams } from "#components/surveys/results/filters/results-query.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import type { ResponsesQuery } from "#lib/surveys/results/schema.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

/** The props of every view of a survey. */
export type ViewProps = {
  api: Client;
  projectId: string;
  survey: SurveyRecord;
  query: ResultsQuery;
  names: Names;
};

/** The result of a read, or the API's error: an invalid filter, or one that takes too long. */
export type Found<T> = { data: T; problem: null } | { data: null; problem: { code: string; detail: string } };

async function found<T>(read: Promise<T>): Promise<Found<T>> {
  try {
    return { data: await read, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 403, 404, 503].includes(error.status)) throw error;
    return { data: null, problem: { code: error.code, detail: error.message } };
  }
}

type Place = { project_id: string; id: string };

export const resultsOf = (api: Client, params: Place, query: ResultsQuery) =>
  found(api.call(surveyResultsContract.results, { params, query: filterParams(query) }));

export const responsesOf = (
  api: Client,
  params: Place,
  query: ResultsQuery,
  more: Partial<Record<keyof ResponsesQuery, string>>,
) =>
  found(
    api.call(surveyResultsContract.responses, {
      params,
      query: { ...filterParams(query), ...more } as Record<string, string>,
    }),
  );

export const crosstabOf = (
  api: Client,
  params: Place,
  query: ResultsQuery,
  questions: { row: string; column: string },
) =>
  found(
    api.call(surveyResultsContract.crosstab, {
      params,
      query: {
        ...filterParams(query),
        question_a: questions.row,
        question_b: questions.column,
        ratings: query.ratings,
      },
    }),
  );

export const statementsOf = (api: Client, params: Place, query: ResultsQuery, question_id: string) =>
  found(
    api.call(surveyResultsContract.statements, { params, query: { ...filterParams(query), question_id } }),
  );

const LATEST = "100";

/** The latest changes of a survey; null if the key cannot read them. */
export const logOf = (api: Client, params: Place) =>
  permitted(api.call(surveyContract.activity, { params, query: { limit: LATEST } }));

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One response; null if there is none. */
export const responseBy = async (api: Client, params: Place, response_id: string) =>
  UUID.test(response_id)
    ? permitted(api.call(surveyResultsContract.response, { params: { ...params, response_id } }))
    : null;

/** The names of the cohorts in a people filter. */
export async function cohortNames(api: Client, project_id: string, { people }: ResultsQuery): Promise<Names> {
  if (!people.some((row) => row.type === "cohort")) return {};
  const list = await permitted(
    api.call(cohortContract.list, { params: { project_id }, query: { limit: "1000" } }),
  );
  return { cohorts: new Map((list?.results ?? []).map((each) => [String(each.id), each.name])) };
}
