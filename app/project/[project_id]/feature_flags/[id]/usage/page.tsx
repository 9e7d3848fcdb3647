import { Lock } from "lucide-react";
import { Suspense } from "react";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import { UsageChart } from "#components/feature_flags/detail/usage-chart.tsx";
import { kindOf } from "#components/feature_flags/list-item.ts";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { getApi } from "#lib/app/session/api.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import { projectToken, readRemoteBase, usageOf } from "../../reads.ts";
import { FlagFrame, type FlagPageProps, flagTitle, WaitingCard } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Usage");

type Of = { projectId: string; flag: FlagRecord };

export default function UsagePage({ params }: FlagPageProps) {
  return (
    <FlagFrame params={params} current="usage">
      {({ projectId, flag }) => (
        <div className="flex flex-col gap-5">
          <Suspense fallback={<WaitingCard title="Calls" />}>
            <Calls projectId={projectId} flag={flag} />
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

async function InCode({ projectId, flag }: Of) {
  const [token, apiBase] = await Promise.all([projectToken(await getApi(), projectId), readRemoteBase()]);
  return (
    <Card title="In code" description="With this project’s token and the address of this service.">
      <Snippets token={token} flagKey={flag.key} kind={kindOf(flag)} apiBase={apiBase} />
    </Card>
  );
}
