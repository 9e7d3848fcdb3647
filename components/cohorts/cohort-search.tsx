"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { withQuery } from "#components/kit/list/search-params.ts";
import { UrlSearch } from "#components/kit/list/url-search.tsx";

/** Searches cohorts by name; the text is in the URL. */
export function CohortSearch({ projectId, search }: { projectId: string; search: string }) {
  const router = useRouter();
  const [pending, start] = useTransition();
  return (
    <UrlSearch
      label="Search cohorts by name"
      placeholder="Search name"
      value={search}
      pending={pending}
      onSearch={(text) =>
        start(() =>
          router.replace(withQuery(`/project/${projectId}/cohorts`, { search: text }) as Route, {
            scroll: false,
          }),
        )
      }
    />
  );
}
