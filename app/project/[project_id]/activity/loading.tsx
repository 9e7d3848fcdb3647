import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="wide">
      <PageHeader
        title="Activity"
        description="Who changed what in this project, with the values before and after."
      />
      <Skeleton className="mb-4 h-8 w-72 rounded-md" />
      <TableSkeleton rows={8} columns={2} />
    </Page>
  );
}
