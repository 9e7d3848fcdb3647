import type { Metadata, Route } from "next";
import { Editor } from "#components/experiments/editor.tsx";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { experimentAccess, experimentActions, holdoutsOf } from "../reads.ts";

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
        description="Step by step. Once its flag is chosen it is kept as a draft: leave, and go on whenever you like."
      />
      <ReadOnlyNote access={access} />
      <Editor
        projectId={project_id}
        experiment={null}
        holdouts={holdouts}
        onFlag={0}
        access={access}
        actions={experimentActions}
      />
    </Page>
  );
}
