import { writeCsvLine } from "#lib/platform/csv.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { streamed } from "#lib/platform/streamed.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { readSubject, type Subject, withTimeLimit } from "#lib/surveys/results/count/filter.ts";
import { type Opened, type Row, selectResponsesAfter } from "#lib/surveys/results/count/responses-store.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { textsOf } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";
import { CODEBOOK_HEAD, codebookLines, codedColumns } from "./coded-columns.ts";
import { type Fields, selectFieldNames, selectFields } from "./fields-store.ts";
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

/** A response as it is stored, as it is shown, and with its hidden fields. */
type Exported = { stored: Row; row: ResponseRow; fields: Fields };

/** All responses of a query, page by page, newest first. */
async function* pagesOf(
  context: MemberContext,
  subject: Subject,
  opened: Opened,
  names: readonly string[],
): AsyncGenerator<Exported[]> {
  const { scope, filter, questions } = subject;
  let after: Row | null = null;
  do {
    const from: Row | null = after;
    const [rows, fields] = await withTimeLimit(context, async (db): Promise<[Row[], Map<string, Fields>]> => {
      const found = await selectResponsesAfter(db, scope, filter, opened, from, PAGE);
      return [found, await selectFields(db, scope, names, found)];
    });
    const people = await namesOf(context, rows);
    yield rows.map((stored) => ({
      stored,
      row: rowOf(stored, questions, people),
      fields: fields.get(stored.uuid) ?? {},
    }));
    after = rows.length === PAGE ? (rows.at(-1) ?? null) : null;
  } while (after);
}

const fieldNames = (context: MemberContext, { scope }: Subject): Promise<string[]> =>
  withTimeLimit(context, (db) => selectFieldNames(db, scope));

const leading = (row: ResponseRow) => [
  row.uuid,
  row.timestamp,
  row.person?.name ?? null,
  row.distinct_id,
  row.iteration,
  row.completed === null ? null : String(row.completed),
  row.seconds,
  row.path.map((index) => index + 1).join(" > "),
];

type Cells = (exported: Exported) => (string | number | null)[];

/** A file with a line for each response: who, when, the answers, and the hidden fields. */
async function* csvFile(
  context: MemberContext,
  subject: Subject,
  opened: Opened,
  head: readonly string[],
  cellsOf: Cells,
): AsyncGenerator<string> {
  const names = await fieldNames(context, subject);
  yield writeCsvLine([...LEADING, ...head, ...names]);
  for await (const page of pagesOf(context, subject, opened, names))
    yield page
      .map((exported) =>
        writeCsvLine([
          ...leading(exported.row),
          ...cellsOf(exported),
          ...names.map((name) => cellOf(exported.fields[name])),
        ]),
      )
      .join("");
}

/** Answers as they read. */
function readableFile(context: MemberContext, subject: Subject, opened: Opened): AsyncGenerator<string> {
  const { questions } = subject;
  return csvFile(context, subject, opened, headers(questions), ({ row }) => {
    const answers = new Map(row.answers.map((answer) => [answer.question_index, answer.counted_as]));
    return questions.map((_, index) => cellOf(answers.get(index)));
  });
}

/** Answers as codes, which the codebook explains. */
function codedFile(context: MemberContext, subject: Subject, opened: Opened): AsyncGenerator<string> {
  const columns = codedColumns(subject.questions);
  const head = columns.map(({ name }) => name);
  return csvFile(context, subject, opened, head, ({ stored }) => columns.map(({ cellOf }) => cellOf(stored)));
}

async function* codebookFile({ questions }: Subject): AsyncGenerator<string> {
  yield [CODEBOOK_HEAD, ...codebookLines(codedColumns(questions))].map(writeCsvLine).join("");
}

async function* jsonFile(context: MemberContext, subject: Subject, opened: Opened): AsyncGenerator<string> {
  const names = await fieldNames(context, subject);
  let separator = "[\n";
  for await (const page of pagesOf(context, subject, opened, names)) {
    yield `${separator}${page.map(({ row, fields }) => JSON.stringify({ ...row, fields })).join(",\n")}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

const FILES = {
  csv: { made: readableFile, name: "responses.csv" },
  coded_csv: { made: codedFile, name: "coded-responses.csv" },
  codebook: { made: (_: MemberContext, subject: Subject) => codebookFile(subject), name: "codebook.csv" },
  json: { made: jsonFile, name: "responses.json" },
};

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
  const file = FILES[query.format];
  return streamed(file.made(context, subject, opened), {
    "content-type": query.format === "json" ? "application/json; charset=utf-8" : "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${fileName(subject.survey.name)}-${file.name}"`,
    "cache-control": "no-store",
  });
}
