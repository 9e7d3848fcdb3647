import type { Metadata, Route } from "next";
import { ImportFlags } from "#components/feature_flags/import/import-flags.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { flagActions } from "../flag-actions.ts";
import { accessOf } from "../reads.ts";

export const metadata: Metadata = { title: "Import feature flags" };

type Props = { params: Promise<{ project_id: string }> };

export default async function ImportFlagsPage({ params }: Props) {
  const { project_id } = await params;
  const access = await accessOf();
  return (
    <Page>
      <PageHeader
        crumbs={[{ label: "Feature flags", href: `/project/${project_id}/feature_flags` as Route }]}
        title="Import feature flags"
        description="From another project, or back into this one. Flags with the same key are changed."
      />
      <ReadOnlyNote access={access} />
      <ImportFlags projectId={project_id} access={access} actions={flagActions} />
    </Page>
  );
}
