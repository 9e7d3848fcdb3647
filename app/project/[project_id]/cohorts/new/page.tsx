import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { CohortForm } from "#components/cohorts/cohort-form.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { cohortActions } from "../cohort-actions.ts";
import { cohortAccess, cohortNames } from "../reads.ts";

export const metadata: Metadata = { title: "New cohort" };

type Props = { params: Promise<{ project_id: string }> };

export default async function NewCohortPage({ params }: Props) {
  const { project_id } = await params;
  const [access, names] = await Promise.all([cohortAccess(), cohortNames(await getApi(), project_id)]);
  return (
    <Page width="form">
      <PageHeader
        title="New cohort"
        crumbs={[{ label: "Cohorts", href: `/project/${project_id}/cohorts` as Route }]}
      />
      {access.may_write ? (
        <CohortForm projectId={project_id} cohort={null} names={names} actions={cohortActions} />
      ) : (
        <EmptyState icon={Lock} title="Your API key cannot create cohorts">
          {access.reason}
        </EmptyState>
      )}
    </Page>
  );
}
