import { Lock } from "lucide-react";
import type { Route } from "next";
import { VersionList } from "#components/feature_flags/detail/version-list.tsx";
import { RampCard } from "#components/feature_flags/ramps/ramp-card.tsx";
import { ScheduleList } from "#components/feature_flags/schedules/schedule-list.tsx";
import {
  ChooseVersions,
  type Chosen,
  ComparedVersions,
} from "#components/feature_flags/versions/compare-versions.tsx";
import { filtersOfVersion } from "#components/feature_flags/versions/version-filters.ts";
import { type SearchParams, whole } from "#components/kit/list/search-params.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import { flagActions } from "../../flag-actions.ts";
import { namesFor, rampsOf, schedulesOf } from "../../reads.ts";
import { FlagFrame, type FlagPageContent, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

type Props = FlagPageProps & { searchParams: Promise<SearchParams> };

const PAGE_SIZE = 20;

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "History");

export default async function HistoryPage({ params, searchParams }: Props) {
  const query = await searchParams;
  const offset = whole(query.offset, 0);
  const [from, to] = [whole(query.from, 0), whole(query.to, 0)];
  const chosen = from > 0 && to > 0 ? { from, to } : null;
  return (
    <FlagFrame params={params} current="history">
      {(content) => (
        <div className="flex flex-col gap-4">
          {offset === 0 ? (
            <>
              <PastRamps {...content} />
              <Schedules {...content} named={whole(query.schedule, 0)} />
            </>
          ) : null}
          <Versions {...content} offset={offset} chosen={chosen} />
        </div>
      )}
    </FlagFrame>
  );
}

const PAST_SHOWN = 10;

async function PastRamps({ projectId, flag, access }: FlagPageContent) {
  const ramps = await rampsOf(await getApi(), projectId, flag.id);
  return ramps
    .filter(({ ended_at }) => ended_at !== null)
    .slice(0, PAST_SHOWN)
    .map((ramp) => <RampCard key={ramp.id} {...{ projectId, ramp, access }} actions={flagActions} />);
}

/** What has ended, and the one that the address names, wherever it is on its way. */
async function Schedules({ named, ...content }: FlagPageContent & { named: number }) {
  const { projectId, flag, names, access } = content;
  const all = await schedulesOf(await getApi(), projectId, flag.id);
  const ended = all
    .filter(({ executed_at }) => executed_at !== null)
    .toSorted((a, b) => (b.executed_at ?? "").localeCompare(a.executed_at ?? ""));
  const shared = { projectId, flag, names, access, actions: flagActions };
  return (
    <>
      <ScheduleList
        {...shared}
        title="Scheduled changes"
        schedules={all.filter(({ id, executed_at }) => id === named && executed_at === null)}
      />
      <ScheduleList
        {...shared}
        title="Scheduled changes that have ended"
        schedules={ended.filter(({ id }, place) => place < PAST_SHOWN || id === named)}
      />
    </>
  );
}

type VersionsProps = FlagPageContent & { offset: number; chosen: Chosen | null };

async function Versions({ offset, chosen, ...content }: VersionsProps) {
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
    <div className="flex flex-col gap-4">
      {flag.version > 1 ? <ChooseVersions path={own} newest={flag.version} chosen={chosen} /> : null}
      {chosen ? <Comparison {...content} chosen={chosen} /> : null}
      <VersionList {...content} versions={found.results} actions={flagActions} />
      <Pagination
        offset={offset}
        limit={PAGE_SIZE}
        count={found.count}
        noun={found.count === 1 ? "version" : "versions"}
        hrefFor={(at) => `${own}?offset=${at}` as Route}
      />
    </div>
  );
}

async function Comparison({ projectId, flag, chosen: { from, to } }: FlagPageContent & { chosen: Chosen }) {
  const api = await getApi();
  const { results } = await api.call(versionsContract.versions, {
    params: { project_id: projectId, id: String(flag.id) },
    query: { versions: `${from},${to}` },
  });
  const at = (number: number) => results.find(({ version }) => version === number);
  const [before, after] = [at(from), at(to)];
  if (!before || !after)
    return (
      <Callout tone="warning" title={`Version ${before ? to : from} is not in the activity log`}>
        Choose another version.
      </Callout>
    );
  const both = [before, after].map((version) => ({ filters: filtersOfVersion(version) }));
  const names = await namesFor(api, projectId, [flag, ...both]);
  return <ComparedVersions {...{ projectId, flag, before, after, names }} />;
}
