import { LoadingPage } from "#components/kit/loading-page.tsx";
import { ResultsSkeleton } from "#components/surveys/results/results-skeleton.tsx";

export default function Loading() {
  return (
    <LoadingPage width="wide">
      <ResultsSkeleton />
    </LoadingPage>
  );
}
