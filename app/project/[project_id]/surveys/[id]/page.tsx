import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Suspense } from "react";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { FilterBar } from "#components/surveys/results/filters/filter-bar.tsx";
import { filterParts } from "#components/surveys/results/filters/filter-words.ts";
import { readResultsQuery } from "#components/surveys/results/filters/read-results-query.ts";
import { isFiltered, resultsHref } from "#components/surveys/results/filters/results-query.ts";
import { RowsSheet } from "#components/surveys/results/responses/rows-sheet.tsx";
import { ResultsSkeleton } from "#components/surveys/results/results-skeleton.tsx";
import { SetupFacts } from "#components/surveys/results/setup-facts.tsx";
import { SurveyHeader } from "#components/surveys/results/survey-header.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { NotifyMe } from "../../inbox/notify-me.tsx";
import { namesFor, surveyAccess, surveyBy } from "../reads.ts";
import { surveyActions } from "../survey-actions.ts";
import { FlowView } from "./flow-view.tsx";
import { HistoryView } from "./history-view.tsx";
import { cohortNames, type ViewProps } from "./reads.ts";
import { responseActions } from "./response-actions.ts";
import { ResponsesView } from "./responses-view.tsx";
import { ResultsView } from "./results-view.tsx";

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

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
      <div className="mb-4">
        <Suspense>
          <NotifyMe projectId={project_id} type="survey" id={survey.id} />
        </Suspense>
      </div>
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
    return (
      <SetupFacts projectId={projectId} survey={survey} names={await namesFor(api, projectId, survey)} />
    );
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
      {/* A new filter counts again: show the skeleton meanwhile. */}
      <Suspense
        key={resultsHref(projectId, survey.id, query, { offset: query.offset })}
        fallback={<ResultsSkeleton />}
      >
        <Shown {...props} />
      </Suspense>
    </div>
  );
}

const MOST_ITERATIONS = 60;

const upTo = (count: number) =>
  Array.from({ length: Math.min(count, MOST_ITERATIONS) }, (_, place) => place + 1);
