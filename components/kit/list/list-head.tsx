import type { Route } from "next";
import type { ReactNode } from "react";
import { TableHead, Th } from "#components/ui/display/table.tsx";
import type { Column } from "./define-list.ts";
import { type OrderParam, sortBy } from "./params.ts";

type Query = { order: string };

type Props<Q extends Query> = {
  list: {
    columns: readonly Column[];
    params: { order: OrderParam<string> };
    href(projectId: string, query: Q, part: Partial<Q>): Route;
  };
  projectId: string;
  query: Q;
  /** A header before the columns, such as that of checkboxes. */
  children?: ReactNode;
};

/** The headers of a list's columns, some of which sort it, and of the actions on each row. */
export function ListHead<Q extends Query>({ list, projectId, query, children }: Props<Q>) {
  const sortOf = (field: string) => {
    const { direction, next } = sortBy(list.params.order, query.order, field);
    return { direction, href: list.href(projectId, query, { order: next } as Partial<Q>) };
  };
  return (
    <TableHead>
      {children}
      {list.columns.map(({ label, sort, ...look }) => (
        <Th key={label} {...look} {...(sort && { sort: sortOf(sort) })}>
          {label}
        </Th>
      ))}
      <Th>
        <span className="sr-only">Actions</span>
      </Th>
    </TableHead>
  );
}
