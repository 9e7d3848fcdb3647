import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="API keys"
        description="What scripts, servers and people sign in with. Each does what its scopes say, and no more."
      />
      <TableSkeleton rows={6} columns={6} />
    </Page>
  );
}
