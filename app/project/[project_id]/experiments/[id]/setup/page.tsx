import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ExperimentHeader } from "#components/experiments/running/header.tsx";
import { SetupView } from "#components/experiments/setup-view.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { experimentActions } from "../../experiment-actions.ts";
import { experimentAccess, experimentBy } from "../../reads.ts";

export const metadata: Metadata = { title: "Experiment setup" };

type Props = { params: Promise<{ project_id: string; id: string }> };

export default async function SetupPage({ params }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const [experiment, access] = await Promise.all([experimentBy(api, project_id, id), experimentAccess()]);
  if (!experiment) notFound();
  return (
    <Page>
      <ExperimentHeader
        projectId={project_id}
        experiment={experiment}
        current="setup"
        access={access}
        actions={experimentActions}
      />
      <SetupView projectId={project_id} experiment={experiment} may_write={access.may_write} />
    </Page>
  );
}
