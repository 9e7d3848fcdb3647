import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { CohortForm } from "#components/cohorts/cohort-form.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { readRevision } from "../../change_requests/read-revision.ts";
import { cohortActions } from "../cohort-actions.ts";
import { cohortAccess, cohortNames } from "../reads.ts";

export const metadata: Metadata = { title: "New cohort" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function NewCohortPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const api = await getApi();
  const [access, names, revision] = await Promise.all([
    cohortAccess(),
    cohortNames(api, project_id),
    readRevision(api, project_id, await searchParams, "cohorts/"),
  ]);
  return (
    <Page width="form">
      <PageHeader
        title="New cohort"
        crumbs={[{ label: "Cohorts", href: `/project/${project_id}/cohorts` as Route }]}
      />
      {access.may_write ? (
        <CohortForm
          key={revision?.id}
          projectId={project_id}
          cohort={null}
          names={names}
          actions={cohortActions}
          revision={revision}
        />
      ) : (
        <EmptyState icon={Lock} title="Your API key cannot create cohorts">
          {access.reason}
        </EmptyState>
      )}
    </Page>
  );
}
