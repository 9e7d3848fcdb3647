import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { CohortForm } from "#components/cohorts/cohort-form.tsx";
import { Locked } from "#components/frame/locked.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { requireWho } from "#lib/app/session/who.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { readRevision } from "../../../change_requests/read-revision.ts";
import { cohortActions } from "../../cohort-actions.ts";
import { cohortAccess, cohortNames, readCohort } from "../../reads.ts";

export const metadata: Metadata = { title: "Edit cohort" };

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

export default async function EditCohortPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const { api, who } = await requireWho();
  if (!allows(who.scopes, "cohort:read")) return <Locked what="cohorts" scope="cohort:read" />;
  const query = await searchParams;
  const [cohort, revision, access, names] = await Promise.all([
    readCohort(api, project_id, id),
    readRevision(api, project_id, query, `cohorts/${id}/`),
    cohortAccess(),
    cohortNames(api, project_id),
  ]);
  if (!cohort) notFound();
  return (
    <Page width="form">
      <PageHeader
        title={`Edit ${cohort.name}`}
        crumbs={[
          { label: "Cohorts", href: `/project/${project_id}/cohorts` as Route },
          { label: cohort.name, href: `/project/${project_id}/cohorts/${id}` as Route },
        ]}
      />
      {access.may_write ? (
        <CohortForm
          key={revision?.id}
          projectId={project_id}
          cohort={cohort}
          names={names}
          actions={cohortActions}
          revision={revision}
        />
      ) : (
        <EmptyState icon={Lock} title="Your API key cannot change cohorts">
          {access.reason}
        </EmptyState>
      )}
    </Page>
  );
}
