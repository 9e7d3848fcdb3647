import type { Metadata } from "next";
import { LoadDemo } from "#components/demo/load_demo.tsx";
import { EmptyProject } from "#components/feature_flags/empty_project.tsx";
import { FlagList } from "#components/feature_flags/flag_list.tsx";
import { ListFilters } from "#components/feature_flags/list_filters.tsx";
import { listItemOf } from "#components/feature_flags/list_item.ts";
import {
  apiQuery,
  listHref,
  noFilters,
  PAGE_SIZE,
  readListQuery,
} from "#components/feature_flags/list_query.ts";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { CreateButton } from "#components/list/create_button.tsx";
import { ListPage } from "#components/list/list_page.tsx";
import type { SearchParams } from "#components/list/search_params.ts";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { accessTo, permitted } from "#lib/dashboard/permitted.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import { usageContract } from "#lib/feature_flags/usage_contract.ts";
import { loadDemo } from "../demo/actions.ts";
import { flagActions } from "./flag_actions.ts";
import { accessOf, namesFor, projectToken, remoteBase } from "./reads.ts";

export const metadata: Metadata = { title: "Feature flags" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function FeatureFlagsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = readListQuery(await searchParams);
  const api = await getApi();
  const [found, access, usage] = await Promise.all([
    api.call(flagContract.list, { params: { project_id }, query: apiQuery(query) }),
    accessOf(),
    permitted(api.call(usageContract.all_usage, { params: { project_id }, query: {} })),
  ]);
  const names = await namesFor(api, project_id, found.results);
  const isEmpty = found.count === 0 && noFilters(query);
  const now = Date.now();
  return (
    <Page>
      <PageHeader
        title="Feature flags"
        description="Who gets which part of the product, decided at every request."
        actions={
          isEmpty || !access.may_write ? null : (
            <CreateButton
              href={`/project/${project_id}/feature_flags/new`}
              label="New flag"
              group="Feature flags"
            />
          )
        }
      />
      <ReadOnlyNote access={access} />
      {isEmpty ? (
        <EmptyProject
          projectId={project_id}
          token={await projectToken(api, project_id)}
          apiBase={await remoteBase()}
          access={access}
        >
          <LoadDemo
            projectId={project_id}
            access={await accessTo("project:write", "make projects")}
            load={loadDemo}
          />
        </EmptyProject>
      ) : (
        <ListPage
          words={{
            one: "flag",
            many: "flags",
            nothingContains: "Neither a key nor a description contains",
          }}
          count={found.count}
          query={query}
          limit={PAGE_SIZE}
          hrefFor={(offset) => listHref(project_id, query, { offset })}
          clearedHref={listHref(project_id, query, {
            search: "",
            status: "",
            type: "",
            runtime: "",
            tags: [],
            creators: [],
          })}
          filters={<ListFilters projectId={project_id} query={query} />}
        >
          {found.results.length === 0 ? null : (
            <FlagList
              projectId={project_id}
              items={found.results.map((flag) => listItemOf(flag, names, now, usage))}
              names={names}
              query={query}
              access={access}
              actions={flagActions}
            />
          )}
        </ListPage>
      )}
    </Page>
  );
}
