import { Bookmark, Lock } from "lucide-react";
import type { Metadata } from "next";
import { ExperimentTabs } from "#components/experiments/experiment-tabs.tsx";
import { NewSavedMetric, SavedMetricSearch } from "#components/experiments/metrics/saved-metric-bar.tsx";
import { SavedMetricList } from "#components/experiments/metrics/saved-metric-list.tsx";
import { savedMetricList } from "#components/experiments/metrics/saved-metric-query.ts";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { kindWord, metricText } from "#components/metrics/metric-words.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess } from "../reads.ts";

export const metadata: Metadata = { title: "Saved metrics" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function SavedMetricsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = savedMetricList.read(await searchParams);
  const api = await getApi();
  const [found, access] = await Promise.all([
    permitted(
      api.call(savedMetricContract.list, {
        params: { project_id },
        query: {
          limit: String(savedMetricList.pageSize),
          offset: String(query.offset),
          search: query.search || undefined,
        },
      }),
    ),
    experimentAccess(),
  ]);
  const actions = experimentActions.saved;
  const isEmpty = found?.count === 0 && !savedMetricList.isFiltered(query);
  const make = access.may_write ? <NewSavedMetric projectId={project_id} actions={actions} /> : null;
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="Metrics defined once and counted the same way in every experiment."
        actions={!found || isEmpty ? null : make}
        tabs={<ExperimentTabs projectId={project_id} current="saved_metrics" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key cannot read experiments">
          Sign in with a key that has the scope experiment:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState icon={Bookmark} title="No saved metrics yet" actions={make}>
          Define metrics that several experiments share, like paid orders or revenue. You can also save an
          experiment's metric: select its bookmark.
        </EmptyState>
      ) : (
        <ListPage
          list={savedMetricList}
          projectId={project_id}
          query={query}
          count={found.count}
          filters={<SavedMetricSearch projectId={project_id} query={query} />}
        >
          {found.results.length === 0 ? null : (
            <SavedMetricList
              projectId={project_id}
              metrics={found.results.map((saved) => ({
                ...saved,
                kind_word: kindWord(saved.query),
                definition: metricText(saved.query),
              }))}
              access={access}
              actions={actions}
            />
          )}
        </ListPage>
      )}
    </Page>
  );
}
