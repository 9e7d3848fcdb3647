import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { VersionList } from "#components/feature_flags/detail/version-list.tsx";
import { type SearchParams, whole } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import { flagActions } from "../../flag-actions.ts";
import { accessOf, flagById, readFormNames } from "../../reads.ts";

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

const PAGE_SIZE = 20;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  const flag = await flagById(await getApi(), project_id, id);
  return { title: flag ? `History of ${flag.key}` : "Feature flag" };
}

export default async function HistoryPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const flag = await flagById(api, project_id, id);
  if (!flag) notFound();
  const offset = whole((await searchParams).offset, 0);
  const [found, access, names] = await Promise.all([
    permitted(
      api.call(versionsContract.versions, {
        params: { project_id, id: String(flag.id) },
        query: { limit: String(PAGE_SIZE), offset: String(offset) },
      }),
    ),
    accessOf(),
    readFormNames(api, project_id, flag),
  ]);
  const list = `/project/${project_id}/feature_flags` as Route;
  const own = `${list}/${flag.id}` as Route;
  return (
    <Page>
      <PageHeader
        crumbs={[
          { label: "Feature flags", href: list },
          { label: flag.key, href: own },
        ]}
        title="History"
        description={`Every version of ${flag.key}: who saved it, what it changed, and how to revert to it.`}
      />
      {found ? (
        <>
          <VersionList
            projectId={project_id}
            flag={flag}
            versions={found.results}
            names={names}
            access={access}
            actions={flagActions}
          />
          <Pagination
            offset={offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "version" : "versions"}
            hrefFor={(at) => `${own}/history?offset=${at}` as Route}
          />
        </>
      ) : (
        <EmptyState icon={Lock} title="Your API key cannot read the activity log">
          Sign in with a key that has the scope activity_log:read.
        </EmptyState>
      )}
    </Page>
  );
}
