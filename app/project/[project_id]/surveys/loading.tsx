import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader
        title="Surveys"
        description="Ask people while they use the product, and read what they say."
      />
      <Skeleton className="mb-3 h-8 w-72 rounded-md" />
      <TableSkeleton rows={10} columns={5} />
    </Page>
  );
}
