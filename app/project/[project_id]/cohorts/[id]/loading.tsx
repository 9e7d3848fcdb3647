import { Page } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <Skeleton className="mb-2 h-3 w-16" />
      <Skeleton className="mb-6 h-7 w-72" />
      <TableSkeleton rows={8} columns={4} />
    </Page>
  );
}
