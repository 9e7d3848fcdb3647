import type { Route } from "next";
import { withQuery } from "#components/kit/list/search-params.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { AnswerCondition, FieldCondition } from "#lib/surveys/results/filters-schema.ts";

export const VIEWS = ["results", "responses", "flow", "setup", "history"] as const;
export type ResultsView = (typeof VIEWS)[number];

export const PAGE_SIZE = 25;

/** Query parameters that open the rows behind a figure, as the API hands them out with each. */
export type Rows = Readonly<Record<string, string>>;

/** The query of the results pages, as in the URL. */
export type ResultsQuery = {
  view: ResultsView;
  /** Days, YYYY-MM-DD in UTC; empty for no bound. */
  date_from: string;
  date_to: string;
  /** Number of an iteration; empty for all. */
  iteration: string;
  /** Rows on people, all of which must hold. */
  people: FlagProperty[];
  /** Conditions on answers, all of which must hold. */
  answers: AnswerCondition[];
  /** Conditions on hidden fields, all of which must hold. */
  fields: FieldCondition[];
  /** Of the list of responses: a text that some answer contains. */
  search: string;
  /** Of the list of responses: archived ones. */
  archived: boolean;
  offset: number;
  /** Ids of the two cross-tabulated questions; empty for the first two possible. */
  row_question: string;
  column_question: string;
  ratings: "buckets" | "values";
  /** What the shares of the table are of. */
  shares: TableShares;
};

/** What the shares of a cross-tabulation are of. */
export const TABLE_SHARES = ["row", "column", "total"] as const;
export type TableShares = (typeof TABLE_SHARES)[number];

/** The filters as API parameters, without empty ones. */
export function filterParams(query: ResultsQuery): Record<string, string> {
  const filters = {
    date_from: query.date_from,
    date_to: query.date_to,
    iteration: query.iteration,
    properties: query.people.length > 0 ? JSON.stringify(query.people) : "",
    answers: query.answers.length > 0 ? JSON.stringify(query.answers) : "",
    fields: query.fields.length > 0 ? JSON.stringify(query.fields) : "",
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
}

export const isFiltered = (query: ResultsQuery): boolean => Object.keys(filterParams(query)).length > 0;

export const NO_FILTERS = { date_from: "", date_to: "", iteration: "", people: [], answers: [], fields: [] };

const base = (projectId: string, surveyId: string) => `/project/${projectId}/surveys/${surveyId}`;

/** The URL of the pages with some of the query changed; the list of responses starts at the first page. */
export function resultsHref(
  projectId: string,
  surveyId: string,
  query: ResultsQuery,
  change: Partial<ResultsQuery> = {},
): Route {
  const next = { ...query, offset: 0, ...change };
  return withQuery(base(projectId, surveyId), {
    view: next.view === "results" ? "" : next.view,
    ...filterParams(next),
    search: next.view === "responses" ? next.search : "",
    archived: next.view === "responses" && next.archived ? "only" : "",
    offset: next.view === "responses" && next.offset > 0 ? next.offset : undefined,
    row_question: next.row_question,
    column_question: next.column_question,
    ratings: next.ratings === "values" ? "values" : "",
    shares: next.shares === "row" ? "" : next.shares,
  }) as Route;
}

/** The rows to open, and their title, from the URL; null if there are none. */
export function readOpened(params: URLSearchParams): { rows: Record<string, string>; of: string } | null {
  const open = params.get("open");
  return open === null
    ? null
    : { rows: Object.fromEntries(new URLSearchParams(open)), of: params.get("of") ?? "" };
}

/** The same page with the rows behind a figure open beside it. */
function openHref(here: Route, rows: Rows, of: string): Route {
  const join = here.includes("?") ? "&" : "?";
  const asked = new URLSearchParams({ open: new URLSearchParams(rows).toString(), of });
  return `${here}${join}${asked}` as Route;
}

/** The links of the figures of a page. */
export type Links = {
  open: (rows: Rows, of: string) => Route;
  go: (change: Partial<ResultsQuery>) => Route;
};

export function linksOf(projectId: string, surveyId: string, query: ResultsQuery): Links {
  const here = resultsHref(projectId, surveyId, query, { offset: query.offset });
  return {
    open: (rows, of) => openHref(here, rows, of),
    go: (change) => resultsHref(projectId, surveyId, query, change),
  };
}

export const responseHref = (projectId: string, surveyId: string, uuid: string): Route =>
  `${base(projectId, surveyId)}/responses/${uuid}` as Route;

/** Address of a download of the same rows. */
export const exportHref = (
  projectId: string,
  surveyId: string,
  params: Record<string, string>,
  format: "csv" | "coded_csv" | "codebook" | "json",
): string => withQuery(`${base(projectId, surveyId)}/export`, { ...params, format });
