import { one, type SearchParams, whole } from "#components/kit/list/search-params.ts";
import { type FlagProperty, flagProperty } from "#lib/people/conditions/filters-schema.ts";
import {
  type AnswerCondition,
  answerConditions,
  type FieldCondition,
  fieldConditions,
} from "#lib/surveys/results/filters-schema.ts";
import { type ResultsQuery, type Rows, TABLE_SHARES, VIEWS } from "./results-query.ts";

function peopleOf(text: string): FlagProperty[] {
  try {
    const parsed = flagProperty.array().safeParse(JSON.parse(text || "[]"));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

const answersParam = answerConditions("answers", "");

function answersOf(text: string): AnswerCondition[] {
  const parsed = answersParam.safeParse(text);
  return parsed.success ? parsed.data : [];
}

const fieldsParam = fieldConditions("fields", "");

function fieldsOf(text: string): FieldCondition[] {
  const parsed = fieldsParam.safeParse(text);
  return parsed.success ? parsed.data : [];
}

const dayOf = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";

/** The query of a results page from its URL, on the server: what is in the URL may be anything. */
export const readResultsQuery = (params: SearchParams): ResultsQuery => ({
  view: VIEWS.find((view) => view === one(params.view)) ?? "results",
  date_from: dayOf(one(params.date_from)),
  date_to: dayOf(one(params.date_to)),
  iteration: /^\d{1,6}$/.test(one(params.iteration)) ? one(params.iteration) : "",
  people: peopleOf(one(params.properties)),
  answers: answersOf(one(params.answers)),
  fields: fieldsOf(one(params.fields)),
  search: one(params.search).slice(0, 200),
  archived: one(params.archived) === "only",
  offset: whole(params.offset, 0),
  row_question: one(params.row_question),
  column_question: one(params.column_question),
  ratings: one(params.ratings) === "values" ? "values" : "buckets",
  shares: TABLE_SHARES.find((shares) => shares === one(params.shares)) ?? "row",
});

/** The answer conditions equivalent to a figure's rows; null if answers alone do not define them. */
export function conditionsOf(rows: Rows): AnswerCondition[] | null {
  const others = Object.keys(rows).filter((name) => !["figure", "event"].includes(name));
  const answered = (rows.event ?? "answered") === "answered";
  if (!rows.figure || others.length > 0 || !answered) return null;
  const conditions = answersOf(rows.figure);
  return conditions.length > 0 ? conditions : null;
}
