import { Histogram } from "#components/charts/histogram.tsx";
import { Card } from "#components/ui/card.tsx";
import type { SurveyResults } from "#lib/survey_results/schema.ts";
import type { Links } from "./results_query.ts";
import { decimal, plural } from "./words.ts";

type Bucket = SurveyResults["durations"]["buckets"][number];

const UNITS = [
  { seconds: 86_400, name: "d" },
  { seconds: 3_600, name: "h" },
  { seconds: 60, name: "min" },
  { seconds: 1, name: "s" },
] as const;

const unitOf = (seconds: number) => UNITS.find((unit) => seconds >= unit.seconds) ?? UNITS[3];

const short = (seconds: number) => `${decimal(seconds / unitOf(seconds).seconds, 0)} ${unitOf(seconds).name}`;

function labelOf({ from_seconds: from, to_seconds: to }: Bucket): string {
  if (to === null) return `≥ ${short(from)}`;
  if (from === 0) return `< ${short(to)}`;
  const same = unitOf(from) === unitOf(to);
  return same ? `${decimal(from / unitOf(from).seconds, 0)}–${short(to)}` : `${short(from)}–${short(to)}`;
}

/** The middle one, rounded as people say it: within a bucket it is an estimate. */
export const medianInWords = ({ median_seconds }: SurveyResults["durations"]): string | null =>
  median_seconds === null ? null : `≈ ${short(median_seconds)}`;

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
