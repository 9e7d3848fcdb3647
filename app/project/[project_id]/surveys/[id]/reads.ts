import type { ResultsQuery } from "#components/survey_results/results_query.ts";
import { filterParams } from "#components/survey_results/results_query.ts";
import { cohortContract } from "#lib/cohorts/contract.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import type { Client } from "#lib/http/client.ts";
import { ApiError } from "#lib/http/errors.ts";
import { surveyResultsContract } from "#lib/survey_results/contract.ts";
import type { ResponsesQuery } from "#lib/survey_results/schema.ts";

/** What a read gave, or what the API said instead: a filter that it refuses, or one that takes too long. */
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One response; null where there is none. */
export const responseBy = async (api: Client, params: Place, response_id: string) =>
  UUID.test(response_id)
    ? permitted(api.call(surveyResultsContract.response, { params: { ...params, response_id } }))
    : null;

/** What the cohorts are called that a filter on people speaks of. */
export async function cohortNames(api: Client, project_id: string, { people }: ResultsQuery): Promise<Names> {
  if (!people.some((row) => row.type === "cohort")) return {};
  const list = await permitted(
    api.call(cohortContract.list, { params: { project_id }, query: { limit: "1000" } }),
  );
  return { cohorts: new Map((list?.results ?? []).map((each) => [String(each.id), each.name])) };
}
