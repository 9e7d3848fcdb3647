import type { Route } from "next";
import { Suspense } from "react";
import { PlannedRequests } from "#components/change_requests/planned-requests.tsx";
import { CleanUp } from "#components/feature_flags/clean_up/clean-up.tsx";
import { ActivityList } from "#components/feature_flags/detail/activity-list.tsx";
import { FlagFacts } from "#components/feature_flags/detail/flag-facts.tsx";
import { UsageChart } from "#components/feature_flags/detail/usage-chart.tsx";
import { WhoGetsIt } from "#components/feature_flags/detail/who-gets-it.tsx";
import { staleReason } from "#components/feature_flags/list-item.ts";
import { PinList } from "#components/feature_flags/pins/pin-list.tsx";
import { RampCard } from "#components/feature_flags/ramps/ramp-card.tsx";
import { ScheduleList } from "#components/feature_flags/schedules/schedule-list.tsx";
import { SavedTestPanel } from "#components/feature_flags/tester/saved-test-panel.tsx";
import { ReceiptCard } from "#components/sdk_instances/receipt-card.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import { needsCleanUp } from "#lib/flags/feature_flags/clean-up.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { type Names, variantsOf } from "#lib/people/conditions/words.ts";
import { requestActions } from "../../change_requests/request-actions.ts";
import { NotifyMe } from "../../inbox/notify-me.tsx";
import { flagActions } from "../flag-actions.ts";
import { activityOf, callersOf, pinsOf, rampsOf, receiptOf, schedulesOf, usageOf } from "../reads.ts";
import {
  FlagFrame,
  type FlagPageContent,
  type FlagPageProps,
  flagTitle,
  WaitingCard,
} from "./flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props);

type Of = { projectId: string; flag: FlagRecord };

const pageOf = ({ projectId, flag }: Of, view: string) =>
  `/project/${projectId}/feature_flags/${flag.id}/${view}` as Route;

export default function FlagPage({ params }: FlagPageProps) {
  return (
    <FlagFrame params={params} current="overview">
      {(content) => (
        <div className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_23rem]">
          <div className="flex min-w-0 flex-col gap-5">
            {needsCleanUp({ flag: content.flag, now: Date.now() }) ? (
              <Suspense fallback={<WaitingCard title="Clean up" />}>
                <WhatToCleanUp {...content} />
              </Suspense>
            ) : null}
            <Suspense>
              <Pins {...content} />
            </Suspense>
            <Suspense>
              <LatestRamp {...content} />
            </Suspense>
            <Suspense>
              <Schedules {...content} />
            </Suspense>
            <Suspense>
              <Planned {...content} />
            </Suspense>
            <WhoGetsIt projectId={content.projectId} flag={content.flag} names={content.names} />
            <Suspense fallback={<WaitingCard title="Usage" />}>
              <Usage {...content} />
            </Suspense>
            <Suspense fallback={<WaitingCard title="Recent changes" />}>
              <Activity {...content} />
            </Suspense>
          </div>
          <aside className="flex min-w-0 flex-col gap-5" aria-label="About this flag">
            <Suspense>
              <NotifyMe projectId={content.projectId} type="feature_flag" id={String(content.flag.id)} />
            </Suspense>
            <Suspense fallback={<WaitingCard title="Delivery" />}>
              <Delivery {...content} />
            </Suspense>
            <Suspense fallback={<WaitingCard title="About" />}>
              <About {...content} />
            </Suspense>
            <SavedTestPanel {...content} actions={flagActions} />
          </aside>
        </div>
      )}
    </FlagFrame>
  );
}

/** Over how many days the calls of a stale flag are shown. */
const STALE_DAYS = 90;

async function WhatToCleanUp(content: FlagPageContent) {
  const { projectId, flag } = content;
  const api = await getApi();
  const params = { project_id: projectId, id: String(flag.id) };
  const [callers, dependents] = await Promise.all([
    callersOf(api, projectId, flag.id, String(STALE_DAYS)),
    permitted(api.call(flagContract.dependents, { params })),
  ]);
  const now = Date.now();
  return (
    <CleanUp
      {...content}
      actions={flagActions}
      stale={staleReason(flag, now)}
      callers={callers}
      days={STALE_DAYS}
      dependents={dependents ?? []}
      now={now}
    />
  );
}

