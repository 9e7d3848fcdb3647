import { Bookmark, FilterX, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { ExperimentTabs } from "#components/experiments/experiment_tabs.tsx";
import { NewSavedMetric, SavedMetricSearch } from "#components/experiments/saved_metric_bar.tsx";
import { SavedMetricList } from "#components/experiments/saved_metric_list.tsx";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { one, type SearchParams, whole, withQuery } from "#components/list/search_params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import { savedMetricContract } from "#lib/experiments/saved_metric_contract.ts";
import { experimentAccess, experimentActions } from "../reads.ts";

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
        description="Metrics that are defined once, and counted the same in every experiment that uses them."
        actions={!found || isEmpty ? null : make}
        tabs={<ExperimentTabs projectId={project_id} current="saved_metrics" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key may not read experiments">
          Sign in with a key that has the scope experiment:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState icon={Bookmark} title="No saved metrics yet" actions={make}>
          What several experiments are to move or must not break, like paid orders or revenue, is defined here
          once. A metric of an experiment can be saved, too: press its bookmark.
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
              title={found.count > 0 ? "There is no such page" : "No saved metric matches"}
              actions={<ButtonLink href={here as Route}>Show all saved metrics</ButtonLink>}
            >
              {found.count > 0
                ? "The list has fewer metrics than this page starts at."
                : `No name contains “${search}”.`}
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
