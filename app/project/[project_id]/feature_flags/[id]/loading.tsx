import { Page } from "#components/ui/display/page-header.tsx";
import { FormSkeleton, Skeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <Skeleton className="mb-2 h-3 w-24" />
      <Skeleton className="mb-6 h-7 w-64" />
      <FormSkeleton fields={5} />
    </Page>
  );
}
