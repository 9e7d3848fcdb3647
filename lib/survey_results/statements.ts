import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { type Statement, summarize } from "#lib/surveys/summary.ts";
import { answerTo } from "./coding.ts";
import type { surveyResultsContract } from "./contract.ts";
import { inTime, type Subject, subjectOf } from "./filter.ts";
import { type Opened, selectResponsesAfter } from "./responses_store.ts";

/** Answers that are read at most: the latest ones. */
const ANSWERS_MAX = 10_000;

/** A statement that can be found again while answers go on arriving: by its words, without its figures. */
type Named = Statement & { key: string };
type Read = { answers: number; statements: Named[] };

/** What was made of a question's answers, for half a minute, so that a statement's rows are those it counted. */
const kept = new LRUCache<string, Read>({ max: 200, ttl: 30_000 });

const KEY_LENGTH = 12;

function named(statements: readonly Statement[]): Named[] {
  const taken = new Map<string, number>();
  return statements.map((statement) => {
    const words = statement.text.replace(/[\d.,−-]+/g, "#");
    const hash = createHash("sha256").update(words).digest("hex").slice(0, KEY_LENGTH);
    const before = taken.get(hash) ?? 0;
    taken.set(hash, before + 1);
    return { ...statement, key: before === 0 ? hash : `${hash}-${before}` };
  });
}

/** Every answer to a question, whatever else narrows the rows that are opened. */
const answersTo = (subject: Subject, index: number): Opened => {
  const question = subject.questions[index];
  if (!question) throw invalid("The survey has no question with this id.", "question_id");
  return {
    event: "answered",
    unit: "rows",
    day: null,
    iteration: null,
    from: null,
    to: null,
    duration: null,
    figure: [{ question_id: question.id, operator: "is_set", value: [], index, question }],
    search: null,
    archived: false,
    uuids: null,
  };
};

async function readFor(
  context: MemberContext,
  subject: Subject,
  questionId: string,
  attr: string,
): Promise<Read> {
  const index = subject.questions.findIndex(({ id }) => id === questionId);
  const question = subject.questions[index];
  if (!question) throw invalid("The survey has no question with this id.", attr);
  const { survey, scope, filter } = subject;
  const key = JSON.stringify([survey.id, survey.updated_at, questionId, filter]);
  const known = kept.get(key);
  if (known) return known;
  const rows = await inTime(context, (db) =>
    selectResponsesAfter(db, scope, filter, answersTo(subject, index), null, ANSWERS_MAX),
  );
  const answers = rows.map((row) => ({
    response_id: row.uuid,
    value: answerTo(question, index, row.answers),
  }));
  const read = { answers: answers.length, statements: named(summarize(question, answers)) };
  kept.set(key, read);
  return read;
}

/** What the answers to a question come to under the filters; each statement opens the responses it rests on. */
export async function statements(
  context: MemberContext,
  { params, query }: Input<(typeof surveyResultsContract)["statements"]>,
) {
  const subject = await subjectOf(context, params.id, query);
  const read = await readFor(context, subject, query.question_id, "question_id");
  return {
    as_of: instant(context.now),
    answers: read.answers,
    most: ANSWERS_MAX,
    statements: read.statements.map(({ text, count, key }) => ({
      text,
      count,
      rows: { statement_of: query.question_id, statement: key },
    })),
  };
}

type Asked = { statement_of?: string | undefined; statement?: string | undefined };

/** The responses that a statement of a query rests on; null where it names none. @throws ApiError 400 */
export async function supporting(
  context: MemberContext,
  subject: Subject,
  { statement_of, statement }: Asked,
): Promise<string[] | null> {
  if (!statement_of && !statement) return null;
  if (!statement_of || !statement)
    throw invalid("statement and statement_of belong together.", statement ? "statement_of" : "statement");
  const read = await readFor(context, subject, statement_of, "statement_of");
  const found = read.statements.find(({ key }) => key === statement);
  if (!found) throw invalid("No answers say this any more.", "statement");
  return found.response_ids;
}
