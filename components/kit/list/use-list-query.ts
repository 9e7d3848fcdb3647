"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useTransition } from "react";

/**
 * Changes what a list shows, which is in its URL.
 *
 * @param hrefOf the address of the list with a query of which some is changed
 * @returns `go` to change some of it, and whether the page is loading
 */
export function useListQuery<Q extends { offset: number }>(
  query: Q,
  hrefOf: (query: Q, change: Partial<Q>) => Route,
): { go: (change: Partial<Q>) => void; pending: boolean } {
  const router = useRouter();
  const [pending, start] = useTransition();
  // The last request, which the URL may not show yet: two changes in a row both count.
  const wanted = useRef(query);
  useEffect(() => {
    wanted.current = query;
  }, [query]);
  const go = (change: Partial<Q>) => {
    const href = hrefOf(wanted.current, change);
    wanted.current = { ...wanted.current, offset: 0, ...change };
    start(() => router.replace(href, { scroll: false }));
  };
  return { go, pending };
}
