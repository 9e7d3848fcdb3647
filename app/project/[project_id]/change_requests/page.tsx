import { GitPullRequest, Lock } from "lucide-react";
import type { Metadata } from "next";
import { requestList } from "#components/change_requests/request-list.ts";
import { RequestTable } from "#components/change_requests/request-table.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";

export const metadata: Metadata = { title: "Change requests" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function ChangeRequestsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = requestList.read(await searchParams);
  const { api } = await requireWho();
  const found = await permitted(
    api.call(changeRequestContract.list, {
      params: { project_id },
      query: {
        limit: String(requestList.pageSize),
        offset: String(query.offset),
        ...(query.of === "all" ? {} : { state: "pending,approved" }),
      },
    }),
  );
  return (
    <Page>
      <PageHeader
        title="Change requests"
        description="Changes that await approval, and what became of earlier ones."
        tabs={
          <TabLinks
            label="Which requests"
            tabs={requestList.params.of.options.map(({ value, label }) => ({
              label,
              href: requestList.href(project_id, query, { of: value }),
              current: query.of === value,
            }))}
          />
        }
      />
      {found === null ? (
        <EmptyState icon={Lock} title="Your API key cannot read change requests">
          Sign in with a key that has the scope feature_flag:read.
        </EmptyState>
      ) : found.results.length === 0 ? (
        <EmptyState icon={GitPullRequest} title="No change awaits approval">
          When a policy requires approval, saving a change creates a request here. You can also propose a
          change yourself.
        </EmptyState>
      ) : (
        <>
          <RequestTable projectId={project_id} requests={found.results} />
          <Pagination
            offset={query.offset}
            limit={requestList.pageSize}
            count={found.count}
            noun={found.count === 1 ? "request" : "requests"}
            hrefFor={(offset) => requestList.href(project_id, query, { offset })}
          />
        </>
      )}
    </Page>
  );
}
