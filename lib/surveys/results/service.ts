import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import {
  type ResultsRequest,
  readRequest,
  unfiltered,
  withTimeLimit,
} from "#lib/surveys/results/count/filter.ts";
import { selectSpan } from "#lib/surveys/results/count/results-store.ts";
import { countFigures, countPairs } from "#lib/surveys/results/read/counting.ts";
import { buildCrosstab, categoriesOf } from "#lib/surveys/results/read/crosstab.ts";
import { selectFieldValues } from "#lib/surveys/results/read/fields-store.ts";
import { buildPage } from "#lib/surveys/results/read/page.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import type { surveyResultsContract } from "./contract.ts";

export { preview_questions } from "#lib/surveys/results/read/effects.ts";
export { exported as export } from "#lib/surveys/results/read/export.ts";
export { archive, response, responses, unarchive } from "#lib/surveys/results/read/responses.ts";
export { statements } from "#lib/surveys/results/summaries/statements.ts";

type Of<Name extends keyof typeof surveyResultsContract> = Input<(typeof surveyResultsContract)[Name]>;

export async function results(context: MemberContext, { params, query }: Of<"results">) {
  const request = await readRequest(context, params.id, query);
  const { survey, filtered, questions } = request;
  const [{ tables, texts }, span] = await Promise.all([
    countFigures(context, request),
    selectSpan(context.db, request.scope),
  ]);
  return buildPage(
    {
      survey_id: survey.id,
      as_of: instant(context.now),
      filtered,
      source: filtered ? "rows" : "summaries",
      total: span.answered,
      archived: span.archived,
      first_day: span.first,
      last_day: span.last,
      iteration_starts: survey.iteration_start_dates ?? [],
    },
    questions,
    tables,
    texts,
  );
}

export async function fields(context: MemberContext, { params }: Of<"fields">) {
  const { scope } = unfiltered(context, await requireSurvey(context, params.id));
  return { fields: await withTimeLimit(context, (db) => selectFieldValues(db, scope)) };
}

/** One question of a cross-tabulation. @throws ApiError 400 if it has no categories */
function sideOf({ questions }: ResultsRequest, id: string, ratings: "buckets" | "values", attr: string) {
  const index = questions.findIndex((question) => question.id === id);
  const question = questions[index];
  if (!question) throw invalid("The survey has no question with this id.", attr);
  const categories = categoriesOf(question, ratings);
  if (!categories) throw invalid("Only ratings and choices can be cross-tabulated.", attr);
  return { question, categories, index };
}

export async function crosstab(context: MemberContext, { params, query }: Of<"crosstab">) {
  const request = await readRequest(context, params.id, query);
  const row = sideOf(request, query.question_a, query.ratings, "question_a");
  const column = sideOf(request, query.question_b, query.ratings, "question_b");
  if (row.index === column.index) throw invalid("Choose two different questions.", "question_b");
  const pairs = await countPairs(context, request, row.index, column.index);
  return buildCrosstab(pairs, row, column, instant(context.now));
}
