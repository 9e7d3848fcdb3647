import { FilterX, Lock, Plus } from "lucide-react";
import type { Metadata, Route } from "next";
import { CreateShortcut } from "#components/experiments/create_shortcut.tsx";
import { EmptyExperiments } from "#components/experiments/empty_experiments.tsx";
import { ExperimentList } from "#components/experiments/experiment_list.tsx";
import { ExperimentTabs } from "#components/experiments/experiment_tabs.tsx";
import { ListFilters } from "#components/experiments/list_filters.tsx";
import {
  apiQuery,
  type ListQuery,
  listHref,
  noFilters,
  PAGE_SIZE,
  readListQuery,
} from "#components/experiments/list_query.ts";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import type { SearchParams } from "#components/list/search_params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import { figuresOf } from "./figures.ts";
import { experimentAccess, experimentActions } from "./reads.ts";

export const metadata: Metadata = { title: "Experiments" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function ExperimentsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = readListQuery(await searchParams);
  const api = await getApi();
  const list = (asked: object) =>
    permitted(api.call(experimentContract.list, { params: { project_id }, query: asked }));
  const [found, access] = await Promise.all([list(apiQuery(query)), experimentAccess()]);
  const isEmpty = found?.count === 0 && noFilters(query);
  const archived = isEmpty ? ((await list({ limit: "1", archived: "true" }))?.count ?? 0) : 0;
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="Whether a change does what you hoped, told by the people who got it and those who did not."
        actions={!found || isEmpty ? null : <NewExperiment projectId={project_id} access={access} />}
        tabs={<ExperimentTabs projectId={project_id} current="experiments" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key may not read experiments">
          Sign in with a key that has the scope experiment:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyExperiments projectId={project_id} access={access} archived={archived} />
      ) : (
        <>
          <ListFilters
            projectId={project_id}
            query={query}
            flagKey={found.results[0]?.feature_flag_key ?? null}
          />
          {found.results.length === 0 ? (
            <NoMatch projectId={project_id} query={query} count={found.count} />
          ) : (
            <ExperimentList
              projectId={project_id}
              experiments={found.results}
              figures={figuresOf(api, project_id, found.results)}
              query={query}
              access={access}
              actions={experimentActions}
              now={Date.now()}
            />
          )}
          <Pagination
            offset={query.offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "experiment" : "experiments"}
            hrefFor={(offset) => listHref(project_id, query, { offset })}
          />
        </>
      )}
    </Page>
  );
}

function NewExperiment({ projectId, access }: { projectId: string; access: Access }) {
  const href = `/project/${projectId}/experiments/new` as Route;
  return access.may_write ? (
    <>
      <CreateShortcut href={href} />
      <ButtonLink href={href} variant="primary" icon={Plus}>
        New experiment
      </ButtonLink>
    </>
  ) : null;
}

function NoMatch({ projectId, query, count }: { projectId: string; query: ListQuery; count: number }) {
  const beyond = count > 0;
  const href = beyond
    ? listHref(projectId, query)
    : listHref(projectId, query, { search: "", status: "", flag: "" });
  return (
    <EmptyState
      icon={FilterX}
      title={beyond ? "There is no such page" : "No experiment matches"}
      actions={
        <ButtonLink href={href}>{beyond ? "To the first page" : "Clear search and filters"}</ButtonLink>
      }
    >
      {beyond
        ? `The list has ${count} experiments, fewer than this page starts at.`
        : query.search
          ? `No name contains “${query.search}” within these filters.`
          : "None of the project's experiments fits these filters."}
    </EmptyState>
  );
}
