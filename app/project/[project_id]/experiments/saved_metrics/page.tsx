import { Bookmark, FilterX, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { ExperimentTabs } from "#components/experiments/experiment-tabs.tsx";
import { NewSavedMetric, SavedMetricSearch } from "#components/experiments/metrics/saved-metric-bar.tsx";
import { SavedMetricList } from "#components/experiments/metrics/saved-metric-list.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess } from "../reads.ts";

export const metadata: Metadata = { title: "Saved metrics" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const PAGE_SIZE = 50;

export default async function SavedMetricsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const given = await searchParams;
  const [search, offset] = [one(given.search), whole(given.offset, 0)];
  const api = await getApi();
  const query = { limit: String(PAGE_SIZE), offset: String(offset), search: search || undefined };
  const [found, access] = await Promise.all([
    permitted(api.call(savedMetricContract.list, { params: { project_id }, query })),
    experimentAccess(),
  ]);
  const here = `/project/${project_id}/experiments/saved_metrics`;
  const actions = experimentActions.saved;
  const isEmpty = found?.count === 0 && search === "";
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
        <>
          <div className="mb-3">
            <SavedMetricSearch projectId={project_id} search={search} />
          </div>
          {found.results.length > 0 ? (
            <SavedMetricList
              projectId={project_id}
              metrics={found.results}
              access={access}
              actions={actions}
            />
          ) : (
            <EmptyState
              icon={FilterX}
              title={found.count > 0 ? "Page not found" : "No saved metric matches"}
              actions={<ButtonLink href={here as Route}>Show all saved metrics</ButtonLink>}
            >
              {found.count > 0 ? "The list ends before this page." : `No name contains “${search}”.`}
            </EmptyState>
          )}
          <Pagination
            offset={offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "metric" : "metrics"}
            hrefFor={(next) => withQuery(here, { search, offset: next || undefined }) as Route}
          />
        </>
      )}
    </Page>
  );
}
