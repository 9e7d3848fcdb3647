import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Feature flags"
        description="Who gets which part of your product, decided on every request."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={12} columns={5} />
    </Page>
  );
}
