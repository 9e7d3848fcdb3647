import { Page } from "#components/ui/display/page-header.tsx";
import { FormSkeleton, Skeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <Skeleton className="mb-2 h-4 w-24" />
      <Skeleton className="mb-6 h-6 w-72" />
      <FormSkeleton fields={5} />
    </Page>
  );
}
