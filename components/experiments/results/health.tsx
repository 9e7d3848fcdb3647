import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Callout } from "#components/ui/display/callout.tsx";
import { pValueText } from "#lib/engines/statistics/numbers.ts";
import type { Finding } from "#lib/experiments/results/result-schema.ts";

const TONES = { error: "danger", warning: "warning", info: "info" } as const;
const ORDER = { error: 0, warning: 1, info: 2 } as const;

type HealthProps = {
  findings: readonly Finding[];
  /** p value of the split; null where it was not judged. */
  splitP: number | null;
  multiple: ReactNode;
};

/** Problems of the data, most severe first, each with what to do. */
export function Health({ findings, splitP, multiple }: HealthProps) {
  const sorted = [...findings].sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  return (
    <section aria-labelledby="health" className="flex flex-col gap-2">
      <h2 id="health" className="sr-only">
        Health
      </h2>
      {sorted.map((finding) => (
        <Callout key={finding.title} tone={TONES[finding.severity]} title={finding.title}>
          {finding.what_to_do}
        </Callout>
      ))}
      {sorted.length === 0 ? (
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-sm">
          <span className="inline-flex items-center gap-1.5 font-medium text-success-text">
            <CircleCheck aria-hidden="true" className="size-4" />
            Healthy
          </span>
          <span>
            {splitP === null
              ? "Too few exposures to check the split"
              : `Split as configured (p ${pValueText(splitP)})`}
          </span>
          {multiple}
        </p>
      ) : null}
    </section>
  );
}
