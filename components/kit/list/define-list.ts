import type { Route } from "next";
import { type OrderParam, type Param, whole } from "./params.ts";
import { type SearchParams, withQuery } from "./search-params.ts";

export type Params = Readonly<Record<string, Param<unknown>>>;

type ValuesOf<P extends Params> = { [Name in keyof P]: P[Name] extends Param<infer T> ? T : never };

/** A column of a list: its header, which sorts the list where a field is named. */
export type Column<Field extends string = string> = {
  label: string;
  sort?: Field;
  align?: "left" | "right";
  className?: string;
};

type FieldOf<View> = View extends { order: OrderParam<infer Field> } ? Field : never;

export type Words = {
  /** "flag" */
  one: string;
  /** "flags" */
  many: string;
  /** "No name contains", to be followed by what was searched for. */
  nothingContains?: string;
};

const OFFSET = { offset: whole(0) };

type Definition<F extends Params, V extends Params, P extends Params> = {
  /** Below the project's address. */
  path: string;
  pageSize: number;
  words: Words;
  /** What is left out of the list. */
  filters: F;
  /** How the rest is shown, such as its order. */
  view?: V;
  /** Which part of it is shown. A change of anything else leads back to the first page. */
  pages?: P;
  /** Which page a change leads to, where that is not the first one. */
  pageAfter?: (query: ValuesOf<F & V & P>, change: Partial<ValuesOf<F & V & P>>) => Partial<ValuesOf<P>>;
  columns?: readonly Column<FieldOf<V>>[];
};

/** What a list shows: one value for each of its parameters. */
export type QueryOf<L> = L extends { read(given: SearchParams): infer Query } ? Query : never;

const emptyOf = (params: Params) =>
  Object.fromEntries(Object.entries(params).map(([name, param]) => [name, param.empty]));

/**
 * A list whose state is in its URL, described once: reading the URL, its links, the controls of its filters and the
 * headers of its table follow from this.
 */
export function defineList<
  const F extends Params,
  const V extends Params = Record<never, never>,
  const P extends Params = typeof OFFSET,
>(definition: Definition<F, V, P>) {
  type Query = ValuesOf<F & V & P>;
  const { filters, view = {}, pages = OFFSET, pageAfter = () => ({}), columns = [] } = definition;
  const params: Params = { ...filters, ...view, ...pages };
  const entries = Object.entries(params);

  /** The query with some of it changed. */
  const change = (query: Query, part: Partial<Query>): Query => ({
    ...query,
    ...emptyOf(pages),
    ...pageAfter(query, part),
    ...part,
  });

  /** Exactly this query as an address. */
  function address(projectId: string, query: Query): Route {
    const written = entries.map(([name, param]): [string, readonly string[]] => [
      param.name ?? name,
      param.write(query[name as keyof Query]),
    ]);
    return withQuery(`/project/${projectId}/${definition.path}`, Object.fromEntries(written)) as Route;
  }

  return {
    ...definition,
    columns,
    params: params as F & V & P,
    /** Parses the URL; ignores unknown values. */
    read: (given: SearchParams): Query =>
      Object.fromEntries(
        entries.map(([name, param]) => [name, param.read([given[param.name ?? name] ?? []].flat())]),
      ) as Query,
    /** The parameters of a URL that the list does not have, or whose values it does not know: it ignores them. */
    ignored: (given: SearchParams): string[] =>
      Object.keys(given).filter((name) => {
        const param = entries.find(([own, each]) => (each.name ?? own) === name)?.[1];
        const isKnown = (value: string) =>
          param !== undefined &&
          (param.write(param.read([value])).length > 0 || value === String(param.empty));
        return [given[name] ?? []].flat().some((value) => value !== "" && !isKnown(value));
      }),
    address,
    change,
    /** The address of the list with some of the query changed. */
    href: (projectId: string, query: Query, part: Partial<Query>): Route =>
      address(projectId, change(query, part)),
    /** The query without any filter. */
    clear: (query: Query): Query => change(query, emptyOf(filters) as Partial<Query>),
    isFiltered: (query: Query): boolean =>
      Object.entries(filters).some(([name, param]) => param.write(query[name as keyof Query]).length > 0),
    /** Whether the search is its only filter. */
    hasOnlySearch: Object.keys(filters).every((name) => name === "search"),
  };
}
