import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Suspense } from "react";
import { ActivityList } from "#components/feature_flags/detail/activity-list.tsx";
import { FlagFacts } from "#components/feature_flags/detail/flag-facts.tsx";
import { FlagHeader } from "#components/feature_flags/detail/flag-header.tsx";
import { RestoreNote } from "#components/feature_flags/detail/restore-note.tsx";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import { UnreadableTargeting } from "#components/feature_flags/detail/unreadable-targeting.tsx";
import { UsageChart } from "#components/feature_flags/detail/usage-chart.tsx";
import { FlagForm } from "#components/feature_flags/flag-form.tsx";
import { kindOf, staleReason } from "#components/feature_flags/list-item.ts";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { usageContract } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { type Names, variantsOf } from "#lib/people/conditions/words.ts";
import { flagActions } from "../flag-actions.ts";
import { accessOf, activityOf, flagById, projectToken, readFormNames, readRemoteBase } from "../reads.ts";

type Props = { params: Promise<{ project_id: string; id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  const flag = await flagById(await getApi(), project_id, id);
  return { title: flag?.key ?? "Feature flag" };
}

export default async function FlagPage({ params }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const flag = await flagById(api, project_id, id);
  if (!flag) notFound();
  const [access, names, token, apiBase] = await Promise.all([
    accessOf(),
    readFormNames(api, project_id, flag),
    projectToken(api, project_id),
    readRemoteBase(),
  ]);
  return (
    <Page>
      <FlagHeader
        projectId={project_id}
        flag={flag}
        names={names}
        stale={staleReason(flag, Date.now())}
        access={access}
        actions={flagActions}
      />
      <ReadOnlyNote access={access} />
      <UnreadableTargeting flag={flag} />
      {flag.deleted ? (
        <RestoreNote
          projectId={project_id}
          id={flag.id}
          flagKey={flag.key}
          access={access}
          actions={flagActions}
        />
      ) : null}
      <FlagForm
        key={flag.id}
        projectId={project_id}
        flag={flag}
        names={names}
        access={access}
        actions={flagActions}
      >
        <Card title="In code">
          <Snippets token={token} flagKey={flag.key} kind={kindOf(flag)} apiBase={apiBase} />
        </Card>
        <Suspense fallback={<Waiting title="About" />}>
          <About projectId={project_id} flag={flag} />
        </Suspense>
        <Suspense fallback={<Waiting title="Recent activity" />}>
          <Activity projectId={project_id} flag={flag} names={names} />
        </Suspense>
      </FlagForm>
      <Suspense fallback={<Waiting title="Usage" />}>
        <Usage projectId={project_id} flag={flag} />
      </Suspense>
    </Page>
  );
}

function Waiting({ title }: { title: string }) {
  return (
    <Card title={title}>
      <div role="status" aria-label={`Reading: ${title}`} className="flex flex-col gap-2">
        <Skeleton className="h-3 w-4/5" />
        <Skeleton className="h-3 w-3/5" />
      </div>
    </Card>
  );
}

async function Usage({ projectId, flag }: { projectId: string; flag: FlagRecord }) {
  const api = await getApi();
  const params = { project_id: projectId, id: String(flag.id) };
  const usage = await permitted(api.call(usageContract.usage, { params, query: {} }));
  if (!usage) return null;
  return (
    <Card title="Usage" description="Calls reported by SDKs, by day in UTC." className="mt-5">
      <UsageChart usage={usage} variants={variantsOf(flag.filters).map((variant) => variant.key)} />
    </Card>
  );
}

async function About({ projectId, flag }: { projectId: string; flag: FlagRecord }) {
  const params = { project_id: projectId, id: String(flag.id) };
  const dependents = await permitted((await getApi()).call(flagContract.dependents, { params }));
  return <FlagFacts projectId={projectId} flag={flag} dependents={dependents ?? []} />;
}

async function Activity({ projectId, flag, names }: { projectId: string; flag: FlagRecord; names: Names }) {
  const found = await activityOf(await getApi(), projectId, flag.id);
  return (
    <Card
      title="Recent activity"
      actions={
        found ? (
          <TextLink
            href={`/project/${projectId}/feature_flags/${flag.id}/history` as Route}
            className="text-xs"
          >
            {`History (${found.total_count})`}
          </TextLink>
        ) : undefined
      }
    >
      {found ? (
        <ActivityList entries={found.results} names={names} />
      ) : (
        <p className="text-muted text-sm">Your API key cannot read the activity log (activity_log:read).</p>
      )}
    </Card>
  );
}
