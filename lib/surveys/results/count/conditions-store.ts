import { type SQL, sql } from "drizzle-orm";
import { bucketOf } from "#lib/engines/branching/branching.ts";
import type { AnswerCondition, FieldCondition } from "#lib/surveys/results/filters-schema.ts";
import {
  type CodedQuestion,
  formerSlots,
  isChoice,
  OFF_SCALE,
  OTHER,
  placeKey,
  rangeOfRating,
  slotsContaining,
  slotsFor,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

/** A condition on answers with its question. */
export type PlacedCondition = AnswerCondition & { index: number; question: CodedQuestion };

/** The filters of figures. */
export type Filter = {
  date_from: string | null;
  date_to: string | null;
  iteration: number | null;
  /** The ids of the only persons who count, as PostgreSQL writes a list; null: everybody. */
  persons: string | null;
  answers: readonly PlacedCondition[];
  fields: readonly FieldCondition[];
};

/** Whether a filter has conditions on responses, so that views and dismissals are those of their people. */
export const narrowsResponses = ({ answers, fields }: Pick<Filter, "answers" | "fields">): boolean =>
  answers.length > 0 || fields.length > 0;

/** A filter without its conditions on responses. */
export const withoutResponses = (filter: Filter): Filter => ({ ...filter, answers: [], fields: [] });

const texts = (list: readonly string[]) => sql`${sql.param([...list])}::text[]`;

const all = (conditions: readonly SQL[]): SQL =>
  conditions.length > 0 ? sql`(${sql.join([...conditions], sql` and `)})` : sql`true`;
const any = (conditions: readonly SQL[]): SQL =>
  conditions.length > 0 ? sql`(${sql.join([...conditions], sql` or `)})` : sql`false`;

/** A LIKE pattern for "contains". */
const like = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

const codeAt = (index: number) => sql`r.codes[${sql.raw(String(index + 1))}]`;

function answerAt({ index, question }: PlacedCondition): SQL {
  const byPlace = sql`r.answers -> ${placeKey(index)}::text`;
  return typeof question.id === "string"
    ? sql`coalesce(r.answers -> ${question.id}::text, ${byPlace})`
    : byPlace;
}

/** The answer to a question that takes a single one, as text. */
function textAt({ index, question }: PlacedCondition): SQL {
  const byPlace = sql`r.answers ->> ${placeKey(index)}::text`;
  return typeof question.id === "string"
    ? sql`coalesce(r.answers ->> ${question.id}::text, ${byPlace})`
    : byPlace;
}

/** Whether some text of the answer satisfies a condition on `t`. */
const someText = (condition: PlacedCondition, test: SQL): SQL => {
  const answer = answerAt(condition);
  return sql`exists (select from jsonb_array_elements_text(case jsonb_typeof(${answer})
    when 'array' then ${answer} else jsonb_build_array(${answer}) end) as t(t) where ${test})`;
};

const isCode = (condition: PlacedCondition, codes: readonly string[]): SQL => {
  const at = codeAt(condition.index);
  return kindOf(condition.question).isMultiple
    ? sql`string_to_array(${at}, ',') && ${texts(codes)}`
    : sql`${at} = any(${texts(codes)})`;
};

/** Choices are matched by slot, free texts as written. */
function isExactly(condition: PlacedCondition): SQL {
  const { question, index, value } = condition;
  if (rangeOfRating(question))
    return isCode(
      condition,
      value.map((text) => text.trim()).filter((text) => text !== OFF_SCALE && text !== ""),
    );
  if (!isChoice(question))
    return sql`(${codeAt(index)} <> '' and ${someText(condition, sql`btrim(t) = any(${texts(value.map((v) => v.trim()))})`)})`;
  const { slots, own } = slotsFor(question, value);
  const asOwn = sql`(${isCode({ ...condition, question: { type: "multiple_choice" } }, [OTHER])}
    and ${someText(condition, sql`btrim(t) = any(${texts(own)})`)})`;
  return any([...(slots.length > 0 ? [isCode(condition, slots)] : []), ...(own.length > 0 ? [asOwn] : [])]);
}

/** The codes of the ratings that pass a test. */
function ratingsThat(question: CodedQuestion, holds: (rating: number) => boolean): string[] {
  const range = rangeOfRating(question);
  if (!range) return [];
  const [first, last] = range;
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    .filter(holds)
    .map(String);
}

function answerSql(condition: PlacedCondition): SQL {
  const { operator, question, index, value } = condition;
  const at = codeAt(index);
  const isReached = sql`${index}::smallint = any(r.path)`;
  const contains = () => {
    const patterns = texts(value.map(like));
    const recorded = kindOf(question).isMultiple
      ? sql`(${at} <> '' and ${someText(condition, sql`t ilike any(${patterns})`)})`
      : sql`(${at} <> '' and ${textAt(condition)} ilike any(${patterns}))`;
    // A choice is also found by its current text.
    return isChoice(question)
      ? any([recorded, isCode(condition, slotsContaining(question, value))])
      : recorded;
  };
  switch (operator) {
    case "exact":
      return isExactly(condition);
    case "is_not":
      return sql`(${at} <> '' and not ${isExactly(condition)})`;
    case "icontains":
      return contains();
    case "not_icontains":
      return sql`(${at} <> '' and not ${contains()})`;
    case "gte":
      return isCode(
        condition,
        ratingsThat(question, (rating) => rating >= Number(value[0])),
      );
    case "lte":
      return isCode(
        condition,
        ratingsThat(question, (rating) => rating <= Number(value[0])),
      );
    case "bucket":
      return isCode(
        condition,
        ratingsThat(question, (rating) => value.includes(bucketOf(question.scale, rating) ?? "")),
      );
    case "is_set":
      return sql`${at} <> ''`;
    case "is_not_set":
      return sql`${at} = ''`;
    case "former":
      return isCode(condition, formerSlots(question, value));
    case "other":
      return sql`${OTHER} = any(string_to_array(${at}, ','))`;
    case "off_scale":
      return sql`${at} = ${OFF_SCALE}`;
    case "reached":
      return isReached;
    case "skipped":
      return sql`(${isReached} and ${at} = '' and (r.completed or r.path[cardinality(r.path)] <> ${index}))`;
    case "left":
      return sql`(not r.completed and r.path[cardinality(r.path)] = ${index})`;
  }
}

export const answersSql = (conditions: readonly PlacedCondition[]): SQL => all(conditions.map(answerSql));

/** Matches responses with an answer that contains a text. */
export const searchSql = (search: string): SQL =>
  sql`exists (select from jsonb_each(r.answers) as a(k, v), jsonb_array_elements_text(
    case jsonb_typeof(a.v) when 'array' then a.v else jsonb_build_array(a.v) end) as t(t)
    where t ilike ${like(search)})`;

/** Duration of a response in tenths of a second; null if not timed, see durations.ts. */
export const TOOK = sql.raw(`case when r.completed and r.timestamp > r.started_at
  then round(extract(epoch from r.timestamp - r.started_at) * 10)::bigint end`);

const dayStart = (day: string) => sql`(${day}::date at time zone 'UTC')`;
const dayEnd = (day: string) => sql`((${day}::date + 1) at time zone 'UTC')`;

/** The conditions of dates on `column`. */
export const withinDays = (column: SQL, { date_from, date_to }: Pick<Filter, "date_from" | "date_to">): SQL =>
  all([
    ...(date_from ? [sql`${column} >= ${dayStart(date_from)}`] : []),
    ...(date_to ? [sql`${column} < ${dayEnd(date_to)}`] : []),
  ]);

/** With a longer list, reading a survey's responses costs less than looking up those of each person. */
const LOOKED_UP_CHARACTERS = 100_000;

/** Whether the person of a response `r` matches the filter. */
function admitsAuthor({ persons }: Pick<Filter, "persons">): SQL {
  const isLong = persons !== null && persons.length > LOOKED_UP_CHARACTERS;
  // No index has the sum, so the list is hashed and the other conditions choose how to read.
  return admitsPerson(isLong ? sql`(r.person_id + 0)` : sql`r.person_id`, { persons });
}

/** Whether `column` is a person who matches the filter. The list is sent as a value, so that it is hashed. */
const admitsPerson = (column: SQL, { persons }: Pick<Filter, "persons">): SQL =>
  persons === null ? sql`true` : sql`${column} = any(${persons}::bigint[])`;

function fieldSql({ name, operator, value }: FieldCondition): SQL {
  const field = sql`coalesce(e.properties ->> ${name}::text, '')`;
  const [first = ""] = value;
  if (operator === "is_set") return sql`${field} <> ''`;
  if (operator === "is_not_set") return sql`${field} = ''`;
  if (operator === "icontains") return sql`${field} ilike ${like(first)}`;
  if (operator === "not_icontains") return sql`${field} not ilike ${like(first)}`;
  return operator === "exact" ? sql`${field} = any(${texts(value)})` : sql`${field} <> all(${texts(value)})`;
}

/** Hidden fields are those of the event that a response `r` is from. */
const fieldsSql = (conditions: readonly FieldCondition[]): SQL =>
  sql`exists (select from events e where e.project_id = r.project_id and e.uuid = r.uuid
    and e.timestamp = r.timestamp and ${all(conditions.map(fieldSql))})`;

/** Which rows `r` of survey_responses are the responses within the filter. */
export function isChosen({ project_id, survey_id }: SurveyScope, filter: Filter): SQL {
  const { date_to, iteration } = filter;
  return all([
    sql`r.project_id = ${project_id}`,
    sql`r.survey_id = ${survey_id}`,
    sql`not r.archived`,
    date_to ? sql`(r.latest or r.next_at >= ${dayEnd(date_to)})` : sql`r.latest`,
    withinDays(sql`r.timestamp`, filter),
    ...(iteration === null ? [] : [sql`r.iteration = ${iteration}`]),
    admitsAuthor(filter),
    ...(filter.answers.length > 0 ? [answersSql(filter.answers)] : []),
    ...(filter.fields.length > 0 ? [fieldsSql(filter.fields)] : []),
  ]);
}

/** Which rows `d` of survey_person_days count within the filter. */
export function isCountedDay(scope: SurveyScope, filter: Filter): SQL {
  const { date_from, date_to, iteration } = filter;
  return all([
    sql`d.project_id = ${scope.project_id}`,
    sql`d.survey_id = ${scope.survey_id}`,
    ...(date_from ? [sql`d.day >= ${date_from}::date`] : []),
    ...(date_to ? [sql`d.day <= ${date_to}::date`] : []),
    ...(iteration === null ? [] : [sql`d.iteration = ${iteration}`]),
    admitsRespondent(sql`d.person_id`, scope, filter),
  ]);
}

/** Whether `column` is a person within the filter, by their properties and their responses. */
export function admitsRespondent(column: SQL, scope: SurveyScope, filter: Filter): SQL {
  if (narrowsResponses(filter))
    return sql`${column} in (select r.person_id from survey_responses r where ${isChosen(scope, filter)})`;
  return admitsPerson(column, filter);
}
