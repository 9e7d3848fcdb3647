import { ResultsSkeleton } from "#components/survey_results/results_skeleton.tsx";
import { Page } from "#components/ui/page-header.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="wide">
      <Skeleton className="mb-2 h-3 w-16" />
      <Skeleton className="mb-6 h-7 w-72" />
      <ResultsSkeleton />
    </Page>
  );
}
