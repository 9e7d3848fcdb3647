import { ChevronRight } from "lucide-react";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";

/** Definitions of the figures. */
export function Definitions({ definitions }: Pick<SurveyResults, "definitions">) {
  if (definitions.length === 0) return null;
  return (
    <details className="group/definitions rounded-lg border bg-surface px-4 py-2.5 text-sm shadow-card">
      <summary className="inline-flex items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-faint transition-transform group-open/definitions:rotate-90"
        />
        How these figures are counted
      </summary>
      <dl className="mt-2 grid gap-x-6 gap-y-2 pb-1 text-xs sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
        {definitions.map(({ figure, text }) => (
          <div key={figure} className="sm:col-span-2 sm:grid sm:grid-cols-subgrid">
            <dt className="font-medium text-ink">{figure}</dt>
            <dd className="max-w-prose text-pretty text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
