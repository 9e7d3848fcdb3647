"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { ExportMenu } from "#components/surveys/results/filters/export-menu.tsx";
import { type ResultsQuery, resultsHref } from "#components/surveys/results/filters/results-query.ts";
import { Segmented } from "#components/ui/form/segmented.tsx";

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  params: Record<string, string>;
  /** What is listed, counted. */
  what: string;
};

const WHICH = [
  { value: "counted", label: "Counted" },
  { value: "archived", label: "Archived" },
] as const;

/** Search, the archived filter, and a download of the list. */
export function ResponsesBar({ projectId, surveyId, query, params, what }: Props) {
  const router = useRouter();
  const [pending, start] = useTransition();
  const go = (change: Partial<ResultsQuery>) =>
    start(() => router.replace(resultsHref(projectId, surveyId, query, change), { scroll: false }));
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <UrlSearch
        label="Search answers"
        placeholder="Search answers"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <Segmented
        label="Which responses"
        size="sm"
        value={query.archived ? "archived" : "counted"}
        onValueChange={(which) => go({ archived: which === "archived" })}
        options={WHICH}
      />
      <p aria-live="polite" className="tabular ml-auto text-muted text-sm" data-testid="responses-count">
        {what}
      </p>
      <ExportMenu projectId={projectId} surveyId={surveyId} params={params} what={what} />
    </div>
  );
}
