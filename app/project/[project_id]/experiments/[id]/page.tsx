import type { Metadata, Route } from "next";
import { notFound, redirect } from "next/navigation";
import { Suspense } from "react";
import { ConclusionCard } from "#components/experiments/running/conclusion-card.tsx";
import { ExperimentHeader } from "#components/experiments/running/header.tsx";
import { LaunchPlanCard } from "#components/experiments/running/launch-plan.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { NotifyMe } from "../../inbox/notify-me.tsx";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess, experimentBy } from "../reads.ts";
import { ExperimentResults } from "./results.tsx";

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export async function generateMetadata({ params }: Pick<Props, "params">): Promise<Metadata> {
  const { project_id, id } = await params;
  return { title: (await experimentBy(await getApi(), project_id, id))?.name ?? "Experiment" };
}

export default async function ExperimentPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const { reveal, peek_safe } = await searchParams;
  const api = await getApi();
  const [experiment, access] = await Promise.all([experimentBy(api, project_id, id), experimentAccess()]);
  if (!experiment) notFound();
  if (experiment.status === "draft") redirect(`/project/${project_id}/experiments/${id}/setup` as Route);
  return (
    <Page>
      <ExperimentHeader
        projectId={project_id}
        experiment={experiment}
        current="results"
        access={access}
        actions={experimentActions}
      />
      <div className="mb-5 flex min-w-0 flex-col gap-5">
        <Suspense>
          <NotifyMe projectId={project_id} type="experiment" id={id} />
        </Suspense>
        <ConclusionCard experiment={experiment} />
        <LaunchPlanCard experiment={experiment} />
      </div>
      <ExperimentResults
        projectId={project_id}
        experiment={experiment}
        reveal={reveal === "1"}
        peekSafe={peek_safe === "1"}
      />
    </Page>
  );
}
