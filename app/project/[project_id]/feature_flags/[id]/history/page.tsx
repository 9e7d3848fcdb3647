import { Lock } from "lucide-react";
import type { Route } from "next";
import { VersionList } from "#components/feature_flags/detail/version-list.tsx";
import { ScheduleList } from "#components/feature_flags/schedules/schedule-list.tsx";
import { type SearchParams, whole } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import { flagActions } from "../../flag-actions.ts";
import { schedulesOf } from "../../reads.ts";
import { FlagFrame, type FlagPageContent, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

type Props = FlagPageProps & { searchParams: Promise<SearchParams> };

const PAGE_SIZE = 20;

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "History");

export default async function HistoryPage({ params, searchParams }: Props) {
  const offset = whole((await searchParams).offset, 0);
  return (
    <FlagFrame params={params} current="history">
      {(content) => (
        <div className="flex flex-col gap-4">
          {offset === 0 ? <PastSchedules {...content} /> : null}
          <Versions {...content} offset={offset} />
        </div>
      )}
    </FlagFrame>
  );
}

const PAST_SHOWN = 10;

async function PastSchedules({ projectId, flag, names, access }: FlagPageContent) {
  const all = await schedulesOf(await getApi(), projectId, flag.id);
  const schedules = all
    .filter(({ executed_at }) => executed_at !== null)
    .toSorted((a, b) => (b.executed_at ?? "").localeCompare(a.executed_at ?? ""))
    .slice(0, PAST_SHOWN);
  return (
    <ScheduleList
      title="Scheduled changes that have ended"
      {...{ projectId, flag, names, access, schedules }}
      actions={flagActions}
    />
  );
}

async function Versions({ offset, ...content }: FlagPageContent & { offset: number }) {
  const { projectId, flag } = content;
  const api = await getApi();
  const found = await permitted(
    api.call(versionsContract.versions, {
      params: { project_id: projectId, id: String(flag.id) },
      query: { limit: String(PAGE_SIZE), offset: String(offset) },
    }),
  );
  if (!found)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read the activity log">
        Sign in with a key that has the scope activity_log:read.
      </EmptyState>
    );
  const own = `/project/${projectId}/feature_flags/${flag.id}/history`;
  return (
    <>
      <VersionList {...content} versions={found.results} actions={flagActions} />
      <Pagination
        offset={offset}
        limit={PAGE_SIZE}
        count={found.count}
        noun={found.count === 1 ? "version" : "versions"}
        hrefFor={(at) => `${own}?offset=${at}` as Route}
      />
    </>
  );
}
