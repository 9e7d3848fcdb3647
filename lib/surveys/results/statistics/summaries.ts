import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import { unfiltered } from "#lib/surveys/results/count/filter.ts";
import { summaryText } from "#lib/surveys/results/summaries/sentences.ts";
import { readingOf } from "#lib/surveys/results/summaries/statements.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";

type Query = Input<(typeof surveyContract)["summarize_responses"]>;

/** The place of the question in a query. @throws ApiError 400 */
function indexOf(ids: readonly string[], { question_id: id, question_index }: Query["query"]): number {
  if (!id && question_index === null) throw invalid("Name a question by question_id or question_index.");
  const index = id ? ids.indexOf(id) : (question_index ?? -1);
  if (index < 0 || index >= ids.length)
    throw invalid("The survey has no such question.", id ? "question_id" : "question_index");
  return index;
}

export async function summarize_responses(context: MemberContext, { params, query }: Query) {
  const subject = unfiltered(context, await requireSurvey(context, params.id));
  const ids = subject.questions.map(({ id }) => id);
  const { reading, cached } = await readingOf(context, subject, indexOf(ids, query));
  return {
    content: summaryText(reading.question, reading.statements, reading.notes),
    response_count: reading.answers,
    total_count: reading.total,
    generated_at: reading.generated_at,
    cached,
    notes: reading.notes,
    statements: reading.statements.map(({ key, ...statement }) => statement),
  };
}
