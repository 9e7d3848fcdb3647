"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useTransition } from "react";

type List<Query> = {
  change(query: Query, part: Partial<Query>): Query;
  address(projectId: string, query: Query): Route;
};

export type Go<Query> = (part: Partial<Query>) => void;

/**
 * Changes what a list shows, which is in its URL.
 *
 * @returns `go` to change some of it, and whether the page is loading
 */
export function useList<Query>(
  list: List<Query>,
  projectId: string,
  query: Query,
): { go: Go<Query>; pending: boolean } {
  const router = useRouter();
  const [pending, start] = useTransition();
  // The last request, which the URL may not show yet: two changes in a row both count.
  const wanted = useRef(query);
  useEffect(() => {
    wanted.current = query;
  }, [query]);
  const go = (part: Partial<Query>) => {
    wanted.current = list.change(wanted.current, part);
    const href = list.address(projectId, wanted.current);
    start(() => router.replace(href, { scroll: false }));
  };
  return { go, pending };
}
