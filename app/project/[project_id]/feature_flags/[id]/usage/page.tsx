import { Lock } from "lucide-react";
import type { Route } from "next";
import { Suspense } from "react";
import { CallList } from "#components/feature_flags/detail/call-list.tsx";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import { UsageChart } from "#components/feature_flags/detail/usage-chart.tsx";
import { kindOf } from "#components/feature_flags/list-item.ts";
import { one, type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { projectToken, readRemoteBase, usageOf } from "../../reads.ts";
import { FlagFrame, type FlagPageProps, flagTitle, WaitingCard } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Usage");

type Of = { projectId: string; flag: FlagRecord };

type Props = FlagPageProps & { searchParams: Promise<SearchParams> };

export default function UsagePage({ params, searchParams }: Props) {
  return (
    <FlagFrame params={params} current="usage">
      {({ projectId, flag }) => (
        <div className="flex flex-col gap-5">
          <Suspense fallback={<WaitingCard title="Calls" />}>
            <Calls projectId={projectId} flag={flag} />
          </Suspense>
          <Suspense fallback={<WaitingCard title="Latest calls" />}>
            <LatestCalls projectId={projectId} flag={flag} searchParams={searchParams} />
          </Suspense>
          <Suspense fallback={<WaitingCard title="In code" />}>
            <InCode projectId={projectId} flag={flag} />
          </Suspense>
        </div>
      )}
    </FlagFrame>
  );
}

async function Calls({ projectId, flag }: Of) {
  const usage = await usageOf(await getApi(), projectId, flag.id);
  if (!usage)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read usage">
        Sign in with a key that has the scope feature_flag:read.
      </EmptyState>
    );
  return (
    <Card title="Calls" description="Reported by SDKs, by day in UTC.">
      <UsageChart usage={usage} variants={variantsOf(flag.filters).map((variant) => variant.key)} />
    </Card>
  );
}

const CALLS = "20";

async function LatestCalls({ projectId, flag, searchParams }: Of & Pick<Props, "searchParams">) {
  const before = one((await searchParams).before);
  const api = await getApi();
  const found = await permitted(
    api.call(eventContract.list, {
      params: { project_id: projectId },
      query: { feature_flag: flag.key, limit: CALLS, before: before || undefined },
    }),
  );
  const cursor = found?.next && new URL(found.next).searchParams.get("before");
  const at = (value?: string) =>
    withQuery(`/project/${projectId}/feature_flags/${flag.id}/usage`, { before: value }) as Route;
  return (
    <Card title="Latest calls" description="The events that the figures are counted from.">
      {found ? (
        <CallList
          projectId={projectId}
          calls={found.results}
          older={cursor ? at(cursor) : null}
          latest={before ? at() : null}
          deleted_before={found.deleted_before}
          unreadable={found.unreadable}
        />
      ) : (
        <p className="text-muted text-sm">
          Your API key cannot read events. Sign in with a key that has the scope person:read.
        </p>
      )}
    </Card>
  );
}

async function InCode({ projectId, flag }: Of) {
  const [token, apiBase] = await Promise.all([projectToken(await getApi(), projectId), readRemoteBase()]);
  return (
    <Card title="In code" description="With this project’s token and the address of this service.">
      <Snippets token={token} flagKey={flag.key} kind={kindOf(flag)} apiBase={apiBase} />
    </Card>
  );
}
