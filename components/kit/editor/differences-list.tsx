import { ArrowRight } from "lucide-react";
import { cn } from "#components/ui/cn.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";

/** Longer texts are shown one below the other. */
const SHORT = 24;

const fitsInLine = ({ before, after }: Difference) =>
  before !== null && after !== null && before.length <= SHORT && after.length <= SHORT;

/** The differences one by one: the old struck through, the new beside or below it. */
export function DifferencesList({
  differences,
  label,
}: {
  differences: readonly Difference[];
  label: string;
}) {
  if (differences.length === 0) return <p className="text-muted text-sm">No differences.</p>;
  return (
    <dl aria-label={label} className="divide-y rounded-md border bg-sunken text-xs">
      {differences.map((difference, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list of differences never changes its order
        <div key={place} className="grid gap-x-3 gap-y-0.5 px-3 py-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <dt className="break-words text-muted">{difference.what}</dt>
          <dd
            className={cn(
              "flex min-w-0 gap-x-1.5 gap-y-0.5",
              fitsInLine(difference) ? "flex-wrap items-center" : "flex-col",
            )}
          >
            {difference.before === null ? null : (
              <del className="break-words text-faint decoration-line-strong">
                <span className="sr-only">Before: </span>
                {difference.before}
              </del>
            )}
            {fitsInLine(difference) ? (
              <ArrowRight aria-hidden="true" className="size-3 shrink-0 text-faint" />
            ) : null}
            {difference.after === null ? (
              <span className="text-danger-text">Removed</span>
            ) : (
              <ins className="break-words text-ink no-underline">
                <span className="sr-only">After: </span>
                {difference.before === null ? <span className="text-success-text">New: </span> : null}
                {difference.after}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
