import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Feature flags"
        description="Who gets which part of the product, decided at every request."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={12} columns={5} />
    </Page>
  );
}
