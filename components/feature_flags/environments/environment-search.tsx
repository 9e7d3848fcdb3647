"use client";

import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { type EnvironmentQuery, environmentList } from "./environment-list.ts";

/** Searches flags of all environments by key or description; the text is in the URL. */
export function EnvironmentSearch({ projectId, query }: { projectId: string; query: EnvironmentQuery }) {
  const { go, pending } = useList(environmentList, projectId, query);
  return (
    <UrlSearch
      label="Search flags by key or description"
      placeholder="Search key or description"
      value={query.search}
      pending={pending}
      onSearch={(search) => go({ search })}
    />
  );
}
