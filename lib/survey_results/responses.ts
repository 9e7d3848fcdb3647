import { record } from "#lib/activity/service.ts";
import { inTransaction } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { neighbours } from "#lib/http/paging.ts";
import { namesByIds } from "#lib/persons/service.ts";
import { surveyOf } from "#lib/surveys/lookup.ts";
import { answerTo, countedAnswer } from "./coding.ts";
import type { surveyResultsContract } from "./contract.ts";
import { secondsOf, tenthsOf } from "./durations.ts";
import { inTime, placed, questionsOf, type Subject, subjectOf } from "./filter.ts";
import { changeLinks } from "./ingest.ts";
import { holdRebuilds, lockSurveys, selectChains } from "./ingest_store.ts";
import {
  markArchived,
  type Opened,
  type Row,
  selectHappened,
  selectHappenedPeople,
  selectKey,
  selectResponse,
  selectResponses,
} from "./responses_store.ts";
import type { ResponseRow, ResponsesQuery } from "./schema.ts";
import { supporting } from "./statements.ts";
import type { TableQuestion } from "./tables.ts";
import { lockPeople } from "./together_store.ts";

type Of<Name extends keyof typeof surveyResultsContract> = Input<(typeof surveyResultsContract)[Name]>;

/** Rows of a page at most: each carries all that somebody wrote. */
const PAGE_MAX = 1_000;

/** What a query opens beside its filters. @throws ApiError 400 */
export async function openedBy(
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
    figure: placed(query.figure, subject.questions, "figure"),
    search: query.search?.trim() || null,
    archived: query.archived === "only",
    uuids: await supporting(context, subject, query),
  };
}

type HappeningOpened = Parameters<typeof selectHappened>[3];

const opensEvents = (opened: Opened): opened is HappeningOpened =>
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

/** Who persons are, by their numbers. */
export const namesOf = (context: Pick<MemberContext, "db">, rows: readonly Row[]): Promise<Names> =>
  namesByIds(context, [...new Set(rows.map((row) => row.person_id))]);

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
  const subject = await subjectOf(context, params.id, query);
  const { scope, filter, questions } = subject;
  const page = { limit: Math.min(query.limit, PAGE_MAX), offset: query.offset };
  const opened = await openedBy(context, query, subject);
  const { rows, count } = await inTime(context, (db) => {
    if (!opensEvents(opened)) return selectResponses(db, scope, filter, opened, page);
    return opened.unit === "people"
      ? selectHappenedPeople(db, scope, filter, opened, page)
      : selectHappened(db, scope, filter, opened, page);
  });
  const names = await namesOf(context, rows);
  return {
    count,
    ...neighbours(context.url, page, count),
    results: rows.map((row) => rowOf(row, questions, names)),
  };
}

export async function response(context: MemberContext, { params }: Of<"response">) {
  const survey = await surveyOf(context, params.id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  const row = await selectResponse(context.db, scope, params.response_id);
  if (!row) throw notFound();
  return rowOf(row, questionsOf(survey), await namesOf(context, [row]));
}

async function setArchived(context: MemberContext, params: Of<"archive">["params"], archived: boolean) {
  const survey = await surveyOf(context, params.id);
  const scope = { project_id: context.project.id, survey_id: survey.id };
  await inTransaction(context.db, async (tx) => {
    await holdRebuilds(tx);
    await lockPeople(tx, [scope.project_id]);
    await lockSurveys(tx, [scope]);
    const key = await selectKey(tx, scope, params.response_id);
    if (!key) throw notFound();
    const chain = await selectChains(tx, [{ ...scope, key }]);
    const before = chain.find((link) => link.uuid === params.response_id);
    if (!before || before.archived === archived) return;
    await markArchived(tx, scope, params.response_id, archived);
    await changeLinks(tx, chain, (link) => (link.uuid === before.uuid ? { archived } : {}));
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
