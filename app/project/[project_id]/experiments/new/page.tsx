import type { Metadata, Route } from "next";
import { Editor } from "#components/experiments/editor/editor.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess, holdoutsOf } from "../reads.ts";

export const metadata: Metadata = { title: "New experiment" };

type Props = { params: Promise<{ project_id: string }> };

export default async function NewExperimentPage({ params }: Props) {
  const { project_id } = await params;
  const [holdouts, access] = await Promise.all([holdoutsOf(await getApi(), project_id), experimentAccess()]);
  return (
    <Page>
      <PageHeader
        title="New experiment"
        crumbs={[{ label: "Experiments", href: `/project/${project_id}/experiments` as Route }]}
        description="Once you choose a flag, the experiment is saved as a draft. You can leave and continue at any time."
      />
      <ReadOnlyNote access={access} />
      <Editor
        projectId={project_id}
        experiment={null}
        holdouts={holdouts ?? []}
        onFlag={0}
        access={access}
        actions={experimentActions}
      />
    </Page>
  );
}
