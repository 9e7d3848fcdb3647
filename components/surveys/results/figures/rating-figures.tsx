import type { ReactNode } from "react";
import { Histogram } from "#components/charts/histogram.tsx";
import { ShareRows } from "#components/charts/rows/share-rows.tsx";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import {
  BUCKET_WORDS,
  bucketColor,
  intervalOf,
  signed,
  smallNote,
} from "#components/surveys/results/words.ts";
import { formatNumber, formatPercent, plural } from "#lib/platform/format.ts";
import type { QuestionFigures, RatingFigures as Rating } from "#lib/surveys/results/schema.ts";
import { bucketsCaption, ratingCaption } from "./captions.ts";

type Props = { question: QuestionFigures; rating: Rating; links: Links };

/** A rating: its score or mean with the interval, its buckets, and how often each value was given. */
export function RatingFigures({ question, rating, links }: Props) {
  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Score question={question} rating={rating} links={links} />
        <ShareRows
          title={rating.nps ? "Detractors, passives, promoters" : "Negative to positive"}
          caption={bucketsCaption(rating)}
          countName="Answers"
          rows={[
            {
              key: question.question_id,
              parts: rating.buckets.map((bucket) => ({
                key: bucket.bucket,
                name: BUCKET_WORDS[bucket.bucket] ?? bucket.bucket,
                count: bucket.count,
                color: bucketColor(bucket.bucket),
                href: links.open(
                  bucket.rows,
                  `${BUCKET_WORDS[bucket.bucket] ?? bucket.bucket}: ${question.question}`,
                ),
              })),
            },
          ]}
        />
        <OffScale question={question} rating={rating} links={links} />
      </div>
      <Values question={question} rating={rating} links={links} />
    </div>
  );
}

function Values({ question, rating, links }: Props) {
  const { mean, histogram } = rating;
  const lowest = histogram[0]?.value ?? 0;
  const range = mean && intervalOf(mean);
  const isThumbs = rating.scale === 2;
  return (
    <Histogram
      title="How often each value was given"
      caption={ratingCaption(rating)}
      measure={{ unit: "share" }}
      valueName="Share of answers"
      countName="Answers"
      {...(mean && !isThumbs
        ? {
            marker: {
              place: mean.value - lowest,
              interval: range && [range[0] - lowest, range[1] - lowest],
              label: `mean ${formatNumber(mean.value, 2)}`,
            },
          }
        : {})}
      bars={histogram.map((value) => ({
        key: String(value.value),
        label: isThumbs ? (value.value === 1 ? "Up" : "Down") : String(value.value),
        value: value.share ?? 0,
        count: value.count,
        interval: value.count > 0 ? intervalOf(value) : null,
        color: bucketColor(value.bucket),
        href: links.open(value.rows, `${value.value}: ${question.question}`),
      }))}
    />
  );
}

type Headline = { term: string; value: string; range: readonly [string, string] | null };

/** The figure that sums a rating up: its score, the share of thumbs up, or its mean. */
function headlineOf({ scale, nps, mean, buckets }: Rating): Headline | null {
  // One and two are names of thumbs, not amounts.
  const up = scale === 2 ? buckets.find(({ bucket }) => bucket === "positive") : undefined;
  const range = (of: Parameters<typeof intervalOf>[0], text: (value: number) => string) => {
    const interval = intervalOf(of);
    return interval && ([text(interval[0]), text(interval[1])] as const);
  };
  if (up) return { term: "Thumbs up", value: formatPercent(up.share ?? 0), range: range(up, formatPercent) };
  const points = (value: number) => signed(formatNumber(value, 1));
  if (nps) return { term: "Net promoter score", value: signed(nps.text), range: range(nps, points) };
  const amount = (value: number) => formatNumber(value, 2);
  return mean && { term: "Mean", value: amount(mean.value), range: range(mean, amount) };
}

/** What the share of the best values is called, by scale. */
const SCORES: Partial<Record<number, string>> = { 5: "CSAT (4 and 5)", 7: "CES (5 to 7)" };

function Score({ question, rating, links }: Props) {
  const { nps, mean, median, total, scale } = rating;
  const headline = total > 0 ? headlineOf(rating) : null;
  const caution = smallNote(total);
  const positive = rating.buckets.find(({ bucket }) => bucket === "positive");
  const score = SCORES[scale];
  const opening = (text: string) => (
    <OpenLink
      href={links.open(rating.rows, `Answers to: ${question.question}`)}
      label={`Open the ${plural(total, "answer")} behind ${text}`}
    >
      {text}
    </OpenLink>
  );
  return (
    <div className="flex flex-wrap items-baseline gap-x-6 gap-y-2">
      <div>
        <p className="text-muted text-xs">{headline?.term ?? "Mean"}</p>
        <p className="tabular font-semibold text-2xl text-ink">{headline ? opening(headline.value) : "–"}</p>
        {headline?.range ? (
          <p className="tabular text-muted text-xs">
            {`95% interval ${headline.range[0]} to ${headline.range[1]}`}
          </p>
        ) : null}
        <p className="tabular text-faint text-xs">
          {plural(total, "answer")}
          {caution ? <span className="ml-1.5 font-medium text-warning-text">{caution}</span> : null}
        </p>
      </div>
      {scale === 2 ? null : (
        <dl className="flex gap-5 text-xs">
          {score && positive && positive.share !== null ? (
            <Fact
              term={score}
              value={
                <OpenLink
                  href={links.open(positive.rows, `Positive: ${question.question}`)}
                  label={`Open the ${plural(positive.count, "answer")} behind ${formatPercent(positive.share)}`}
                >
                  {formatPercent(positive.share)}
                </OpenLink>
              }
            />
          ) : null}
          {nps && mean ? <Fact term="Mean" value={opening(formatNumber(mean.value, 2))} /> : null}
          <Fact
            term="Median"
            value={median === null ? "–" : opening(formatNumber(median, Number.isInteger(median) ? 0 : 1))}
          />
          <Fact
            term="Std. deviation"
            value={
              rating.standard_deviation === null ? "–" : opening(formatNumber(rating.standard_deviation, 2))
            }
          />
        </dl>
      )}
    </div>
  );
}

function Fact({ term, value }: { term: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-faint">{term}</dt>
      <dd className="tabular font-medium text-ink text-sm">{value}</dd>
    </div>
  );
}

function OffScale({ question, rating, links }: Props) {
  if (rating.off_scale.count === 0) return null;
  return (
    <p className="text-muted text-xs">
      <OpenLink href={links.open(rating.off_scale.rows, `Not on the scale: ${question.question}`)}>
        {plural(rating.off_scale.count, "answer")}
      </OpenLink>
      {" not on the scale, excluded from these figures."}
    </p>
  );
}
