import { LoadingPage } from "#components/kit/loading-page.tsx";
import { Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <LoadingPage title="API reference" description="Every endpoint, including those that the dashboard uses.">
      <div className="flex gap-8">
        <div className="hidden w-60 shrink-0 flex-col gap-3 lg:flex">
          <Skeleton className="h-8 w-full rounded-md" />
          <Skeleton className="h-3 w-32" />
          <Skeleton className="h-3 w-40" />
          <Skeleton className="h-3 w-28" />
        </div>
        <div className="min-w-0 flex-1">
          <TableSkeleton rows={12} columns={2} />
        </div>
      </div>
    </LoadingPage>
  );
}
