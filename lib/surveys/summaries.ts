import { LRUCache } from "lru-cache";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import type { surveyContract } from "./contract.ts";
import { selectAnswers } from "./figures_store.ts";
import { surveyOf } from "./lookup.ts";
import type { Question } from "./questions.ts";
import { type Statement, summarize, summaryText } from "./summary.ts";

type Query = Input<(typeof surveyContract)["summarize_responses"]>;

/** Answers that are read at most: the latest ones. */
const ANSWERS_MAX = 10_000;

type Kept = { response_count: number; generated_at: string; content: string; statements: Statement[] };

/** Summaries by survey, state of the survey and question, for half a minute. */
const kept = new LRUCache<string, Kept>({ max: 500, ttl: 30_000 });

function questionOf(
  questions: readonly Question[],
  query: Query["query"],
): { question: Question; index: number } {
  const { question_id: id, question_index } = query;
  if (!id && question_index === null) throw invalid("Name a question by question_id or question_index.");
  const index = id ? questions.findIndex((question) => question.id === id) : (question_index ?? -1);
  const question = questions[index];
  if (!question) throw invalid("The survey has no such question.", id ? "question_id" : "question_index");
  return { question, index };
}

/** Properties that hold the answer to a question: by its id; by its place, of older SDKs. */
const answerKeys = (question: Question, index: number) => [
  `$survey_response_${question.id}`,
  index === 0 ? "$survey_response" : `$survey_response_${index}`,
];

export async function summarize_responses(context: MemberContext, { params, query }: Query) {
  const survey = await surveyOf(context, params.id);
  const { question, index } = questionOf((survey.questions ?? []) as Question[], query);
  const key = `${survey.id} ${survey.updated_at.getTime()} ${question.id} ${index}`;
  const known = kept.get(key);
  if (known) return { ...known, cached: true };
  const rows = await selectAnswers(
    context.db,
    context.project.id,
    survey.id,
    answerKeys(question, index),
    ANSWERS_MAX,
  );
  const answers = rows.map((row) => ({ response_id: row.uuid, value: row.value }));
  const statements = summarize(question, answers);
  const summary = {
    content: summaryText(question, statements),
    response_count: answers.length,
    generated_at: instant(context.now),
    statements,
  };
  kept.set(key, summary);
  return { ...summary, cached: false };
}
