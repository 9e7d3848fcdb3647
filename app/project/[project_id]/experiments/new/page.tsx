import type { Metadata, Route } from "next";
import { Editor } from "#components/experiments/editor/editor.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { readRevision } from "../../change_requests/read-revision.ts";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess, holdoutsOf } from "../reads.ts";

export const metadata: Metadata = { title: "New experiment" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function NewExperimentPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const api = await getApi();
  const [holdouts, access, revision] = await Promise.all([
    holdoutsOf(api, project_id),
    experimentAccess(),
    readRevision(api, project_id, await searchParams, "experiments/"),
  ]);
  return (
    <Page>
      <PageHeader
        title="New experiment"
        crumbs={[{ label: "Experiments", href: `/project/${project_id}/experiments` as Route }]}
        description="Once you choose a flag, the experiment is saved as a draft. You can leave and continue at any time."
      />
      <ReadOnlyNote access={access} />
      <Editor
        key={revision?.id}
        revision={revision}
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
