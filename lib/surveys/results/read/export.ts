import { writeCsvLine } from "#lib/platform/csv.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { readSubject, type Subject, withTimeLimit } from "#lib/surveys/results/count/filter.ts";
import { type Opened, type Row, selectResponsesAfter } from "#lib/surveys/results/count/responses-store.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { textsOf } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";
import { namesOf, parseOpened, rowOf } from "./responses.ts";

const PAGE = 1_000;

const LEADING = [
  "response_id",
  "time",
  "person",
  "distinct_id",
  "iteration",
  "completed",
  "seconds",
  "path",
] as const;

/** Column names; questions with the same text are distinguished by their place. */
function headers(questions: readonly TableQuestion[]): string[] {
  const texts = questions.map(({ question }) => question);
  return texts.map((text, i) =>
    texts.indexOf(text) === texts.lastIndexOf(text) ? text : `${text} (${i + 1})`,
  );
}

const cellOf = (value: unknown): string =>
  value === undefined
    ? ""
    : typeof value === "object" && value !== null && !Array.isArray(value)
      ? JSON.stringify(value)
      : textsOf(value).join("; ");

function csvOf(row: ResponseRow, questions: readonly TableQuestion[]): string {
  const answers = new Map(row.answers.map((answer) => [answer.question_index, answer.counted_as]));
  return writeCsvLine([
    row.uuid,
    row.timestamp,
    row.person?.name ?? null,
    row.distinct_id,
    row.iteration,
    row.completed === null ? null : String(row.completed),
    row.seconds,
    row.path.map((index) => index + 1).join(" > "),
    ...questions.map((_, index) => cellOf(answers.get(index))),
  ]);
}

/** All responses of a query, page by page, newest first. */
async function* pagesOf(
  context: MemberContext,
  subject: Subject,
  opened: Opened,
): AsyncGenerator<ResponseRow[]> {
  const { scope, filter, questions } = subject;
  let after: Row | null = null;
  do {
    const from: Row | null = after;
    const rows: Row[] = await withTimeLimit(context, (db) =>
      selectResponsesAfter(db, scope, filter, opened, from, PAGE),
    );
    const names = await namesOf(context, rows);
    yield rows.map((row) => rowOf(row, questions, names));
    after = rows.length === PAGE ? (rows.at(-1) ?? null) : null;
  } while (after);
}

async function* csvFile(context: MemberContext, subject: Subject, opened: Opened): AsyncGenerator<string> {
  yield writeCsvLine([...LEADING, ...headers(subject.questions)]);
  for await (const rows of pagesOf(context, subject, opened))
    yield rows.map((row) => csvOf(row, subject.questions)).join("");
}

async function* jsonFile(context: MemberContext, subject: Subject, opened: Opened): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const rows of pagesOf(context, subject, opened)) {
    yield `${separator}${rows.map((row) => JSON.stringify(row)).join(",\n")}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** A portable file name. */
const fileName = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[^\w -]+/g, "")
    .trim()
    .replace(/\s+/g, "-")
    .slice(0, 80)
    .toLowerCase() || "survey";

export async function exported(
  context: MemberContext,
  { params, query }: Input<(typeof surveyResultsContract)["export"]>,
): Promise<Response> {
  const subject = await readSubject(context, params.id, query);
  const opened = await parseOpened(context, query, subject);
  if (!["answered", "completed", "unfinished"].includes(opened.event))
    throw invalid("Only responses can be exported.", "event");
  const chunks =
    query.format === "csv" ? csvFile(context, subject, opened) : jsonFile(context, subject, opened);
  // Read the first part before responding: a failure is then an error, not half a file.
  const first = await chunks.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": query.format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName(subject.survey.name)}-responses.${query.format}"`,
      "Cache-Control": "no-store",
    },
  });
}
