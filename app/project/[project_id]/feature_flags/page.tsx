import { History, Layers, Upload } from "lucide-react";
import type { Metadata, Route } from "next";
import { cookies } from "next/headers";
import { LoadDemo } from "#components/demo/load-demo.tsx";
import { EmptyProject } from "#components/feature_flags/empty-project.tsx";
import { FlagList } from "#components/feature_flags/list/flag-list.tsx";
import { IgnoredNote } from "#components/feature_flags/list/ignored-note.tsx";
import { ListFilters } from "#components/feature_flags/list/list-filters.tsx";
import { apiQuery, flagList, viewQuery } from "#components/feature_flags/list/list-query.ts";
import { SavedViews } from "#components/feature_flags/list/saved-views.tsx";
import { listItemOf } from "#components/feature_flags/list-item.ts";
import { DENSITY_COOKIE } from "#components/frame/theme.ts";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { CreateButton } from "#components/kit/list/create-button.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { usageContract } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { loadDemo } from "../demo/actions.ts";
import { flagActions } from "./flag-actions.ts";
import { accessOf, hasEnvironments, namesFor, projectToken, readRemoteBase, viewsOf } from "./reads.ts";

export const metadata: Metadata = { title: "Feature flags" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function FeatureFlagsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const given = await searchParams;
  const query = flagList.read(given);
  const api = await getApi();
  const [found, isLinked, access, views] = await Promise.all([
    api.call(flagContract.list, { params: { project_id }, query: apiQuery(query) }),
    hasEnvironments(api, project_id),
    accessOf(),
    viewsOf(api, project_id),
  ]);
  const ids = found.results.map((flag) => flag.id).join() || undefined;
  const [names, usage] = await Promise.all([
    namesFor(api, project_id, found.results),
    permitted(api.call(usageContract.all_usage, { params: { project_id }, query: { ids } })),
  ]);
  const isEmpty = found.count === 0 && !flagList.isFiltered(query);
  const now = Date.now();
  const compact = (await cookies()).get(DENSITY_COOKIE)?.value === "compact";
  return (
    <Page>
      <PageHeader
        title="Feature flags"
        description="Who gets which part of your product, decided on every request."
        actions={
          <>
            {isLinked ? (
              <ButtonLink
                href={`/project/${project_id}/feature_flags/environments` as Route}
                variant="ghost"
                icon={Layers}
              >
                Environments
              </ButtonLink>
            ) : null}
            <ButtonLink
              href={`/project/${project_id}/feature_flags/past` as Route}
              variant="ghost"
              icon={History}
            >
              At a point in time
            </ButtonLink>
            {access.may_write ? (
              <ButtonLink href={`/project/${project_id}/feature_flags/import` as Route} icon={Upload}>
                Import
              </ButtonLink>
            ) : null}
            {access.may_write && !isEmpty ? (
              <CreateButton
                href={`/project/${project_id}/feature_flags/new`}
                label="New flag"
                group="Feature flags"
              />
            ) : null}
          </>
        }
      />
      <ReadOnlyNote access={access} />
      {isEmpty ? (
        <EmptyProject
          projectId={project_id}
          token={await projectToken(api, project_id)}
          apiBase={await readRemoteBase()}
          access={access}
        >
          <LoadDemo
            projectId={project_id}
            access={await accessTo("project:write", "create projects")}
            load={loadDemo}
          />
        </EmptyProject>
      ) : (
        <ListPage
          list={flagList}
          projectId={project_id}
          count={found.count}
          query={query}
          filters={
            <>
              <ListFilters projectId={project_id} query={query} compact={compact}>
                {views ? (
                  <SavedViews
                    projectId={project_id}
                    views={views}
                    query={viewQuery(project_id, query)}
                    access={access}
                    actions={flagActions}
                  />
                ) : null}
              </ListFilters>
              <IgnoredNote given={given} views={views ?? []} />
            </>
          }
        >
          {found.results.length === 0 ? null : (
            <FlagList
              projectId={project_id}
              items={found.results.map((flag) => listItemOf(flag, names, now, usage))}
              names={names}
              query={query}
              compact={compact}
              access={access}
              actions={flagActions}
            />
          )}
        </ListPage>
      )}
    </Page>
  );
}
