import { cn } from "#components/ui/cn.ts";

/** The shape of something on its way. Size it with classes. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={cn("block h-4 animate-shimmer rounded-sm bg-pressed", className)} />
  );
}

const widths = ["w-3/5", "w-2/5", "w-4/5", "w-1/2", "w-2/3"];

const upTo = (count: number) => [...Array(count).keys()];

/** A table on its way, for `loading.tsx`. */
export function TableSkeleton({ rows = 10, columns = 5 }: { rows?: number; columns?: number }) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="overflow-hidden rounded-lg border bg-surface shadow-card"
    >
      <div className="h-8 border-b bg-sunken" />
      {upTo(rows).map((row) => (
        <div key={row} className="flex h-11 items-center gap-4 border-b px-3 last:border-b-0">
          {upTo(columns).map((column) => (
            <div
              key={column}
              className={cn("flex-1", column > 1 && "max-sm:hidden", column === 0 && "flex-[2]")}
            >
              <Skeleton className={cn("h-3", widths[(row + column) % widths.length])} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Lines of text or fields on their way. */
export function FormSkeleton({ fields = 4 }: { fields?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex max-w-2xl flex-col gap-6">
      {upTo(fields).map((field) => (
        <div key={field} className="flex flex-col gap-2">
          <Skeleton className="h-3 w-24" />
          <Skeleton className="h-8 w-full" />
        </div>
      ))}
    </div>
  );
}
