import { Histogram } from "#components/charts/histogram.tsx";
import { Card } from "#components/ui/card.tsx";
import type { SurveyResults } from "#lib/survey_results/schema.ts";
import type { Links } from "./results_query.ts";
import { plural, secondsInWords } from "./words.ts";

type Bucket = SurveyResults["durations"]["buckets"][number];

const short = (seconds: number) =>
  seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${seconds / 60} min`
      : seconds < 86_400
        ? `${seconds / 3_600} h`
        : `${seconds / 86_400} d`;

const labelOf = ({ from_seconds, to_seconds }: Bucket) =>
  to_seconds === null
    ? `≥ ${short(from_seconds)}`
    : from_seconds === 0
      ? `< ${short(to_seconds)}`
      : `${short(from_seconds)} – ${short(to_seconds)}`;

/** The middle one, rounded as people say it: within a bucket it is an estimate. */
export const medianInWords = ({ median_seconds }: SurveyResults["durations"]): string | null =>
  median_seconds === null ? null : `about ${secondsInWords(median_seconds)}`;

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
