import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ratingOf } from "#lib/engines/branching/ratings.ts";
import { config } from "#lib/platform/config.ts";
import { formatCount, plural } from "#lib/platform/format.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { readSubject, type Subject, withTimeLimit } from "#lib/surveys/results/count/filter.ts";
import { refuseWhileRecoding } from "#lib/surveys/results/count/recode.ts";
import {
  countResponses,
  type Opened,
  selectResponsesAfter,
} from "#lib/surveys/results/count/responses-store.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { answerTo, countedAnswer, rangeOfRating } from "#lib/surveys/results/ingest/answer-codes.ts";
import { type Wording, wordStatements } from "./model.ts";
import { type Scale, summarize } from "./sentences.ts";

/** The maximum number of answers read: the latest ones. */
const ANSWERS_MAX = 10_000;
const KEY_LENGTH = 12;

/** A statement with a short key and the parameters of its rows. */
type Named = Wording & { rows: Record<string, string> };

/** A summary of the answers to a question. */
export type Reading = {
  question: string;
  generated_at: string;
  answers: number;
  total: number;
  notes: string[];
  statements: Named[];
};

/** Summaries are cached for half a minute, so that a statement's rows are those it counted. */
const kept = new LRUCache<string, Promise<Reading>>({ max: 200, ttl: 30_000 });

const nameOf = (key: string) => createHash("sha256").update(key).digest("hex").slice(0, KEY_LENGTH);

/** All answers to a question within the filters. */
const answersTo = (question: TableQuestion, index: number): Opened => ({
  event: "answered",
  unit: "rows",
  days: null,
  iteration: null,
  from: null,
  to: null,
  took_from: null,
  took_to: null,
  figure: [{ question_id: question.id, operator: "is_set", value: [], index, question }],
  search: null,
  archived: false,
  uuids: null,
});

/** The rating to compare answers by: the first from 0 to 10, else the first of any scale. */
function ratingIn(
  questions: readonly TableQuestion[],
  except: number,
): { index: number; scale: Scale } | null {
  const ratings = questions.flatMap((question, index) =>
    index !== except && rangeOfRating(question)
      ? [{ index, scale: { scale: Number(question.scale), question: question.question } }]
      : [],
  );
  return ratings.find(({ scale }) => scale.scale === 10) ?? ratings[0] ?? null;
}

async function read(context: MemberContext, subject: Subject, index: number): Promise<Reading> {
  await refuseWhileRecoding(context.db, subject.scope);
  const { scope, filter, questions } = subject;
  const question = questions[index];
  if (!question) throw new RangeError(`There is no question at ${index}.`);
  const opened = answersTo(question, index);
  const [rows, total] = await Promise.all([
    withTimeLimit(context, (db) => selectResponsesAfter(db, scope, filter, opened, null, ANSWERS_MAX)),
    withTimeLimit(context, (db) => countResponses(db, scope, filter, opened)),
  ]);
  const rating = ratingIn(questions, index);
  const answers = rows.map((row) => ({
    response_id: row.uuid,
    value: countedAnswer(question, answerTo(question, index, row.answers), row.at),
    rating: rating && ratingOf(row.codes[rating.index]),
  }));
  const own = summarize(question, answers, rating?.scale ?? null);
  const model = config().summaryModel;
  const { statements, note } = model
    ? await wordStatements(model, question.question, own)
    : { statements: own.map((statement) => ({ ...statement, worded: false })), note: null };
  const latest = `Read the latest ${formatCount(answers.length)} of ${plural(total, "answer")}.`;
  return {
    question: question.question,
    generated_at: instant(context.now),
    answers: answers.length,
    total: Math.max(total, answers.length),
    notes: [...(total > answers.length ? [latest] : []), ...(note ? [note] : [])],
    statements: statements.map((statement) => ({
      ...statement,
      rows: { statement_of: question.id, statement: nameOf(statement.key) },
    })),
  };
}

/** Summarize the answers to a question under the subject's filters; the same for half a minute. */
export async function readingOf(
  context: MemberContext,
  subject: Subject,
  index: number,
): Promise<{ reading: Reading; cached: boolean }> {
  const { survey, filter, questions } = subject;
  const key = JSON.stringify([survey.id, survey.updated_at, questions[index]?.id, index, filter]);
  const known = kept.get(key);
  if (known) return { reading: await known, cached: true };
  const reading = read(context, subject, index);
  kept.set(key, reading);
  try {
    return { reading: await reading, cached: false };
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

/** The place of a question. @throws ApiError 400 */
function placeOf({ questions }: Subject, id: string, attr: string): number {
  const index = questions.findIndex((question) => question.id === id);
  if (index < 0) throw invalid("The survey has no question with this id.", attr);
  return index;
}

/** Summarize the answers to a question under the filters; each statement opens the responses it rests on. */
export async function statements(
  context: MemberContext,
  { params, query }: Input<(typeof surveyResultsContract)["statements"]>,
) {
  const subject = await readSubject(context, params.id, query);
  const index = placeOf(subject, query.question_id, "question_id");
  const { reading } = await readingOf(context, subject, index);
  return {
    as_of: reading.generated_at,
    answers: reading.answers,
    total: reading.total,
    most: ANSWERS_MAX,
    notes: reading.notes,
    statements: reading.statements.map(({ kind, text, count, quotes, worded, rows }) => ({
      kind,
      text,
      count,
      quotes,
      worded,
      rows,
    })),
  };
}

type Asked = { statement_of?: string | undefined; statement?: string | undefined };

/** The responses that support the statement of a query; null if it names none. @throws ApiError 400 */
export async function supporting(
  context: MemberContext,
  subject: Subject,
  { statement_of, statement }: Asked,
): Promise<readonly string[] | null> {
  if (!statement_of && !statement) return null;
  if (!statement_of || !statement)
    throw invalid("statement and statement_of belong together.", statement ? "statement_of" : "statement");
  const { reading } = await readingOf(context, subject, placeOf(subject, statement_of, "statement_of"));
  const found = reading.statements.find(({ rows }) => rows.statement === statement);
  if (!found) throw invalid("No answers support this any more.", "statement");
  return found.response_ids;
}
