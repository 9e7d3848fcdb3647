import { Skeleton } from "#components/ui/display/skeleton.tsx";

const box = "rounded-lg border bg-surface shadow-card";

/** The shape of the results while they are counted. */
export function ResultsSkeleton() {
  return (
    <div role="status" aria-label="Counting" className="flex flex-col gap-4">
      <Skeleton className="h-5 w-72 max-w-full" />
      <div className={`${box} grid grid-cols-2 gap-6 px-4 py-3 lg:grid-cols-4`}>
        {[0, 1, 2, 3].map((tile) => (
          <div key={tile} className="flex flex-col gap-2">
            <Skeleton className="h-3 w-20" />
            <Skeleton className="h-6 w-24" />
            <Skeleton className="h-3 w-28" />
          </div>
        ))}
      </div>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <div className={`${box} flex h-94 flex-col gap-5 p-4`}>
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-1/4" />
        </div>
        <div className={`${box} flex h-94 flex-col gap-4 p-4`}>
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-full w-full" />
        </div>
      </div>
      <div className={`${box} flex h-72 flex-col gap-4 p-4`}>
        <Skeleton className="h-5 w-3/5" />
        <Skeleton className="h-full w-full" />
      </div>
    </div>
  );
}
