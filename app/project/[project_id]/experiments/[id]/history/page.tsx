import { History, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Log } from "#components/activity/log.tsx";
import { readExperimentEntry } from "#components/experiments/history-words.ts";
import { ExperimentHeader } from "#components/experiments/running/header.tsx";
import { type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { experimentActions } from "../../experiment-actions.ts";
import { experimentAccess, experimentBy } from "../../reads.ts";

export const metadata: Metadata = { title: "Experiment history" };

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
        <EmptyState icon={Lock} title="Your API key cannot read the activity log">
          Sign in with a key that has the scope activity_log:read.
        </EmptyState>
      ) : log.results.length === 0 ? (
        <EmptyState icon={History} title="Nothing on this page">
          The history ends before this page.
        </EmptyState>
      ) : (
        <Log
          projectId={project_id}
          entries={log.results}
          names={{}}
          timeZone={timeZone}
          now={Date.now()}
          read={readExperimentEntry}
        />
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
