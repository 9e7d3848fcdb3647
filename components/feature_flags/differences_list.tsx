import type { Difference } from "#lib/feature_flags/differences.ts";

/** What differs, thing by thing: the old struck through, the new below it. */
export function DifferencesList({
  differences,
  label,
}: {
  differences: readonly Difference[];
  label: string;
}) {
  if (differences.length === 0) return <p className="text-muted text-sm">Nothing differs.</p>;
  return (
    <dl aria-label={label} className="divide-y rounded-md border bg-sunken text-xs">
      {differences.map((difference, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list of differences never changes its order
        <div key={place} className="grid gap-x-3 gap-y-0.5 px-3 py-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <dt className="break-words text-muted">{difference.what}</dt>
          <dd className="flex min-w-0 flex-col gap-0.5">
            {difference.before === null ? null : (
              <del className="break-words text-faint decoration-line-strong">
                <span className="sr-only">Before: </span>
                {difference.before}
              </del>
            )}
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
