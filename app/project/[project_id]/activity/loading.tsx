import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="wide">
      <PageHeader title="Activity" description="Who changed what in this project, and how it was before." />
      <Skeleton className="mb-4 h-8 w-72 rounded-md" />
      <TableSkeleton rows={8} columns={2} />
    </Page>
  );
}
