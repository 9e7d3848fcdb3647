import { FilterX, History, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { apiLogQuery, type LogQuery, logList } from "#components/activity/activity-query.ts";
import { AuditStrip } from "#components/activity/audit-strip.tsx";
import { Log } from "#components/activity/log.tsx";
import { LogFilters } from "#components/activity/log-filters.tsx";
import { readExperimentEntry } from "#components/experiments/history-words.ts";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { activityContract } from "#lib/activity/contract.ts";
import { referencesIn } from "#lib/app/activity/differences.ts";
import { namesIn } from "#lib/app/activity/names.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { auditContract } from "#lib/audit/contract.ts";
import { SURVEY_FLAG_PREFIX } from "#lib/flags/feature_flags/schema.ts";
import { verifyLog } from "./actions.ts";

export const metadata: Metadata = { title: "Activity" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const headerOf = (projectId: string) => (
  <PageHeader
    title="Activity"
    description="Who changed what in this project, with the values before and after."
    actions={
      <ButtonLink href={`/project/${projectId}/feature_flags/past` as Route} icon={History}>
        Flags at a point in time
      </ButtonLink>
    }
  />
);

export default async function ActivityPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = logList.read(await searchParams);
  const { who, api } = await requireWho();
  const timeZone = who.projects.find((each) => String(each.id) === project_id)?.timezone ?? "UTC";
  const [found, occurring, audit, access] = await Promise.all([
    permitted(
      api.call(activityContract.list, {
        params: { project_id },
        query: {
          ...apiLogQuery(query, timeZone),
          // What happens to them follows from changes of their surveys, which the log shows.
          exclude_name_prefix: query.item_id ? undefined : SURVEY_FLAG_PREFIX,
        },
      }),
    ),
    permitted(api.call(activityContract.available_filters, { params: { project_id } })),
    permitted(api.call(auditContract.status, { params: { project_id } })),
    accessTo("activity_log:write", "verify the audit log"),
  ]);
  if (!found)
    return (
      <Page width="wide">
        {headerOf(project_id)}
        <EmptyState icon={Lock} title="Your API key cannot read the activity log">
          Sign in with a key that has the scope activity_log:read.
        </EmptyState>
      </Page>
    );
  const names = await namesIn(api, project_id, referencesIn(found.results));
  return (
    <Page width="wide">
      {headerOf(project_id)}
      {audit ? <AuditStrip projectId={project_id} status={audit} access={access} verify={verifyLog} /> : null}
      <LogFilters
        projectId={project_id}
        query={query}
        occurring={occurring ?? { scopes: [], activities: [], users: [] }}
        record={query.item_id ? (found.results[0]?.detail.name ?? null) : null}
      />
      {found.results.length > 0 ? (
        <Log
          projectId={project_id}
          entries={found.results}
          names={names}
          timeZone={timeZone}
          now={Date.now()}
          read={readExperimentEntry}
        />
      ) : (
        <Nothing projectId={project_id} query={query} count={found.total_count} />
      )}
      <Pagination
        offset={(query.page - 1) * logList.pageSize}
        limit={logList.pageSize}
        count={found.total_count}
        noun={found.total_count === 1 ? "entry" : "entries"}
        hrefFor={(offset) => logList.href(project_id, query, { page: offset / logList.pageSize + 1 })}
      />
    </Page>
  );
}

function Nothing({ projectId, query, count }: { projectId: string; query: LogQuery; count: number }) {
  if (count > 0)
    return (
      <EmptyState
        icon={FilterX}
        title="Page not found"
        actions={<ButtonLink href={logList.href(projectId, query, {})}>Go to the first page</ButtonLink>}
      >
        {`The log has only ${count} matching entries.`}
      </EmptyState>
    );
  if (!logList.isFiltered(query))
    return (
      <EmptyState icon={History} title="No activity yet">
        Every change to flags, cohorts, keys, members and the project is recorded here: who made it, when, and
        the value before.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={FilterX}
      title="Nothing matches"
      actions={
        <ButtonLink href={logList.address(projectId, logList.clear(query))}>
          Clear search and filters
        </ButtonLink>
      }
    >
      No entries match this search and these filters.
    </EmptyState>
  );
}