/** For how long a ramp that has ended is shown here. */
const RAMP_SHOWN_MS = 7 * 86_400_000;

/** The ramp that runs, or what became of the last one. */
async function LatestRamp({ projectId, flag, access }: FlagPageContent) {
  const [ramp] = await rampsOf(await getApi(), projectId, flag.id);
  if (!ramp || (ramp.ended_at && Date.now() - Date.parse(ramp.ended_at) > RAMP_SHOWN_MS)) return null;
  return <RampCard key={ramp.id} {...{ projectId, ramp, access }} actions={flagActions} />;
}

async function Pins({ projectId, flag, timezone, access }: FlagPageContent) {
  const pins = await pinsOf(await getApi(), projectId, flag.id);
  return <PinList {...{ projectId, flag, pins, timezone, access }} actions={flagActions} />;
}

/** What is still to come, and what failed since the flag was last changed. */
async function Schedules({ projectId, flag, names, access }: FlagPageContent) {
  const all = await schedulesOf(await getApi(), projectId, flag.id);
  const changed = Date.parse(flag.updated_at ?? flag.created_at);
  const schedules = all
    .filter(
      ({ executed_at, failure_reason }) =>
        executed_at === null || (failure_reason !== null && Date.parse(executed_at) > changed),
    )
    .toSorted((a, b) => a.scheduled_at.localeCompare(b.scheduled_at));
  return (
    <ScheduleList
      title="Scheduled changes"
      {...{ projectId, flag, names, access, schedules }}
      actions={flagActions}
    />
  );
}

/** Change requests that change the flag at a moment. */
async function Planned({ projectId, flag, timezone, access }: FlagPageContent) {
  const api = await getApi();
  const found = await permitted(
    api.call(changeRequestContract.list, {
      params: { project_id: projectId },
      query: { state: "pending,approved", writes: `feature_flag/${flag.id}` },
    }),
  );
  const requests = (found?.results ?? [])
    .filter(({ apply_at }) => apply_at !== null)
    .toSorted((a, b) => (a.apply_at ?? "").localeCompare(b.apply_at ?? ""));
  return <PlannedRequests {...{ projectId, requests, timezone, access }} actions={requestActions} />;
}

/** Whether the latest change has reached the SDKs that evaluate the flag themselves. */
async function Delivery({ projectId, flag }: Of) {
  const receipt = await receiptOf(await getApi(), projectId, flag.id);
  return receipt && <ReceiptCard key={flag.version} projectId={projectId} receipt={receipt} />;
}

async function Usage({ projectId, flag }: Of) {
  const usage = await usageOf(await getApi(), projectId, flag.id);
  if (!usage) return null;
  return (
    <Card
      title="Usage"
      actions={
        <TextLink href={pageOf({ projectId, flag }, "usage")} className="text-xs">
          Usage and code
        </TextLink>
      }
    >
      <UsageChart
        usage={usage}
        variants={variantsOf(flag.filters).map((variant) => variant.key)}
        height={140}
      />
    </Card>
  );
}

async function About({ projectId, flag }: Of) {
  const params = { project_id: projectId, id: String(flag.id) };
  const dependents = await permitted((await getApi()).call(flagContract.dependents, { params }));
  return <FlagFacts projectId={projectId} flag={flag} dependents={dependents ?? []} />;
}

async function Activity({ projectId, flag, names }: Of & { names: Names }) {
  const found = await activityOf(await getApi(), projectId, flag.id);
  return (
    <Card
      title="Recent changes"
      actions={
        <TextLink href={pageOf({ projectId, flag }, "history")} className="text-xs">
          {`All versions${found ? ` (${flag.version})` : ""}`}
        </TextLink>
      }
    >
      {found ? (
        <ActivityList projectId={projectId} entries={found.results} names={names} />
      ) : (
        <p className="text-muted text-sm">Your API key cannot read the activity log (activity_log:read).</p>
      )}
    </Card>
  );
}
