import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import { everything } from "#lib/survey_results/filter.ts";
import { summaryText } from "#lib/survey_results/sentences.ts";
import { readingOf } from "#lib/survey_results/statements.ts";
import type { surveyContract } from "./contract.ts";
import { surveyOf } from "./lookup.ts";

type Query = Input<(typeof surveyContract)["summarize_responses"]>;

/** The place of the question that a query names. @throws ApiError 400 */
function indexOf(ids: readonly string[], { question_id: id, question_index }: Query["query"]): number {
  if (!id && question_index === null) throw invalid("Name a question by question_id or question_index.");
  const index = id ? ids.indexOf(id) : (question_index ?? -1);
  if (index < 0 || index >= ids.length)
    throw invalid("The survey has no such question.", id ? "question_id" : "question_index");
  return index;
}

export async function summarize_responses(context: MemberContext, { params, query }: Query) {
  const subject = everything(context, await surveyOf(context, params.id));
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
