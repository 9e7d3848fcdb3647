import { record } from "#lib/activity/service.ts";
import { readPersonNames } from "#lib/people/persons/service.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import {
  placeConditions,
  questionsOf,
  readSubject,
  type Subject,
  withTimeLimit,
} from "#lib/surveys/results/count/filter.ts";
import {
  markArchived,
  type Opened,
  type Row,
  selectEventPeople,
  selectEvents,
  selectKey,
  selectResponse,
  selectResponses,
} from "#lib/surveys/results/count/responses-store.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { lockPeople } from "#lib/surveys/results/ingest/across-surveys-store.ts";
import { answerTo, countedAnswer } from "#lib/surveys/results/ingest/answer-codes.ts";
import { secondsOf, tenthsOf } from "#lib/surveys/results/ingest/durations.ts";
import { changeStates } from "#lib/surveys/results/ingest/ingest.ts";
import { holdRebuilds, lockSurveys, selectHistories } from "#lib/surveys/results/ingest/ingest-store.ts";
import type { ResponseRow, ResponsesQuery } from "#lib/surveys/results/schema.ts";
import { supporting } from "#lib/surveys/results/summaries/statements.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";

type Of<Name extends keyof typeof surveyResultsContract> = Input<(typeof surveyResultsContract)[Name]>;

/** Maximum rows per page, as each has all its answers. */
const PAGE_MAX = 1_000;

/** Parses the parameters of a figure. @throws ApiError 400 */
export async function parseOpened(
  context: MemberContext,
  query: Omit<ResponsesQuery, "limit" | "offset" | "unit"> & { unit?: Opened["unit"] },
  subject: Subject,
): Promise<Opened> {
  const { seconds_from, seconds_to } = query;
  if (seconds_from !== null && seconds_to !== null && seconds_from > seconds_to)
    throw invalid("seconds_from must not be greater than seconds_to.", "seconds_from");
  return {
    event: query.event,
    unit: query.unit ?? "rows",
    days: query.day ? { date_from: query.day, date_to: query.day_to ?? query.day } : null,
    iteration: query.of_iteration,
    from: query.from ?? null,
    to: query.to ?? null,
    took_from: seconds_from === null ? null : tenthsOf(seconds_from * 1_000),
    took_to: seconds_to === null ? null : tenthsOf(seconds_to * 1_000),
    figure: placeConditions(query.figure, subject.questions, "figure"),
    search: query.search?.trim() || null,
    archived: query.archived === "only",
    uuids: await supporting(context, subject, query),
  };
}

type OpenedEvents = Parameters<typeof selectEvents>[3];

const opensEvents = (opened: Opened): opened is OpenedEvents =>
  !opened.archived && ["shown", "dismissed", "left", "abandoned"].includes(opened.event);

function answersOf(questions: readonly TableQuestion[], { answers, at }: Row): ResponseRow["answers"] {
  return questions.flatMap((question, index) => {
    const value = answerTo(question, index, answers);
    if (value === undefined) return [];
    const type = typeof question.type === "string" ? question.type : "";
    const of = { question_id: question.id, question_index: index, question: question.question, type };
    return [{ ...of, value, counted_as: countedAnswer(question, value, at) }];
  });
}

type Names = ReadonlyMap<number, { id: string; name: string }>;

/** The persons of some ids. */
export const namesOf = (context: Pick<MemberContext, "db">, rows: readonly Row[]): Promise<Names> =>
  readPersonNames(context, [...new Set(rows.map((row) => row.person_id))]);

export const rowOf = (row: Row, questions: readonly TableQuestion[], names: Names): ResponseRow => ({
  uuid: row.uuid,
  event: row.event,
  timestamp: instant(new Date(row.at)),
  distinct_id: row.distinct_id,
  person: names.get(row.person_id) ?? null,
  iteration: row.iteration || null,
  completed: row.completed,
  archived: row.archived,
  seconds: row.started !== null && row.at > row.started ? secondsOf(tenthsOf(row.at - row.started)) : null,
  path: row.path,
  ended: row.completed === null ? null : row.completed ? "end" : "left",
  answers: answersOf(questions, row),
});

export async function responses(context: MemberContext, { params, query }: Of<"responses">) {
  const subject = await readSubject(context, params.id, query);
  const { scope, filter, questions } = subject;
  const page = { limit: Math.min(query.limit, PAGE_MAX), offset: query.offset };
  const opened = await parseOpened(context, query, subject);
  const { rows, count } = await withTimeLimit(context, (db) => {
    if (!opensEvents(opened)) return selectResponses(db, scope, filter, opened, page);
    return opened.unit === "people"
      ? selectEventPeople(db, scope, filter, opened, page)
      : selectEvents(db, scope, filter, opened, page);
  });
  const names = await namesOf(context, rows);
  return {
    count,
    ...neighbours(context.url, page, count),
    results: rows.map((row) => rowOf(row, questions, names)),
  };
}

export async function response(context: MemberContext, { params }: Of<"response">) {
  const survey = await requireSurvey(context, params.id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  const row = await selectResponse(context.db, scope, params.response_id);
  if (!row) throw notFound();
  return rowOf(row, questionsOf(survey), await namesOf(context, [row]));
}

async function setArchived(context: MemberContext, params: Of<"archive">["params"], archived: boolean) {
  const survey = await requireSurvey(context, params.id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  await inTransaction(context.db, async (tx) => {
    await holdRebuilds(tx);
    await lockPeople(tx, [scope.project_id]);
    await lockSurveys(tx, [scope]);
    const key = await selectKey(tx, scope, params.response_id);
    if (!key) throw notFound();
    const chain = await selectHistories(tx, [{ ...scope, key }]);
    const before = chain.find((link) => link.uuid === params.response_id);
    if (!before || before.archived === archived) return;
    await markArchived(tx, scope, params.response_id, archived);
    await changeStates(tx, chain, (link) => (link.uuid === before.uuid ? { archived } : {}));
    await record(tx, {
      project_id: context.project.id,
      user_id: context.user.id,
      scope: "Survey",
      item_id: survey.id,
      activity: "updated",
      name: survey.name,
      changes: [
        {
          type: "Survey",
          action: "changed",
          field: "archived_response",
          before: archived ? null : params.response_id,
          after: archived ? params.response_id : null,
        },
      ],
    });
  });
  return response(context, { params, query: {}, body: undefined });
}

export const archive = (context: MemberContext, { params }: Of<"archive">) =>
  setArchived(context, params, true);

export const unarchive = (context: MemberContext, { params }: Of<"unarchive">) =>
  setArchived(context, params, false);
