import type { Route } from "next";

/** Flags on a page of the list. */
export const PAGE_SIZE = 50;

/** What the list shows, as it is in the URL. */
export type ListQuery = {
  search: string;
  status: "" | "on" | "off" | "stale";
  type: "" | "boolean" | "multivariant" | "remote_config" | "experiment";
  runtime: "" | "both" | "server" | "client";
  tags: string[];
  creators: string[];
  order: string;
  offset: number;
};

export const DEFAULT_ORDER = "-created_at";

type SearchParams = Record<string, string | string[] | undefined>;

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value) ?? "";
const many = (value: string | string[] | undefined) =>
  (value === undefined ? [] : [value].flat()).filter(Boolean);
const among = <T extends string>(value: string, known: readonly T[]): T | "" =>
  known.find((each) => each === value) ?? "";

/** Parses the URL; ignores unknown values. */
export function readListQuery(params: SearchParams): ListQuery {
  const offset = Number(one(params.offset));
  return {
    search: one(params.search),
    status: among(one(params.status), ["on", "off", "stale"] as const),
    type: among(one(params.type), ["boolean", "multivariant", "remote_config", "experiment"] as const),
    runtime: among(one(params.runtime), ["both", "server", "client"] as const),
    tags: many(params.tag),
    creators: many(params.creator).filter((id) => /^\d+$/.test(id)),
    order: /^-?[a-z_]+$/.test(one(params.order)) ? one(params.order) : DEFAULT_ORDER,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  };
}

export const noFilters = (query: ListQuery): boolean =>
  !(query.search || query.status || query.type || query.runtime) &&
  query.tags.length + query.creators.length === 0;

/** The URL of the list with some parameters changed; any change except of the page goes to the first page. */
export function listHref(projectId: string, query: ListQuery, change: Partial<ListQuery> = {}): Route {
  const next = { ...query, offset: 0, ...change };
  const params = new URLSearchParams();
  for (const name of ["search", "status", "type", "runtime"] as const)
    if (next[name]) params.set(name, next[name]);
  for (const tag of next.tags) params.append("tag", tag);
  for (const id of next.creators) params.append("creator", id);
  if (next.order !== DEFAULT_ORDER) params.set("order", next.order);
  if (next.offset > 0) params.set("offset", String(next.offset));
  const text = params.toString();
  return `/project/${projectId}/feature_flags${text ? `?${text}` : ""}` as Route;
}

const ACTIVE = { on: "true", off: "false", stale: "STALE", "": undefined };

/** The same as API parameters. */
export const apiQuery = (query: ListQuery) => ({
  limit: String(PAGE_SIZE),
  offset: String(query.offset),
  search: query.search || undefined,
  active: ACTIVE[query.status],
  type: query.type || undefined,
  evaluation_runtime: query.runtime || undefined,
  tags: query.tags.length > 0 ? JSON.stringify(query.tags) : undefined,
  created_by_id: query.creators.join(",") || undefined,
  order: query.order,
});
