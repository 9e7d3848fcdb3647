import { History, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Log } from "#components/activity/log.tsx";
import { ExperimentHeader } from "#components/experiments/header.tsx";
import { type SearchParams, whole, withQuery } from "#components/list/search_params.ts";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { permitted } from "#lib/dashboard/permitted.ts";
import { requireWho } from "#lib/dashboard/who.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import { experimentAccess, experimentActions, experimentBy } from "../../reads.ts";

export const metadata: Metadata = { title: "History of an experiment" };

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

const PAGE_SIZE = 50;

export default async function HistoryPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const page = whole((await searchParams).page, 1);
  const { who, api } = await requireWho();
  const [experiment, access] = await Promise.all([experimentBy(api, project_id, id), experimentAccess()]);
  if (!experiment) notFound();
  const log = await permitted(
    api.call(experimentContract.activity, {
      params: { project_id, id },
      query: { limit: String(PAGE_SIZE), page: String(page) },
    }),
  );
  const here = `/project/${project_id}/experiments/${id}/history`;
  const timeZone = who.projects.find((each) => String(each.id) === project_id)?.timezone ?? "UTC";
  return (
    <Page>
      <ExperimentHeader
        projectId={project_id}
        experiment={experiment}
        current="history"
        access={access}
        actions={experimentActions}
      />
      {!log ? (
        <EmptyState icon={Lock} title="Your API key may not read the activity log">
          Sign in with a key that has the scope activity_log:read.
        </EmptyState>
      ) : log.results.length === 0 ? (
        <EmptyState icon={History} title="Nothing on this page">
          The history has fewer entries than this page starts at.
        </EmptyState>
      ) : (
        <Log projectId={project_id} entries={log.results} names={{}} timeZone={timeZone} now={Date.now()} />
      )}
      {log && log.total_count > PAGE_SIZE ? (
        <Pagination
          offset={(page - 1) * PAGE_SIZE}
          limit={PAGE_SIZE}
          count={log.total_count}
          noun="entries"
          hrefFor={(offset) => withQuery(here, { page: offset / PAGE_SIZE + 1 || undefined }) as Route}
        />
      ) : null}
    </Page>
  );
}
