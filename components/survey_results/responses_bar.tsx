"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { UrlSearch } from "#components/list/url_search.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { ExportMenu } from "./export_menu.tsx";
import { type ResultsQuery, resultsHref } from "./results_query.ts";

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

/** Search in the responses, those put away, and a download of what is listed. */
export function ResponsesBar({ projectId, surveyId, query, params, what }: Props) {
  const router = useRouter();
  const [pending, start] = useTransition();
  const go = (change: Partial<ResultsQuery>) =>
    start(() => router.replace(resultsHref(projectId, surveyId, query, change), { scroll: false }));
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <UrlSearch
        label="Search in the answers"
        placeholder="Search in the answers"
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
