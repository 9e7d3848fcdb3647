import { Histogram } from "#components/charts/histogram.tsx";
import { Card } from "#components/ui/card.tsx";
import type { SurveyResults } from "#lib/survey_results/schema.ts";
import type { Links } from "./results_query.ts";
import { plural } from "./words.ts";

type Bucket = SurveyResults["durations"]["buckets"][number];

const short = (seconds: number) =>
  seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${seconds / 60} min`
      : seconds < 86_400
        ? `${seconds / 3_600} h`
        : `${seconds / 86_400} d`;

/** A bucket of durations in words. */
export const labelOf = ({ from_seconds, to_seconds }: Bucket) =>
  to_seconds === null
    ? `≥ ${short(from_seconds)}`
    : from_seconds === 0
      ? `< ${short(to_seconds)}`
      : `${short(from_seconds)} – ${short(to_seconds)}`;

/** The bucket in which the middle one falls: "10 s – 30 s". */
export function medianInWords({ median_bucket, buckets }: SurveyResults["durations"]): string | null {
  const bucket = median_bucket === null ? undefined : buckets[median_bucket];
  return bucket ? labelOf(bucket) : null;
}

/** How long people took from the first answer to the last. */
export function DurationsCard({ results, links }: { results: SurveyResults; links: Links }) {
  const { durations } = results;
  if (durations.responses === 0) return null;
  const median = medianInWords(durations);
  return (
    <Card>
      <Histogram
        title="Time from the first answer to the last"
        level={2}
        height={190}
        caption={`${median ? `Half of them took ${median} or less. ` : ""}Of ${plural(durations.responses, "completed response")} whose answers came one after another.`}
        measure={{ unit: "count" }}
        valueName="Responses"
        color="var(--variant-7)"
        bars={durations.buckets.map((bucket) => ({
          key: String(bucket.from_seconds),
          label: labelOf(bucket),
          value: bucket.count,
          href: links.open(bucket.rows, `Took ${labelOf(bucket)}`),
        }))}
      />
    </Card>
  );
}
