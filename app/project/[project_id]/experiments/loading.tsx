import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="Find out whether a change works by comparing people who got it with people who did not."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={10} columns={6} />
    </Page>
  );
}
