import { FilterX } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import type { Words } from "./define-list.ts";

type Query = { search: string; offset: number };

type Props<Q extends Query> = {
  list: {
    words: Words;
    pageSize: number;
    hasOnlySearch: boolean;
    clear(query: Q): Q;
    address(projectId: string, query: Q): Route;
    href(projectId: string, query: Q, part: Partial<Q>): Route;
  };
  projectId: string;
  query: Q;
  /** Number of matches on all pages. */
  count: number;
  filters: ReactNode;
  /** The rows of this page; null where it has none. */
  children: ReactNode | null;
};

/** Filters, matching rows (or why there are none) and pagination. */
export function ListPage<Q extends Query>(props: Props<Q>) {
  const { list, projectId, query, count } = props;
  return (
    <>
      {props.filters}
      {props.children ?? (list.hasOnlySearch ? <NothingFound {...props} /> : <NoMatch {...props} />)}
      <Pagination
        offset={query.offset}
        limit={list.pageSize}
        count={count}
        noun={count === 1 ? list.words.one : list.words.many}
        hrefFor={(offset) => list.href(projectId, query, { offset } as Partial<Q>)}
      />
    </>
  );
}

function NoMatch<Q extends Query>({ list, projectId, query, count }: Props<Q>) {
  const { words } = list;
  if (count > 0)
    return (
      <EmptyState
        icon={FilterX}
        title="Page not found"
        actions={<ButtonLink href={list.href(projectId, query, {})}>Go to the first page</ButtonLink>}
      >
        {`The list has only ${count} ${words.many}.`}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={FilterX}
      title={`No ${words.one} matches`}
      actions={
        <ButtonLink href={list.address(projectId, list.clear(query))}>Clear search and filters</ButtonLink>
      }
    >
      {query.search
        ? `${words.nothingContains} “${query.search}” within these filters.`
        : `None of the project's ${words.many} match these filters.`}
    </EmptyState>
  );
}

/** The same for a list that can only be searched. */
function NothingFound<Q extends Query>({ list, projectId, query, count }: Props<Q>) {
  const { words } = list;
  return (
    <EmptyState
      icon={FilterX}
      title={count > 0 ? "Page not found" : `No ${words.one} matches`}
      actions={
        <ButtonLink href={list.address(projectId, list.clear(query))}>{`Show all ${words.many}`}</ButtonLink>
      }
    >
      {count > 0 ? "The list ends before this page." : `${words.nothingContains} “${query.search}”.`}
    </EmptyState>
  );
}
