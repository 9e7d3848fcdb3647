import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { EmptyExperiments } from "#components/experiments/empty-experiments.tsx";
import { ExperimentList } from "#components/experiments/experiment-list.tsx";
import { ExperimentTabs } from "#components/experiments/experiment-tabs.tsx";
import { ListFilters } from "#components/experiments/list-filters.tsx";
import { apiQuery, experimentList } from "#components/experiments/list-query.ts";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { CreateButton } from "#components/kit/list/create-button.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { experimentActions } from "./experiment-actions.ts";
import { readFigures } from "./figures.ts";
import { experimentAccess } from "./reads.ts";

export const metadata: Metadata = { title: "Experiments" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function ExperimentsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = experimentList.read(await searchParams);
  const api = await getApi();
  const list = (requested: object) =>
    permitted(api.call(experimentContract.list, { params: { project_id }, query: requested }));
  const [found, access] = await Promise.all([list(apiQuery(query)), experimentAccess()]);
  const isEmpty = found?.count === 0 && !experimentList.isFiltered(query);
  const archived = isEmpty ? ((await list({ limit: "1", archived: "true" }))?.count ?? 0) : 0;
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="Find out whether a change works by comparing people who got it with people who did not."
        actions={
          !found || isEmpty || !access.may_write ? null : (
            <CreateButton
              href={`/project/${project_id}/experiments/new`}
              label="New experiment"
              group="Experiments"
            />
          )
        }
        tabs={<ExperimentTabs projectId={project_id} current="experiments" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key cannot read experiments">
          Sign in with a key that has the scope experiment:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyExperiments projectId={project_id} access={access} archived={archived} />
      ) : (
        <ListPage
          list={experimentList}
          projectId={project_id}
          count={found.count}
          query={query}
          filters={
            <ListFilters
              projectId={project_id}
              query={query}
              flagKey={found.results[0]?.feature_flag_key ?? null}
            />
          }
        >
          {found.results.length === 0 ? null : (
            <ExperimentList
              projectId={project_id}
              experiments={found.results}
              figures={readFigures(api, project_id, found.results)}
              query={query}
              access={access}
              actions={experimentActions}
              now={Date.now()}
            />
          )}
        </ListPage>
      )}
    </Page>
  );
}
