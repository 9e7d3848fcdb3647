import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="API keys"
        description="For scripts, servers and people. Each key can do only what its scopes allow."
      />
      <TableSkeleton rows={6} columns={6} />
    </Page>
  );
}
