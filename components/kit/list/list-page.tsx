import { FilterX } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";

type Words = {
  /** "flag" */
  one: string;
  /** "flags" */
  many: string;
  /** "No name contains", to be followed by what was searched for. */
  nothingContains: string;
};

type Props = {
  words: Words;
  /** Number of matches on all pages. */
  count: number;
  query: { search: string; offset: number };
  limit: number;
  /** The list with its filters, from that place on. */
  hrefFor: (offset: number) => Route;
  /** The list without search and filters. */
  clearedHref: Route;
  filters: ReactNode;
  /** The rows of this page; null where it has none. */
  children: ReactNode | null;
};

/** Filters, matching rows (or why there are none) and pagination. */
export function ListPage({ filters, children, ...list }: Props) {
  const { words, count, query, limit, hrefFor } = list;
  return (
    <>
      {filters}
      {children ?? <NoMatch {...list} />}
      <Pagination
        offset={query.offset}
        limit={limit}
        count={count}
        noun={count === 1 ? words.one : words.many}
        hrefFor={hrefFor}
      />
    </>
  );
}

function NoMatch({ words, count, query, hrefFor, clearedHref }: Omit<Props, "filters" | "children">) {
  if (count > 0)
    return (
      <EmptyState
        icon={FilterX}
        title="Page not found"
        actions={<ButtonLink href={hrefFor(0)}>Go to the first page</ButtonLink>}
      >
        {`The list has only ${count} ${words.many}.`}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={FilterX}
      title={`No ${words.one} matches`}
      actions={<ButtonLink href={clearedHref}>Clear search and filters</ButtonLink>}
    >
      {query.search
        ? `${words.nothingContains} “${query.search}” within these filters.`
        : `None of the project's ${words.many} match these filters.`}
    </EmptyState>
  );
}
