import type { Metadata, Route } from "next";
import { FlagForm } from "#components/feature_flags/flag-form.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { readRevision } from "../../change_requests/read-revision.ts";
import { flagActions } from "../flag-actions.ts";
import { accessOf, flagById, readFormNames } from "../reads.ts";

export const metadata: Metadata = { title: "New feature flag" };

type Props = {
  params: Promise<{ project_id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function NewFlagPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = await searchParams;
  const api = await getApi();
  const [access, copyOf, revision] = await Promise.all([
    accessOf(),
    flagById(api, project_id, String(query.from ?? "")),
    readRevision(api, project_id, query, "feature_flags/"),
  ]);
  const names = await readFormNames(api, project_id, copyOf);
  return (
    <Page width="wide">
      <PageHeader
        crumbs={[{ label: "Feature flags", href: `/project/${project_id}/feature_flags` as Route }]}
        title="New feature flag"
        description={copyOf ? `A copy of ${copyOf.key}. It starts turned off.` : undefined}
      />
      <ReadOnlyNote access={access} />
      <FlagForm
        key={revision?.id}
        revision={revision}
        projectId={project_id}
        flag={null}
        copyOf={copyOf ?? undefined}
        names={names}
        access={access}
        actions={flagActions}
      />
    </Page>
  );
}
