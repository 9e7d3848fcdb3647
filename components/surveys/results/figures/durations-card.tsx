import { Histogram } from "#components/charts/histogram.tsx";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { formatDuration, plural } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";

type Durations = SurveyResults["durations"];
type Bucket = Durations["buckets"][number];

/** "< 15 s", "15–30 s", "15 min–1 h", "≥ 1 h". */
function labelOf({ from_seconds: from, to_seconds: to }: Bucket): string {
  if (to === null) return `≥ ${formatDuration(from)}`;
  if (from === 0) return `< ${formatDuration(to)}`;
  const [low, high] = [formatDuration(from), formatDuration(to)];
  const unit = high.slice(high.lastIndexOf(" "));
  return low.endsWith(unit) ? `${low.slice(0, -unit.length)}–${high}` : `${low}–${high}`;
}

function captionOf({ timed, percentiles }: Durations): string {
  const at = (wanted: number) =>
    formatDuration(percentiles.find(({ percent }) => percent === wanted)?.seconds ?? 0);
  const half = `Half of ${plural(timed.count, "completed response")} took ${at(50)} or less`;
  return `${half}, nine in ten ${at(90)} or less. Measured from the first event of a response to its last.`;
}

/** The time from the first event of a response to its last. */
export function DurationsCard({ results, links }: { results: SurveyResults; links: Links }) {
  const { durations } = results;
  if (durations.timed.count === 0) return null;
  return (
    <Card>
      <Histogram
        title="Time to answer"
        level={2}
        height={190}
        caption={captionOf(durations)}
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
      <Percentiles percentiles={durations.percentiles} links={links} />
    </Card>
  );
}

type Percentile = Durations["percentiles"][number];

const nameOf = (percent: number) => (percent === 50 ? "Median" : `${percent}th percentile`);

/** A percentile that opens its responses. */
export function PercentileLink({ percentile, links }: { percentile: Percentile; links: Links }) {
  const { percent, seconds, count, rows } = percentile;
  const duration = formatDuration(seconds);
  return (
    <OpenLink
      href={links.open(rows, `Time to answer: ${nameOf(percent).toLowerCase()}`)}
      label={`Open the ${plural(count, "response")} at ${duration}`}
    >
      {duration}
    </OpenLink>
  );
}

function Percentiles({ percentiles, links }: Pick<Durations, "percentiles"> & { links: Links }) {
  return (
    <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-3 border-t pt-3 sm:grid-cols-5">
      {percentiles.map((percentile) => (
        <div key={percentile.percent}>
          <dt className="text-muted text-xs">{nameOf(percentile.percent)}</dt>
          <dd className="font-medium text-sm">
            <PercentileLink percentile={percentile} links={links} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
