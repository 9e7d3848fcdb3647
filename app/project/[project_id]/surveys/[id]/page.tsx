import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Suspense } from "react";
import type { SearchParams } from "#components/list/search_params.ts";
import { FilterBar } from "#components/survey_results/filter_bar.tsx";
import { filterParts } from "#components/survey_results/filter_words.ts";
import { ReadingProgress } from "#components/survey_results/reading_progress.tsx";
import {
  isFiltered,
  type ResultsQuery,
  readResultsQuery,
  resultsHref,
} from "#components/survey_results/results_query.ts";
import { ResultsSkeleton } from "#components/survey_results/results_skeleton.tsx";
import { RowsSheet } from "#components/survey_results/rows_sheet.tsx";
import { SetupFacts } from "#components/survey_results/setup_facts.tsx";
import { SurveyHeader } from "#components/survey_results/survey_header.tsx";
import { Page } from "#components/ui/page-header.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import type { Client } from "#lib/http/client.ts";
import type { SurveyRecord } from "#lib/surveys/schema.ts";
import { namesFor, surveyAccess, surveyActions, surveyBy } from "../reads.ts";
import { archiveResponse, unarchiveResponse } from "./actions.ts";
import { FlowView } from "./flow_view.tsx";
import { HistoryView } from "./history_view.tsx";
import { cohortNames } from "./reads.ts";
import { ResponsesView } from "./responses_view.tsx";
import { ResultsView } from "./results_view.tsx";

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

/** What every view of a survey is handed. */
export type ViewProps = {
  api: Client;
  projectId: string;
  survey: SurveyRecord;
  query: ResultsQuery;
  names: Names;
};

const responseActions = { archive: archiveResponse, unarchive: unarchiveResponse };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  const survey = await surveyBy(await getApi(), project_id, id);
  return { title: survey?.name ?? "Survey" };
}

export default async function SurveyPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const query = readResultsQuery(await searchParams);
  const api = await getApi();
  const [survey, access, names] = await Promise.all([
    surveyBy(api, project_id, id),
    surveyAccess(),
    cohortNames(api, project_id, query),
  ]);
  if (!survey) notFound();
  const view: ViewProps = { api, projectId: project_id, survey, query, names };
  const parts = filterParts(query, survey.questions ?? [], names);
  return (
    <Page width="wide">
      <SurveyHeader
        projectId={project_id}
        survey={survey}
        query={query}
        access={access}
        actions={surveyActions}
        now={Date.now()}
      />
      <View {...view} />
      <RowsSheet
        projectId={project_id}
        surveyId={survey.id}
        query={query}
        filter={parts.flatMap((part, place) => [
          ...(place > 0 ? [{ text: "and", kind: "word" as const }] : []),
          ...part.tokens,
        ])}
        access={access}
        actions={responseActions}
      />
    </Page>
  );
}

async function View(props: ViewProps) {
  const { api, projectId, survey, query, names } = props;
  if (query.view === "setup")
    return <SetupFacts projectId={projectId} survey={survey} names={await namesFor(api, projectId)} />;
  if (query.view === "history") return <HistoryView {...props} />;
  const Shown = query.view === "flow" ? FlowView : query.view === "responses" ? ResponsesView : ResultsView;
  return (
    <div className="flex flex-col gap-4">
      {survey.start_date === null && !isFiltered(query) ? null : (
        <FilterBar
          projectId={projectId}
          surveyId={survey.id}
          query={query}
          questions={survey.questions ?? []}
          iterations={upTo(survey.iteration_count ?? 0)}
          names={names}
          today={new Date().toISOString().slice(0, 10)}
        />
      )}
      {/* A change of the filter counts anew: the shape of the figures stands in for them. */}
      <Suspense
        key={resultsHref(projectId, survey.id, query, { offset: query.offset })}
        fallback={
          <div className="flex flex-col gap-4">
            {isFiltered(query) ? <ReadingProgress /> : null}
            <ResultsSkeleton />
          </div>
        }
      >
        <Shown {...props} />
      </Suspense>
    </div>
  );
}

const MOST_ITERATIONS = 60;

const upTo = (count: number) =>
  Array.from({ length: Math.min(count, MOST_ITERATIONS) }, (_, place) => place + 1);
