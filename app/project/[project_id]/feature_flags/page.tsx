import { FilterX, Plus } from "lucide-react";
import type { Metadata, Route } from "next";
import { LoadDemo } from "#components/demo/load_demo.tsx";
import { EmptyProject } from "#components/feature_flags/empty_project.tsx";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { FlagList } from "#components/feature_flags/flag_list.tsx";
import { ListFilters } from "#components/feature_flags/list_filters.tsx";
import { listItemOf } from "#components/feature_flags/list_item.ts";
import {
  apiQuery,
  type ListQuery,
  listHref,
  noFilters,
  PAGE_SIZE,
  readListQuery,
} from "#components/feature_flags/list_query.ts";
import { NewFlagShortcut } from "#components/feature_flags/new_flag_shortcut.tsx";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { accessTo, permitted } from "#lib/dashboard/permitted.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import { usageContract } from "#lib/feature_flags/usage_contract.ts";
import { loadDemo } from "../demo/actions.ts";
import { flagActions } from "./flag_actions.ts";
import { accessOf, namesFor, projectToken, remoteBase } from "./reads.ts";

export const metadata: Metadata = { title: "Feature flags" };

type Props = {
  params: Promise<{ project_id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

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
        actions={isEmpty ? null : <NewFlag projectId={project_id} access={access} />}
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
        <>
          <ListFilters projectId={project_id} query={query} />
          {found.results.length === 0 ? (
            <NoMatch projectId={project_id} query={query} count={found.count} />
          ) : (
            <FlagList
              projectId={project_id}
              items={found.results.map((flag) => listItemOf(flag, names, now, usage))}
              names={names}
              query={query}
              access={access}
              actions={flagActions}
            />
          )}
          <Pagination
            offset={query.offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "flag" : "flags"}
            hrefFor={(offset) => listHref(project_id, query, { offset })}
          />
        </>
      )}
    </Page>
  );
}

function NewFlag({ projectId, access }: { projectId: string; access: Access }) {
  const href = `/project/${projectId}/feature_flags/new` as Route;
  return access.may_write ? (
    <>
      <NewFlagShortcut href={href} />
      <ButtonLink href={href} variant="primary" icon={Plus}>
        New flag
      </ButtonLink>
    </>
  ) : null;
}

function NoMatch({ projectId, query, count }: { projectId: string; query: ListQuery; count: number }) {
  const beyond = count > 0;
  const cleared = { search: "", status: "", type: "", runtime: "", tags: [], creators: [] } as const;
  return (
    <EmptyState
      icon={FilterX}
      title={beyond ? "There is no such page" : "No flag matches"}
      actions={
        <ButtonLink
          href={
            beyond
              ? listHref(projectId, query)
              : listHref(projectId, query, { ...cleared, tags: [], creators: [] })
          }
        >
          {beyond ? "To the first page" : "Clear search and filters"}
        </ButtonLink>
      }
    >
      {beyond
        ? `The list has ${count} flags, fewer than this page starts at.`
        : query.search
          ? `Neither a key nor a description contains “${query.search}” within these filters.`
          : "None of the project's flags fits these filters."}
    </EmptyState>
  );
}
