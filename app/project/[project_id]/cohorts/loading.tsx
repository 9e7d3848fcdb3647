import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="People & cohorts"
        description="Who uses the product, and the sets of people that flags speak of."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={6} columns={5} />
    </Page>
  );
}
