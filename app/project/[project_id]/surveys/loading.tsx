import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Surveys"
        description="Ask people while they use your product, and see what they say."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={10} columns={5} />
    </Page>
  );
}
