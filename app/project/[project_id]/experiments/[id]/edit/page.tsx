import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Editor } from "#components/experiments/editor/editor.tsx";
import { shownStatus } from "#components/experiments/status.ts";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Status } from "#components/ui/display/badge.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { readRevision } from "../../../change_requests/read-revision.ts";
import { experimentActions } from "../../experiment-actions.ts";
import { experimentAccess, experimentBy, holdoutsOf } from "../../reads.ts";

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

export async function generateMetadata({ params }: Pick<Props, "params">): Promise<Metadata> {
  const { project_id, id } = await params;
  const experiment = await experimentBy(await getApi(), project_id, id);
  return { title: experiment ? `Edit ${experiment.name}` : "Experiment" };
}

export default async function EditExperimentPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const query = await searchParams;
  const [experiment, revision, holdouts, access] = await Promise.all([
    experimentBy(api, project_id, id),
    readRevision(api, project_id, query, `experiments/${id}/`),
    holdoutsOf(api, project_id),
    experimentAccess(),
  ]);
  if (!experiment) notFound();
  const onFlag = await permitted(
    api.call(experimentContract.list, {
      params: { project_id },
      query: { feature_flag_id: String(experiment.feature_flag.id), limit: "1" },
    }),
  );
  const base = `/project/${project_id}/experiments`;
  return (
    <Page>
      <PageHeader
        title={experiment.name}
        mark={<Status status={shownStatus(experiment)} />}
        crumbs={[
          { label: "Experiments", href: base as Route },
          { label: experiment.name, href: `${base}/${id}/setup` as Route },
        ]}
      />
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={experiment.unreadable_fields} noun="experiment" />
      <Editor
        key={`${experiment.id} ${revision?.id}`}
        revision={revision}
        projectId={project_id}
        experiment={experiment}
        holdouts={holdouts ?? []}
        onFlag={onFlag?.count ?? 1}
        access={access}
        actions={experimentActions}
      />
    </Page>
  );
}
