import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { surveyOf } from "#lib/surveys/lookup.ts";
import { columnsIn } from "./columns_cache.ts";
import type { surveyResultsContract } from "./contract.ts";
import { countedFor, pairsFor } from "./counting.ts";
import { categoriesOf, crosstabOf } from "./crosstab.ts";
import { type Asked, askedOf } from "./filter.ts";
import { pageOf } from "./page.ts";
import { recodingOf } from "./recode.ts";
import { selectSpan } from "./results_store.ts";

export { preview_questions } from "./effects.ts";
export { exported as export } from "./export.ts";
export { archive, response, responses, unarchive } from "./responses.ts";
export { statements } from "./statements.ts";

type Of<Name extends keyof typeof surveyResultsContract> = Input<(typeof surveyResultsContract)[Name]>;

export async function results(context: MemberContext, { params, query }: Of<"results">) {
  const asked = await askedOf(context, params.id, query);
  const { survey, filtered, questions } = asked;
  const [{ tables, texts }, span] = await Promise.all([
    countedFor(context, asked),
    selectSpan(context.db, asked.scope),
  ]);
  return pageOf(
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

export async function progress(context: MemberContext, { params }: Of<"progress">) {
  const survey = await surveyOf(context, params.id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  const recoding = await recodingOf(context.db, scope);
  if (recoding) {
    const { failed, done, total } = recoding;
    return { state: failed ? ("failed" as const) : ("recomputing" as const), done, total };
  }
  const reading = columnsIn(context.db).reading(scope);
  return reading ? { state: "reading" as const, ...reading } : { state: "ready" as const, done: 0, total: 0 };
}

/** One side of a cross-tabulation. @throws ApiError 400 where the question has no categories */
function sideOf({ questions }: Asked, id: string, ratings: "buckets" | "values", attr: string) {
  const index = questions.findIndex((question) => question.id === id);
  const question = questions[index];
  if (!question) throw invalid("The survey has no question with this id.", attr);
  const categories = categoriesOf(question, ratings);
  if (!categories) throw invalid("Only ratings and choices can be cross-tabulated.", attr);
  return { question, categories, index };
}

export async function crosstab(context: MemberContext, { params, query }: Of<"crosstab">) {
  const asked = await askedOf(context, params.id, query);
  const row = sideOf(asked, query.question_a, query.ratings, "question_a");
  const column = sideOf(asked, query.question_b, query.ratings, "question_b");
  if (row.index === column.index) throw invalid("Choose two different questions.", "question_b");
  const pairs = await pairsFor(context, asked, row.index, column.index);
  return crosstabOf(pairs, row, column, instant(context.now));
}
