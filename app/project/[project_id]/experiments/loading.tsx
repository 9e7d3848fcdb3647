import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="Whether a change does what you hoped, told by the people who got it and those who did not."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={10} columns={6} />
    </Page>
  );
}
