import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="People & cohorts"
        description="The people who use your product, and the cohorts that flags target."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={12} columns={6} />
    </Page>
  );
}
