"use client";

import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { type CohortListQuery, cohortList } from "./cohort-list.ts";

/** Searches cohorts by name; the text is in the URL. */
export function CohortSearch({ projectId, query }: { projectId: string; query: CohortListQuery }) {
  const { go, pending } = useList(cohortList, projectId, query);
  return (
    <div className="mb-3">
      <UrlSearch
        label="Search cohorts by name"
        placeholder="Search name"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
    </div>
  );
}
